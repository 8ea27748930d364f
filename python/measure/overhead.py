"""The overhead of a call: the time of predict on 4,096 points outside of the C function, as a share.

    overhead.py [REPEATS]     1,000 without an argument; prints medians"""
import statistics
import sys
import time

import numpy as np

import gelatto
from gelatto import model as module


class Timed:
    """The C library with a clock around one function."""

    def __init__(self, lib):
        self.lib = lib
        self.inside = 0.0

    def __getattr__(self, name):
        return getattr(self.lib, name)

    def glt_cloud_predict(self, *words):
        began = time.perf_counter()
        code = self.lib.glt_cloud_predict(*words)
        self.inside = time.perf_counter() - began
        return code


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    timed = module.lib = Timed(module.lib)
    model = gelatto.load("rooms")
    xyz = np.random.default_rng(0).random((4096, 3)) * 2
    whole, outside = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        model.predict(xyz).label
        seconds = time.perf_counter() - began
        whole.append(seconds)
        outside.append(seconds - timed.inside)
    share = statistics.median(outside) / statistics.median(whole)
    print(f"median of {repeats}: call {1e3 * statistics.median(whole):.2f} ms, of which the package "
          f"{1e6 * statistics.median(outside):.0f} us: {100 * share:.2f} %")
    return int(share > 0.01)


if __name__ == "__main__":
    sys.exit(main())
