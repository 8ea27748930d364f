"""Clouds: the points of a file, or arrays of the caller, with named attributes."""
from __future__ import annotations

import json
import os
import weakref
from typing import (Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union,
                    overload)

import numpy as np

from ._columns import (GROUPS, Array, Handle, as_values, column_of, converted, dtype_of, given,
                       is_scaled, place, shown, split, window)
from ._native import ffi, lib
from ._words import Path, encode, encode_path, option_string, optional_text
from .bridges import as_array, columns_from
from .context import run
from .errors import check, refuse, text


class Cloud:
    """Points and their attributes.

    A cloud is a mapping from names to arrays. x, y and z are attributes like the others. Arrays go
    in and come out without a copy; those that come out are read-only.

    >>> import gelatto, numpy as np
    >>> cloud = gelatto.Cloud(np.zeros((4, 3)), intensity=np.arange(4))
    >>> cloud
    <gelatto.Cloud: 4 points, x y z intensity>
    >>> cloud["intensity"]
    array([0, 1, 2, 3])
    >>> cloud["label"] = [0, 0, 1, 1]
    >>> cloud.classes = {0: "floor", 1: "wall"}
    >>> len(cloud[cloud["label"] == 1])
    2

    points may be an array (n, 3), a mapping or structured array of columns, or an object of laspy
    or Open3D. rgb and normals are arrays (n, 3); any other keyword is an attribute of n values.
    Arrays must not change while the cloud uses them."""

    def __init__(self, points: Any, *, rgb: Any = None, normals: Any = None,
                 **attributes: Any) -> None:
        columns = {} if isinstance(points, Cloud) else columns_from(points)
        if rgb is not None:
            columns.update(split(rgb, "rgb"))
        if normals is not None:
            columns.update(split(normals, "normals"))
        for name, values in attributes.items():
            columns[name] = as_values(values, name)
        if isinstance(points, Cloud):
            self._adopt(points._handle.share())
        else:
            out = ffi.new("struct glt_cloud **")
            check(lib.glt_cloud_create(out, len(next(iter(columns.values()))) if columns else 0))
            self._adopt(Handle(out[0]))
        for name, values in columns.items():
            self._set(name, values)

    def _adopt(self, handle: Handle) -> None:
        self._handle = handle
        #: windows that arrays may still use, by the name of their column
        self._windows: Dict[str, weakref.ref[Any]] = {}
        self._n: int = lib.glt_cloud_count(handle.pointer)

    @classmethod
    def _own(cls, handle: Handle) -> Cloud:
        cloud = cls.__new__(cls)
        cloud._adopt(handle)
        return cloud

    def copy(self) -> Cloud:
        """Another cloud over the same values: what is set in one is not seen in the other."""
        return Cloud._own(self._handle.share())

    __copy__ = copy

    def __deepcopy__(self, memo: Dict[int, Any]) -> Cloud:
        return self.copy()  # nobody can change the values

    def __reduce__(self) -> Any:
        raise TypeError("a Cloud cannot be pickled, because no format of a file keeps all of it: "
                        "save it, or pickle the bytes of to_bytes")

    # --- a mapping from names to arrays ---

    def __len__(self) -> int:
        return self._n

    @property
    def names(self) -> List[str]:
        """The names of all attributes, in the order of the file."""
        found: List[str] = []
        name, kind = ffi.new("const char **"), ffi.new("enum glt_type *")
        width = ffi.new("int *")
        while lib.glt_cloud_attribute(self._handle.pointer, len(found), name, kind, width) == 0:
            found.append(text(name[0]))
        return found

    def keys(self) -> List[str]:
        """The same as names."""
        return self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @overload
    def __getitem__(self, key: str) -> Array: ...

    @overload
    def __getitem__(self, key: Union[slice, Array, Sequence[int]]) -> Cloud: ...

    def __getitem__(self, key: Any) -> Any:
        """An attribute by its name (read-only, scaled ones converted), or a cloud of some rows: a
        slice, row numbers or a mask."""
        if not isinstance(key, str):
            return self._rows(key)
        name = encode(key, "name")
        column = column_of(self._handle, name)
        if column.width == 1 and is_scaled(column):
            return converted(self._handle, name, self._n)
        return self._show(key, column)

    def raw(self, key: str) -> Array:
        """An attribute as it is stored: scaled coordinates of LAS as integers. A list of values per
        point comes as one array per point."""
        return self._show(key, column_of(self._handle, encode(key, "name")))

    def _show(self, key: str, column: Any) -> Array:
        array = given(self._handle, column)
        if array is not None:
            return array
        if column.width == 0:
            return self._list(column)
        open_window = self._window(key)
        if open_window is None:
            open_window = window(self._handle, column)
            self._windows[key] = weakref.ref(open_window)
        return shown(open_window, column, self._n)

    def _window(self, key: str) -> Any:
        """The window of a column that is still in use, or None."""
        found = self._windows.get(key)
        return found() if found else None

    def _list(self, column: Any) -> Array:
        """Lists are rare and their memory is not shared: one array of arrays."""
        start = np.frombuffer(ffi.buffer(column.start, 8 * (self._n + 1)), np.int64)
        dtype = dtype_of(column)
        values = np.frombuffer(ffi.buffer(column.data, int(start[-1]) * dtype.itemsize), dtype).copy()
        lists = np.empty(self._n, object)
        for i in range(self._n):
            lists[i] = values[start[i]:start[i + 1]]
        return lists

    def __setitem__(self, key: str, values: Any) -> None:
        """Sets an attribute; the array is not copied. Several are set by the names xyz, rgb and
        normals with an array (n, 3)."""
        if key in GROUPS:
            for name, part in split(values, key).items():
                self[name] = part
            return
        self._set(key, as_values(values, key))

    def _set(self, key: str, values: Array) -> None:
        if len(values) != self._n:
            raise refuse(f"{key}: {len(values)} values for a cloud of {self._n} points", key)
        self._leave_shared(key)
        self._handle.borrow(encode(key, "name"), values)

    def __delitem__(self, key: str) -> None:
        self._leave_shared(key)
        self._handle.remove(encode(key, "name"))

    def _leave_shared(self, key: str = "") -> None:
        """Called before a change, of a column or of the classes: if others use the C cloud or the
        column, it stays as it is, and this cloud continues with another one over its values."""
        if self._handle.left or self._window(key) is not None:
            self._adopt(self._handle.share())

    def _rows(self, key: Any) -> Cloud:
        rows = np.atleast_1d(np.arange(self._n, dtype=np.int64)[key])
        if key is None or rows.ndim > 1:
            raise refuse("rows: a slice, row numbers or a mask is needed, in one dimension", "rows")
        rows = np.ascontiguousarray(rows)
        out = ffi.new("struct glt_cloud **")
        check(lib.glt_cloud_select(out, self._handle.pointer,
                                   ffi.cast("int64_t *", rows.ctypes.data), len(rows)))
        return Cloud._own(Handle(out[0]))

    # --- groups of attributes ---

    @property
    def xyz(self) -> Array:
        """The coordinates, (n, 3): without a copy if they are stored that way, else as double."""
        return self._matrix("xyz")

    @property
    def rgb(self) -> Array:
        """The colours as stored, (n, 3)."""
        return self._matrix("rgb")

    @property
    def normals(self) -> Array:
        """The normals, (n, 3)."""
        return self._matrix("normals")

    def _matrix(self, group: str) -> Array:
        columns = [column_of(self._handle, name.encode()) for name in GROUPS[group]]
        first = columns[0]
        address = [place(column) for column in columns]
        parts = [self[name] for name in GROUPS[group]]
        step = parts[0].itemsize
        together = all(column.type == first.type and column.stride == first.stride
                       and column.width == 1 and not is_scaled(column) for column in columns)
        if self._n and together and address == [address[0] + i * step for i in range(3)]:
            return np.lib.stride_tricks.as_strided(
                parts[0], (self._n, 3), (first.stride, step), writeable=False)
        return np.stack(parts, axis=1)

    @property
    def classes(self) -> Dict[int, str]:
        """Names of the classes by label, as files keep them; may be set."""
        found: Dict[int, str] = {}
        number, name = ffi.new("int32_t *"), ffi.new("const char **")
        i = 0
        while lib.glt_cloud_class(self._handle.pointer, i, number, name) == 0:
            found[number[0]] = text(name[0])
            i += 1
        return found

    @classes.setter
    def classes(self, names: Mapping[int, str]) -> None:
        self._leave_shared()
        for number in self.classes:
            check(lib.glt_cloud_set_class(self._handle.pointer, number, ffi.NULL))
        for number, name in names.items():
            check(lib.glt_cloud_set_class(self._handle.pointer, number, encode(name, "name")))

    # --- what the program does with clouds ---

    def edit(self, *, crop: Optional[Sequence[float]] = None, subsample: Optional[int] = None,
             seed: Optional[int] = None, up: Optional[str] = None,
             scale: Union[float, Sequence[float], None] = None,
             shift: Optional[Sequence[float]] = None,
             rename: Optional[Mapping[str, str]] = None,
             map: Optional[Mapping[int, int]] = None) -> Cloud:
        """A changed copy, in this order: crop (x, y, z, X, Y, Z), subsample to N points, up
        ("x" or "y": the axis that becomes z), scale, shift, rename
        (attributes: {old: new}), map (labels: {old: new}).

        >>> import gelatto, numpy as np
        >>> gelatto.Cloud(np.eye(3)).edit(scale=2, shift=(1, 0, 0))["x"]
        array([3., 1., 1.])
        """
        options = option_string({"crop": crop, "subsample": subsample, "seed": seed, "up": up,
                                 "scale": scale, "shift": shift,
                                 "rename": dict(rename) if rename is not None else None,
                                 "map": dict(map) if map is not None else None})
        out = ffi.new("struct glt_cloud **")
        self._read(lambda c: check(lib.glt_cloud_edit(out, c, options)), leave=True)
        return Cloud._own(Handle(out[0]))

    def _read(self, work: Callable[..., object], *others: Cloud, leave: bool = False,
              keep: Tuple[Any, ...] = ()) -> None:
        """Does work with the C clouds of this cloud and others. If it is left, it may still read
        them: they must not change any more."""
        handles = [cloud._handle for cloud in (self, *others)]
        try:
            run(lambda: work(*(handle.pointer for handle in handles)), leave=leave, keep=keep)
        except BaseException:
            for handle in handles:
                handle.left = True
            raise

    def save(self, path: Path, *, format: Optional[str] = None, encoding: Optional[str] = None,
             labels: bool = False) -> None:
        """Writes a file in the format of its extension. encoding: ascii, binary, big or compressed.
        labels: refuse a format that cannot store them."""
        options = option_string({"format": format, "encoding": encoding, "labels": labels})
        where = encode_path(path)
        self._read(lambda c: check(lib.glt_cloud_write(c, where, options)))

    def to_bytes(self, format: str, *, encoding: Optional[str] = None) -> bytes:
        """The bytes of a file of that format: "ply", "las", ..."""
        options = option_string({"format": format, "encoding": encoding})
        data, size = ffi.new("void **"), ffi.new("size_t *")
        self._read(lambda c: check(lib.glt_cloud_write_buffer(data, size, c, options)), leave=True)
        return bytes(ffi.buffer(ffi.gc(data[0], lib.glt_free), size[0]))

    def info(self) -> Dict[str, Any]:
        """Points, attributes with their ranges, bounding box, spacing, labels: as a dictionary."""
        out = ffi.new("char **")
        self._read(lambda c: check(lib.glt_cloud_info(out, c, 1)), leave=True)
        found: Dict[str, Any] = json.loads(text(ffi.gc(out[0], lib.glt_free)))
        return found

    @property
    def provenance(self) -> Dict[str, Any]:
        """Which model labelled the cloud, and how: version, commit, model, digest, protocol, options
        and the list warnings. Empty if no model did."""
        out = ffi.new("char **")
        check(lib.glt_cloud_provenance(out, self._handle.pointer))
        found: Dict[str, Any] = {}
        for line in text(ffi.gc(out[0], lib.glt_free)).splitlines():
            key, _, value = line.partition(" ")
            if key == "warning":
                found.setdefault("warnings", []).append(value)
            else:
                found[key] = value
        if found:
            found.setdefault("warnings", [])
        return found

    def render(self, path: Path, *, truth: Optional[Cloud] = None,
               colours: Union[str, Sequence[str], None] = None, **options: Any) -> None:
        """Draws a PNG image. colours: one or several of "rgb", "label", "truth", "error",
        "confidence", "height" or attributes, as panels side by side. truth: a cloud of the same
        points whose labels are the ground truth. Options: width, height, azimuth, elevation, fov,
        orthographic, map_view, zoom, up, cut, radius, shading, no_legend, dark, turntable, label."""
        words = option_string({"colours": colours, **options})
        where = encode_path(path)
        others = () if truth is None else (truth,)
        self._read(lambda c, other=ffi.NULL: check(lib.glt_cloud_render(c, other, where, words)),
                   *others)

    def report(self, path: Path, title: str = "") -> None:
        """Writes one HTML file about a labelled cloud."""
        where = encode_path(path)
        name = encode(title or str(path), "title")
        self._read(lambda c: check(lib.glt_cloud_report(c, where, name)))

    def view(self, path: Path, *others: Cloud, points: int = 0,
             attributes: Optional[Sequence[str]] = None, classes: Optional[Sequence[str]] = None,
             title: Optional[str] = None, explain: Any = None, rows: Sequence[int] = (),
             tiles: Sequence[Any] = ()) -> None:
        """Writes one HTML file that shows this cloud, and others beside it, in a browser, where
        labels can be corrected. points: maximum shown. attributes: to colour by. classes: further
        ones to choose from. explain: a Model whose attention can be explored, around the middle of
        the cloud or around these rows. tiles: as ranked by Model.next; the page opens at the first
        of them."""
        texts = {"attributes": optional_text(",".join(attributes) if attributes else None,
                                             "attributes"),
                 "classes": optional_text(",".join(classes) if classes else None, "classes"),
                 "title": optional_text(title, "title")}
        options = ffi.new("struct glt_view_options *", {
            "size": ffi.sizeof("struct glt_view_options"), "points": points, **texts})
        passes, wanted = ffi.new("int64_t[]", list(rows)), ffi.new("struct glt_tile[]", [
            {"size": ffi.sizeof("struct glt_tile"), **vars(tile)} for tile in tiles])
        if explain is not None:
            options.model, options.rows, options.n_rows = explain._pointer, passes, len(rows)
        options.tiles, options.n_tiles = wanted, len(tiles)
        where = encode_path(path)
        self._read(lambda *clouds: check(lib.glt_view(clouds, len(clouds), where, options)),
                   *others, keep=(texts, passes, wanted, explain))

    def patched(self, path: Path, *, reviewed: bool = True) -> Cloud:
        """A copy with the corrections of a patch file, which the page of view saves. reviewed:
        set the attribute of this name to 1 where the patch says something."""
        cloud, where = self.copy(), encode_path(path)
        words = b"" if reviewed else b"reviewed=false"
        check(lib.glt_patch(cloud._handle.pointer, where, words, ffi.NULL))
        return cloud

    def __repr__(self) -> str:
        names = self.names
        shown = " ".join(names[:12]) + (" .." if len(names) > 12 else "")
        return f"<gelatto.Cloud: {self._n} point{'' if self._n == 1 else 's'}, {shown or 'empty'}>"


