"""Columns of clouds as numpy arrays, and numpy arrays as columns, without a copy where memory allows.

A column that the library owns is shown through an Export. The array keeps the Export alive, the
Export keeps the C cloud alive, and the cloud knows which of its columns somebody still looks at."""
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
from numpy.typing import NDArray

from ._native import ffi, lib
from ._words import sized
from .errors import check, refuse

Array = NDArray[Any]

_DTYPES: Dict[int, np.dtype[Any]] = {
    lib.GLT_I8: np.dtype("i1"), lib.GLT_U8: np.dtype("u1"),
    lib.GLT_I16: np.dtype("i2"), lib.GLT_U16: np.dtype("u2"),
    lib.GLT_I32: np.dtype("i4"), lib.GLT_U32: np.dtype("u4"),
    lib.GLT_I64: np.dtype("i8"), lib.GLT_U64: np.dtype("u8"),
    lib.GLT_F32: np.dtype("f4"), lib.GLT_F64: np.dtype("f8"),
}
_TYPES = {dtype: number for number, dtype in _DTYPES.items()}
#: arrays (n, 3) that are three attributes
GROUPS = {"xyz": ("x", "y", "z"), "rgb": ("red", "green", "blue"), "normals": ("nx", "ny", "nz")}


class Handle:
    """A C cloud, with what it borrows: arrays by the name of their column, and other clouds."""

    __slots__ = ("pointer", "arrays", "parent", "__weakref__")

    def __init__(self, pointer: Any, parent: Optional[Handle] = None) -> None:
        self.pointer = ffi.gc(pointer, lib.glt_cloud_free)
        self.arrays: Dict[str, Array] = {}
        self.parent = parent

    def share(self) -> Handle:
        """Another C cloud over the same values; see glt_cloud_share."""
        out = ffi.new("struct glt_cloud **")
        check(lib.glt_cloud_share(out, self.pointer))
        shared = Handle(out[0], self)
        shared.arrays.update(self.arrays)
        return shared

    def borrow(self, name: bytes, values: Array) -> None:
        """Makes a column of an array, which stays where it is."""
        kept = _borrowable(values)
        check(lib.glt_cloud_borrow(self.pointer, name, _TYPES[kept.dtype],
                                   ffi.cast("void *", address(kept)), kept.strides[0]))
        self.arrays[name.decode("utf-8", "surrogateescape")] = kept


class Export:
    """Memory of a column, in numpy's array interface."""

    __slots__ = ("__array_interface__", "handle", "__weakref__")

    def __init__(self, handle: Handle, interface: Dict[str, Any]) -> None:
        self.__array_interface__ = interface
        self.handle = handle


def address(array: Array) -> int:
    """Where its first value is; faster than array.ctypes."""
    found: int = array.__array_interface__["data"][0]
    return found


def as_values(values: Any, name: str) -> Array:
    """One number per point, from anything that numpy takes; bool and float16 are converted."""
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype in _TYPES:
        return array
    if array.ndim != 1:
        raise refuse(f"{name}: one value per point is needed, not an array of shape {array.shape}",
                     name)
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    elif array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.dtype.newbyteorder("=") not in _TYPES:
        raise refuse(f"{name}: values of type {array.dtype} are not numbers that a cloud can hold",
                     name)
    return array


def _borrowable(array: Array) -> Array:
    """The array itself, if the library can read it in place; else a packed copy."""
    stride = array.strides[0]
    if array.dtype in _TYPES and array.flags.aligned and stride > 0 and stride % array.itemsize == 0:
        return array
    packed = np.empty(array.shape, array.dtype.newbyteorder("="))
    packed[:] = array
    return packed


def column_of(handle: Handle, name: bytes) -> Any:
    """Where the values of an attribute are: a struct glt_column."""
    column = sized("struct glt_column")
    check(lib.glt_cloud_column(handle.pointer, name, column))
    return column


def is_scaled(column: Any) -> bool:
    """Whether its values stand for other numbers."""
    return bool(column.scale != 1 or column.offset != 0)


def dtype_of(column: Any) -> np.dtype[Any]:
    """The type of its values."""
    return _DTYPES[column.type]


def export(handle: Handle, column: Any, n: int) -> Export:
    """Shows a column of n points; read-only, because others may look at it too."""
    dtype = dtype_of(column)
    one = column.width == 1
    return Export(handle, {
        "version": 3,
        "shape": (n,) if one else (n, column.width),
        "strides": (column.stride,) if one else (column.stride, dtype.itemsize),
        "typestr": dtype.str,
        "data": (int(ffi.cast("uintptr_t", column.data)), True),
    })


def read_only(array: Array) -> Array:
    """The same values under another array that does not change them."""
    view = array.view()
    view.flags.writeable = False
    return view


def converted(handle: Handle, name: bytes, n: int) -> Array:
    """A column of one value per point as double, with its scale and offset."""
    values = np.empty(n, np.float64)
    check(lib.glt_cloud_get(handle.pointer, name, lib.GLT_F64,
                            ffi.cast("void *", address(values)), 0))
    return values
