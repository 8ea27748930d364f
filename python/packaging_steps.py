"""The steps of a build that setuptools does not know: see setup.py."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
# A build tree that is configured already may be used instead: GELATTO_BUILD=build/release
BUILD = Path(os.environ.get("GELATTO_BUILD") or ROOT / "build" / "python").resolve()


def version():
    """The version of the library, which CMakeLists.txt names."""
    return re.search(r"project\(gelatto VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build_library():
    """The static library as one object whose internal names are local; its linker words."""
    if not (BUILD / "build.ninja").exists():  # as after a configuration that failed
        subprocess.run(["cmake", "--preset", "python", "-B", str(BUILD)], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "gelatto_merged"], check=True)
    words = re.search(r"^Libs.private: (.*)$", (BUILD / "gelatto.pc").read_text(), re.M)[1]
    return BUILD / "merged" / "libgelatto.a", words.split()


class BuildExtension(build_ext):
    """The extension, linked with the static library. No name but that of its entry leaves it."""

    def run(self):
        library, words = build_library()
        for extension in self.extensions:
            extension.extra_objects = [str(library)]
            extension.extra_link_args = words + [
                "-Wl,--exclude-libs,ALL",
                "-Wl,-z,relro,-z,now,-z,noexecstack,-z,nodelete",
            ]
            extension.extra_compile_args = ["-O2", "-g0", "-fvisibility=hidden"]
            extension.depends = [str(library), str(ROOT / "include" / "gelatto.h")]
        super().run()


def is_free(model):
    """Whether a model may be shipped: its card, or the licence in its file, names research if not."""
    with open(model, "rb") as file:
        header = file.read(int.from_bytes(file.read(8), "little")).lower()
    card = model.with_suffix(".md").read_text().lower()
    return "research only" not in card and b"research" not in header


class BuildPackage(build_py):
    """The package with models and grids where the library looks for them: beside the extension.

    GELATTO_PACK_MODELS=0 leaves the models out."""

    def run(self):
        super().run()
        share = Path(self.build_lib) / "gelatto" / "share" / "gelatto"
        shutil.rmtree(share, ignore_errors=True)
        files = sorted((ROOT / "grids").glob("*.yaml"))
        if os.environ.get("GELATTO_PACK_MODELS") != "0":
            free = [model for model in (ROOT / "models").glob("*.safetensors") if is_free(model)]
            files += sorted(free) + [model.with_suffix(".md") for model in free]
        for file in files:
            target = share / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
