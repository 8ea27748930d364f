"""Whether torch in the process changes bits or speed: predictions without it, and with it imported
before and after gelatto.

    torch_order.py [ROUNDS]     interleaved rounds (5); prints medians, fails if bits differ"""
import hashlib
import json
import statistics
import subprocess
import sys
import time

ORDERS = {"without torch": "import gelatto", "torch first": "import torch, gelatto",
          "torch last": "import gelatto, torch"}


def child(imports):
    exec(imports, globals())
    import numpy as np
    model = gelatto.load("rooms")  # noqa: F821
    xyz = np.random.default_rng(0).random((20000, 3)) * 6
    model.predict(xyz)
    began = time.perf_counter()
    result = model.predict(xyz)
    seconds = time.perf_counter() - began
    digest = hashlib.sha256(result.label.tobytes() + result.confidence.tobytes()).hexdigest()
    print(json.dumps([digest, seconds]))


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    digests, seconds = set(), {order: [] for order in ORDERS}
    for _ in range(rounds):
        for order, imports in ORDERS.items():
            said = subprocess.run([sys.executable, __file__, "--child", imports], check=True,
                                  capture_output=True, text=True).stdout
            digest, took = json.loads(said.splitlines()[-1])
            digests.add(digest)
            seconds[order].append(took)
    alone = statistics.median(seconds["without torch"])
    for order, list_ in seconds.items():
        median = statistics.median(list_)
        print(f"{order}: {median:.3f} s, {100 * (median / alone - 1):+.1f} %")
    print("the same bits" if len(digests) == 1 else "the bits differ")
    return int(len(digests) != 1)


if __name__ == "__main__":
    sys.exit(child(sys.argv[2]) if sys.argv[1:2] == ["--child"] else main())
