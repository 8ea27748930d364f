"""No copy of large columns: the peak of memory shows it."""
import os
import subprocess
import sys

import pytest

SCRIPT = """
import resource, sys
import numpy as np, gelatto

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

n = 10_000_000
gelatto.Cloud(np.zeros((10, 3)))["x"]  # what the first call loads
x = np.arange(n, dtype=np.float64)
before = peak()
cloud = gelatto.Cloud({"x": x, "y": x, "z": x})
again = cloud.copy()
again["intensity"] = x
shown = cloud["x"], again["intensity"], cloud.copy()["z"]
assert all(np.shares_memory(array, x) for array in shown)
print(f"column {x.nbytes / 2**20:.0f} MiB, peak before {before:.0f} MiB, after {peak():.0f} MiB")
sys.exit(peak() - before > 4)
"""


def test_a_column_of_ten_million_points_is_not_copied():
    child = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True,
                           env=dict(os.environ))
    print(child.stdout)
    assert child.returncode == 0, child.stdout + child.stderr


def test_many_clouds_leave_no_memory_behind(tiny, points):
    resource = pytest.importorskip("resource")
    for _ in range(10):
        tiny.predict(points)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        tiny.predict(points)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB
