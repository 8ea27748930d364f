"""Labelling many files, alone or as one of many processes."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._native import ffi, lib
from ._words import Path, encode_path, option_string, optional_path, sized
from .context import run
from .errors import check, refuse, text
from .model import Model


@dataclass(frozen=True)
class Labelled:
    """A file that label_files labelled, or found finished."""

    input: str
    #: the labelled cloud; "" for a model that classifies
    output: str
    #: an earlier run labelled it
    finished: bool
    points: int
    samples: int
    #: time in the network
    seconds: float
    #: of a model that classifies: the class; of shapes with parts: the category; else -1
    label: int
    #: points of each class, in the order of the classes, then those without a label
    counts: Tuple[int, ...]
    #: why it could not be labelled; "" if it was
    error: str


class _Files:
    """The results that callbacks collect."""

    def __init__(self) -> None:
        self.found: List[Tuple[str, str]] = []
        self.labelled: List[Labelled] = []
        self.handle = ffi.new_handle(self)


@ffi.def_extern(error=-1)  # type: ignore[untyped-decorator]
def gelatto_file(user: Any, path: Any, under: Any) -> int:
    files: _Files = ffi.from_handle(user)
    files.found.append((os.fsdecode(ffi.string(path)), os.fsdecode(ffi.string(under))))
    return 0


@ffi.def_extern(error=-1)  # type: ignore[untyped-decorator]
def gelatto_labelled(user: Any, file: Any) -> int:
    files: _Files = ffi.from_handle(user)
    found, failed = file.prediction, file.code < 0
    counts = () if failed or not file.counts else tuple(file.counts[0:file.classes + 1])
    files.labelled.append(Labelled(
        os.fsdecode(ffi.string(file.input)), os.fsdecode(ffi.string(file.output)),
        bool(file.finished), int(found.points), int(found.samples), float(found.seconds),
        int(found.label), counts, text(lib.glt_error_message()) if failed else ""))
    return 0


def cloud_files(where: Union[Path, Sequence[Path]]) -> List[Tuple[str, str]]:
    """The files that a path means: a file, the clouds under a folder, or those that a pattern
    matches. Each comes with the part of its path after the folder."""
    files = _Files()
    for word in [where] if isinstance(where, (str, os.PathLike)) else where:
        place = encode_path(word)
        run(lambda: check(lib.glt_cloud_files(place, lib.gelatto_file, files.handle)))
    return files.found


def _output(folder: str, under: str) -> str:
    """The output's name, as in the program: PLY if the input's format cannot hold labels."""
    held = lib.glt_cloud_write(ffi.NULL, encode_path(under), b"labels") != lib.GLT_EUNSUPPORTED
    return os.path.join(folder, under if held else under + ".ply")


def _without_outputs(found: List[Tuple[str, str]], folder: str) -> List[Tuple[str, str]]:
    """Without files below the folder of the outputs, if that is below the inputs: they are labelled
    files of an earlier call."""
    own = os.path.join(os.path.realpath(folder), "")

    def is_output(path: str, under: str) -> bool:
        real = os.path.realpath(path)
        top = real[:-len(under)] if real.endswith(under) else real  # the folder that was searched
        return real.startswith(own) and len(top) < len(own)

    return [(path, under) for path, under in found if not is_output(path, under)]


def label_files(model: Model, inputs: Union[Path, Sequence[Path]], folder: Path, *,
                shard: Optional[Tuple[int, int]] = None, skip_finished: bool = False,
                halo: float = 0, read: Optional[Dict[str, Any]] = None, max_memory: int = 0,
                **predict: Any) -> List[Labelled]:
    """Labels files, and writes the labelled clouds into a folder under the same names.

    inputs: files, folders or patterns. shard: (i, n) labels share i of n (from 1), balanced by
    size; any number of processes may do so, in any order. skip_finished: skip files that are
    finished, by the digests of input, model, options and output. halo: use points of adjacent
    files within at least this distance. read: options of reading, predict: those of Model.predict.
    After a file that fails, the others are still labelled: see Labelled.error.

    gather lists what is missing once all shards have run."""
    files, out = _Files(), os.fsdecode(folder).rstrip("/") or "/"
    pairs = [(path, _output(out, under)) for path, under in _without_outputs(cloud_files(inputs), out)]
    if len({output for _, output in pairs}) < len(pairs):
        raise refuse("several inputs would have the same output: label them one folder at a time",
                     "inputs")
    if any(os.path.exists(output) and os.path.samefile(path, output) for path, output in pairs):
        raise refuse("the outputs would overwrite the inputs: name another folder", "folder")
    sources = [optional_path(path) for path, _ in pairs]
    targets = [optional_path(output) for _, output in pairs]
    reading = ffi.new("char[]", option_string(read or {}))
    words = ffi.new("char[]", option_string({**predict, "halo": float(halo) or None}))
    place, options = optional_path(out), sized("struct glt_files_options")
    options.read, options.predict, options.max_memory = reading, words, max_memory
    options.skip_finished = bool(skip_finished)
    options.shard, options.shards = shard or (0, 0)
    options.folder = place if shard or skip_finished else ffi.NULL

    def work() -> None:
        code = lib.glt_predict_files(model._pointer, ffi.new("char *[]", sources),
                                     ffi.new("char *[]", targets), len(pairs), options,
                                     lib.gelatto_labelled, files.handle)
        if code == lib.GLT_EINTERRUPTED or not any(file.error for file in files.labelled):
            check(code)

    run(work, keep=(reading, words, place))
    return files.labelled


def gather(folder: Path, *, page: Optional[Path] = None, inputs: bool = False) -> Dict[str, Any]:
    """Checks the outputs of label_files with shard or skip_finished, and adds up their summaries:
    files, finished, points, labels, core_hours, and the lists missing, outdated, broken, changed.

    page: also write an HTML report. inputs: compare the inputs with those that were labelled."""
    out, where, html = ffi.new("char **"), encode_path(folder), optional_path(page)
    words = option_string({"json": True, "inputs": inputs})
    run(lambda: check(lib.glt_gather(out, ffi.NULL, where, html, words)))
    found: Dict[str, Any] = json.loads(text(ffi.gc(out[0], lib.glt_free)))
    return found
