"""Traces: everything one pass of a network computed, as numpy arrays over the mapped file."""
from __future__ import annotations

import json
import os
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

import numpy as np

from ._columns import Array
from ._native import ffi, lib
from ._words import Path, encode_path, option_string
from .context import run
from .errors import check, damaged, text

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
           "I8": "<i1", "U8": "<u1", "BOOL": "?"}


@dataclass(frozen=True)
class Correlation:
    """How attention depends on distance, in one encoder level, block and head."""

    level: int
    block: int
    head: str
    centres: int
    mean: float
    deviation: float
    by_channel: float


@dataclass(frozen=True)
class Attention:
    """How sharp the weights are, in one encoder level, block and head."""

    level: int
    block: int
    head: str
    centres: int
    #: as a share of that of uniform weights: 1 is a mean
    entropy: float
    #: share of scores with one weight above 0.99: an arg-max
    saturation: float


class Trace(Mapping[str, Array]):
    """A mapping from the names of tensors to arrays: trace["enc1/block1/out"].

    >>> import gelatto
    >>> model = gelatto.Model.create(2, preset="tiny", inputs="xyz")
    >>> trace = model.explain([[0.0, 0, 0], [0.05, 0, 0], [0, 0.05, 0]])
    >>> trace["input/xyz"].shape
    (3, 3)
    >>> sorted(trace.attention)[0]
    'enc1/block1/geometric'
    """

    def __init__(self, path: Path, point: Optional[int] = None) -> None:
        self.path = FilePath(os.fspath(path))
        #: the row of the cloud that images show
        self.point = point
        self._tensors: Optional[Dict[str, Any]] = None
        self._start = 0
        self._metadata: Dict[str, str] = {}

    def _index(self) -> Dict[str, Any]:
        """The header of a safetensors file: its length, then JSON."""
        if self._tensors is None:
            with open(self.path, "rb") as file:
                length = int.from_bytes(file.read(8), "little")
                if length > os.path.getsize(self.path):
                    raise damaged("not a trace", str(self.path))
                content = file.read(length)
            try:
                header: Dict[str, Any] = dict(json.loads(content))
            except (TypeError, ValueError):
                raise damaged("not a trace: its header is damaged", str(self.path)) from None
            self._start = 8 + length
            self._metadata = header.pop("__metadata__", {})
            self._tensors = header
        return self._tensors

    def __getitem__(self, name: str) -> Array:
        entry = self._index()[name]
        begin, end = entry["data_offsets"]
        if begin == end:
            return np.empty(entry["shape"], _DTYPES[entry["dtype"]])
        return np.memmap(self.path, _DTYPES[entry["dtype"]], "r", self._start + begin,
                         tuple(entry["shape"]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index())

    def __len__(self) -> int:
        return len(self._index())

    @property
    def metadata(self) -> Dict[str, str]:
        """The metadata of the file: model, configuration, classes."""
        self._index()
        return self._metadata

    @property
    def attention(self) -> Dict[str, Array]:
        """The weights of the heads, (edges, channels), by "encL/blockB/geometric" or ".../latent".
        The edges of centre i are start[i] .. start[i + 1] - 1 of "encL/blockB/start"."""
        return {name.replace("/attention_", "/"): self[name] for name in self
                if "/attention_" in name}

    def save_image(self, path: Path, *, kind: str = "attention", point: Optional[int] = None,
                   other: Optional[int] = None, level: Optional[int] = None,
                   block: Optional[int] = None, channel: Union[None, int, str] = None,
                   seed: Optional[int] = None, up: Optional[str] = None,
                   cut: Optional[float] = None, width: Optional[int] = None,
                   height: Optional[int] = None) -> None:
        """Draws a PNG image. kind: attention, scores, grouping, graph (of two centres, `point` and
        `other`, in a level and block), outputs, panels or levels. channel: mean, random, a number,
        or one of these for each level ("3,9,100,200")."""
        words = option_string({"kind": kind, "point": self.point if point is None else point,
                               "other": other, "level": level, "block": block, "channel": channel,
                               "seed": seed, "up": up, "cut": cut, "width": width,
                               "height": height})
        trace, where = encode_path(self.path), encode_path(path)
        run(lambda: check(lib.glt_trace_image(trace, where, words)))

    def save_film(self, path: Path, *, point: Optional[int] = None,
                  channel: Union[None, int, str] = None, seed: Optional[int] = None,
                  up: Optional[str] = None, cut: Optional[float] = None,
                  width: Optional[int] = None, height: Optional[int] = None,
                  frames: Optional[int] = None, fps: Optional[int] = None) -> int:
        """Draws a film: one animated PNG if path ends in .png, else a folder of frames,
        frame_0000.png and so on. Returns how many frames."""
        words = option_string({"point": self.point if point is None else point, "channel": channel,
                               "seed": seed, "up": up, "cut": cut, "width": width,
                               "height": height, "frames": frames, "fps": fps})
        trace, where = encode_path(self.path), encode_path(path)
        count = ffi.new("int *")
        run(lambda: check(lib.glt_trace_film(trace, where, words, count)))
        return int(count[0])

    def save_graph(self, path: Path, *, level: Optional[int] = None, block: Optional[int] = None,
                   channel: Union[None, int, str] = None, seed: Optional[int] = None) -> None:
        """Writes the neighbourhoods as a graph: .graphml, or .npz with the names of PyTorch
        Geometric (x, pos, y, batch, ptr, edge_index, edge_attr, edge_type)."""
        words = option_string({"level": level, "block": block, "channel": channel, "seed": seed})
        trace, where = encode_path(self.path), encode_path(path)
        run(lambda: check(lib.glt_trace_graph(trace, where, words)))

    def correlation(self, *others: Trace) -> List[Correlation]:
        """How attention depends on distance, over this trace and others."""
        rows = ffi.new("struct glt_correlation[]", lib.GLT_CORRELATIONS)
        rows[0].size = ffi.sizeof("struct glt_correlation")
        for trace in (self, *others):
            check(lib.glt_trace_correlation(rows, encode_path(trace.path)))
        return [Correlation(row.level, row.block, text(row.head), row.centres, row.mean,
                            row.deviation, row.by_channel) for row in rows if row.centres]

    def sharpness(self, *others: Trace) -> List[Attention]:
        """How sharp the weights are, over this trace and others."""
        rows = ffi.new("struct glt_attention[]", lib.GLT_ATTENTION_ROWS)
        rows[0].size = ffi.sizeof("struct glt_attention")
        for trace in (self, *others):
            check(lib.glt_trace_attention(rows, encode_path(trace.path)))
        return [Attention(row.level, row.block, text(row.head), row.centres, row.entropy,
                          row.saturation) for row in rows if row.centres]

    def __repr__(self) -> str:
        return f"<gelatto.Trace: {self.path}, {len(self)} tensors>"


def temporary_trace(point: int) -> Trace:
    """A trace whose file is removed with the object."""
    folder = tempfile.TemporaryDirectory(prefix="gelatto-")
    trace = Trace(os.path.join(folder.name, "trace.safetensors"), point)
    weakref.finalize(trace, folder.cleanup)
    return trace
