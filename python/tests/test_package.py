"""The package as a whole: everything of the header is reachable, every name has its comment."""
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import gelatto
from gelatto._native import lib

ROOT = Path(__file__).resolve().parents[2]
# Not for Python: setters of defaults that contexts replace, and what NumPy or Python do already.
NOT_NEEDED = {"glt_allocator_set", "glt_memory_limit", "glt_log_set", "glt_progress_set",
              "glt_threads_set", "glt_outputs_discard", "glt_cloud_set", "glt_error_text",
              "glt_model_explain"}


def test_every_function_of_the_header_is_used():
    text = "".join(path.read_text() for path in Path(gelatto.__file__).parent.glob("*.py"))
    missing = [name for name in dir(lib) if name.startswith("glt_")
               and not re.search(rf"\b{name}\b", text) and name not in NOT_NEEDED]
    assert missing == []


def test_every_public_name_has_a_comment():
    bare = [name for name in gelatto.__all__ if not inspect.getdoc(getattr(gelatto, name))]
    for name in gelatto.__all__:
        thing = getattr(gelatto, name)
        if inspect.isclass(thing) and thing.__module__.startswith("gelatto"):
            bare += [f"{name}.{member}" for member, value in vars(thing).items()
                     if not member.startswith("_") and (callable(value) or isinstance(value, property))
                     and not inspect.getdoc(value)]
    assert bare == []


def test_the_extension_is_for_every_python():
    native = sys.modules["gelatto._native"]
    assert native.__file__.endswith(".abi3.so")


def test_the_package_ships_free_models_only():
    models = Path(gelatto.__file__).parent / "share" / "gelatto" / "models"
    found = {path.stem for path in models.glob("*.safetensors")}
    assert found and not found & {"parts", "rooms-scan", "shapes", "shapes-aligned"}
    assert all("research only" not in path.read_text().lower() for path in models.glob("*.md"))


def test_a_configuration_that_failed_is_tried_again(tmp_path):
    build, log = tmp_path / "build", tmp_path / "log"
    build.mkdir()
    (build / "CMakeCache.txt").touch()
    (tmp_path / "cmake").write_text(
        f"#!/bin/sh\necho $1 >> {log}\ntouch {build}/build.ninja\n"
        f"echo 'Libs.private: -lm' > {build}/gelatto.pc\n")
    (tmp_path / "cmake").chmod(0o755)
    work = "import packaging_steps as steps\nprint(steps.build_library()[1])\nsteps.build_library()"
    said = subprocess.run(
        [sys.executable, "-c", work], check=True, capture_output=True, text=True,
        env={**os.environ, "GELATTO_BUILD": str(build), "PYTHONPATH": str(ROOT / "python"),
             "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{tmp_path}:{os.environ['PATH']}"}).stdout
    assert said == "['-lm']\n" and log.read_text().split() == ["--preset", "--build", "--build"]


def test_no_foreign_library_comes_along():
    maps = Path("/proc/self/maps").read_text()
    assert "_native" in maps and "hdf5" not in maps
