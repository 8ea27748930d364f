"""Declares the public header to cffi, which makes the extension gelatto._native of it.

The declarations are those of include/gelatto.h itself, through the C preprocessor: there is no
second copy that could differ."""
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from cffi import FFI

# cffi's setuptools hook runs this file without __file__ being reliable: it stands in the root.
ROOT = Path(os.getcwd())

# What the library calls back: @ffi.def_extern marks the bodies in the modules of the package.
CALLBACKS = """
extern "Python" {
    void gelatto_log(void *user, enum glt_log_level level, const char *message);
    int gelatto_progress(void *user, const char *activity, int64_t done, int64_t total);
    int gelatto_step(void *user, const struct glt_train_status *status);
    void gelatto_finding(void *user, const struct glt_finding *finding);
    int gelatto_file(void *user, const char *path, const char *under);
    int gelatto_labelled(void *user, const struct glt_labelled *file);
    void gelatto_model(void *user, const struct glt_installed *model);
}
"""


def declarations():
    """The header without comments, attributes and system headers, whose types cffi knows."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h"):
            Path(empty, name).touch()
        return subprocess.run(
            [*compiler.split(), "-E", "-P", "-nostdinc", "-U__GNUC__", "-I", empty,
             str(ROOT / "include" / "gelatto.h")],
            check=True, capture_output=True, text=True).stdout


ffibuilder = FFI()
ffibuilder.cdef(declarations() + CALLBACKS)
ffibuilder.set_source("gelatto._native", '#include "gelatto.h"',
                      include_dirs=[str(ROOT / "include")])
