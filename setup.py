"""Builds the wheel: the C library by CMake, the extension by cffi, the models that may be shipped."""
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))
from packaging_steps import BuildExtension, BuildPackage, version  # noqa: E402

setup(
    version=version(),
    cffi_modules=["python/build_native.py:ffibuilder"],
    cmdclass={"build_ext": BuildExtension, "build_py": BuildPackage},
)