def as_cloud(points: Any, rgb: Any = None, normals: Any = None,
             attributes: Optional[Dict[str, Any]] = None) -> Cloud:
    """A cloud that may be changed: from a file, arrays, or the values of another cloud."""
    if isinstance(points, (str, os.PathLike)):
        cloud = read(points)
    elif isinstance(points, Cloud):
        cloud = points.copy()
    else:
        cloud = Cloud(points)
    given = {"rgb": rgb, "normals": normals, **(attributes or {})}
    for name, values in given.items():
        if values is not None:
            cloud[name] = as_array(values)
    return cloud


def read(path: Union[Path, bytes], *, format: Optional[str] = None,
         columns: Union[str, Sequence[str], None] = None, vertices: bool = False,
         sample: Optional[int] = None, seed: Optional[int] = None,
         box: Optional[Sequence[float]] = None, salvage: bool = False,
         label_attribute: Optional[str] = None) -> Cloud:
    """Reads a cloud from a file, or from the bytes of one.

    columns: names of the columns of a text file; "-" skips one. box: (x, y, X, Y), keep the points in
    this rectangle. salvage: the intact part of a damaged LAZ file. Meshes: vertices, or sample N
    points of their surface. label_attribute: the one that holds the labels, if it is not label.

    >>> import gelatto
    >>> gelatto.read(b"0 0 0 7\\n1 0 0 9\\n", format="text", columns="x,y,z,label")["label"]
    array([7, 9], dtype=uint8)
    """
    options = option_string({"format": format, "columns": columns, "vertices": vertices,
                             "sample": sample, "seed": seed, "box": box, "salvage": salvage,
                             "label_attribute": label_attribute})
    out = ffi.new("struct glt_cloud **")
    if isinstance(path, (bytes, bytearray, memoryview)):
        data = ffi.from_buffer(path)
        run(lambda: check(lib.glt_cloud_read_buffer(out, data, len(data), options)), leave=True)
    else:
        where = encode_path(path)
        run(lambda: check(lib.glt_cloud_read(out, where, options)), leave=True)
    return Cloud._own(Handle(out[0]))


def write(cloud: Any, path: Path, **options: Any) -> None:
    """Writes a cloud, or anything that Cloud takes, to a file: see Cloud.save."""
    (cloud if isinstance(cloud, Cloud) else Cloud(cloud)).save(path, **options)
