"""What the tests of the package share. They use the installed package, never the source tree."""
import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gelatto

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("GELATTO_MODELS", str(ROOT / "models"))
M_PERTURB = -6
ctypes.CDLL(None).mallopt(M_PERTURB, 85)  # freed memory is overwritten: its use shows


@pytest.fixture(scope="session")
def program():
    """The command-line program of the same sources."""
    path = Path(os.environ.get("GELATTO_PROGRAM", ROOT / "build" / "release" / "gelatto"))
    if not path.exists():
        pytest.skip(f"{path} is not built")

    def call(*words, **more):
        return subprocess.run([path, *map(str, words)], check=True, capture_output=True, text=True,
                              **more).stdout

    return call


@pytest.fixture(scope="session")
def rooms(tmp_path_factory):
    """Six small synthetic rooms."""
    folder = tmp_path_factory.mktemp("data") / "rooms"
    gelatto.synth_rooms(folder, rooms=1, points=6000)
    return folder


@pytest.fixture(scope="session")
def shapes(tmp_path_factory):
    """A few synthetic shapes with parts."""
    folder = tmp_path_factory.mktemp("data") / "shapes"
    gelatto.synth_shapes(folder, shapes=5, points=1024)
    return folder


@pytest.fixture(scope="session")
def office(rooms):
    return rooms / "Area_5" / "office_1.ply"


@pytest.fixture(scope="session")
def tiny():
    """A model that has learned nothing: small and fast."""
    return gelatto.Model.create(3, preset="tiny", inputs="xyz", seed=7)


@pytest.fixture
def points():
    return np.random.default_rng(3).random((500, 3)) * 4
