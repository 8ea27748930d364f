"""Columns of clouds as numpy arrays, and numpy arrays as columns, without a copy where possible.

A column that the library owns is shown as an array over its memory. The array keeps a window alive,
the window keeps the C cloud alive, and the cloud knows which of its columns are still in use.

A call must be cheap compared with a pass over few points. After a pass the caches hold nothing of
this package, so the cost of this code is the memory it touches."""
from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

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
    """A C cloud, and the arrays whose values it borrows. Clouds of the library share other values
    among themselves."""

    __slots__ = ("pointer", "owners", "left", "__weakref__")

    def __init__(self, pointer: Any) -> None:
        self.pointer = ffi.gc(pointer, lib.glt_cloud_free)
        #: by the address of the values: calls of the library may rename a column
        self.owners: Dict[int, Array] = {}
        #: whether work that was left may still use it: it must not change any more
        self.left = False

    def share(self) -> Handle:
        """Another C cloud over the same values; see glt_cloud_share."""
        out = ffi.new("struct glt_cloud **")
        check(lib.glt_cloud_share(out, self.pointer))
        shared = Handle(out[0])
        shared.owners = {at: self.owners[at] for at in self._addresses() if at in self.owners}
        return shared

    def borrow(self, name: bytes, values: Array) -> None:
        """Makes a column of an array without copying it."""
        kept = _borrowable(values)
        check(lib.glt_cloud_borrow(self.pointer, name, _TYPES[kept.dtype],
                                   ffi.cast("void *", address(kept)), kept.strides[0]))
        self.owners[address(kept)] = kept
        self._forget()

    def remove(self, name: bytes) -> None:
        """Removes a column."""
        check(lib.glt_cloud_remove(self.pointer, name))
        self._forget()

    def _forget(self) -> None:
        """Lets go of the owners of values that no column has any more."""
        self.owners = {at: self.owners[at] for at in self._addresses() if at in self.owners}

    def _addresses(self) -> Iterator[int]:
        """Where the values of its columns are, except those of lists, which are never shared."""
        name, kind = ffi.new("const char **"), ffi.new("enum glt_type *")
        width, i = ffi.new("int *"), 0
        while lib.glt_cloud_attribute(self.pointer, i, name, kind, width) == 0:
            if width[0]:
                yield place(column_of(self, name[0]))
            i += 1


def address(array: Array) -> int:
    """The address of its first value; faster than array.ctypes."""
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


def split(matrix: Any, group: str) -> Dict[str, Array]:
    """The three attributes of an array (n, 3)."""
    array = np.asarray(matrix)
    if array.ndim != 2 or array.shape[1] != 3:
        raise refuse(f"{group}: an array of shape (n, 3) is needed, not {array.shape}", group)
    return {name: as_values(array[:, i], group) for i, name in enumerate(GROUPS[group])}


def _borrowable(array: Array) -> Array:
    """The array itself, if the library can read it in place; else a packed copy."""
    stride = array.strides[0]
    if array.dtype in _TYPES and array.flags.aligned and stride > 0 and stride % array.itemsize == 0:
        return array
    packed = np.empty(array.shape, array.dtype.newbyteorder("="))
    packed[:] = array
    return packed


def column_of(handle: Handle, name: Any) -> Any:
    """Where the values of an attribute are: a struct glt_column."""
    column = sized("struct glt_column")
    check(lib.glt_cloud_column(handle.pointer, name, column))
    return column


def place(column: Any) -> int:
    """The address of its first value."""
    return int(ffi.cast("uintptr_t", column.data))


def is_scaled(column: Any) -> bool:
    """Whether its values have a scale or an offset."""
    return bool(column.scale != 1 or column.offset != 0)


def dtype_of(column: Any) -> np.dtype[Any]:
    """The type of its values."""
    return _DTYPES[column.type]


def window(handle: Handle, column: Any) -> Any:
    """A pointer to the values of a column that keeps its C cloud alive."""
    return ffi.gc(ffi.cast("char *", column.data), lambda _: handle)


def shown(window: Any, column: Any, n: int) -> Array:
    """The n values, or rows of values, of a window; read-only, because they may be shared."""
    dtype, width, stride = _DTYPES[column.type], column.width, column.stride
    if n == 0:
        return np.empty((0,) if width == 1 else (0, width), dtype)
    size = (n - 1) * stride + width * dtype.itemsize
    memory = memoryview(ffi.buffer(window, size)).toreadonly()
    if width == 1:
        return np.ndarray((n,), dtype, memory, 0, (stride,))
    return np.ndarray((n, width), dtype, memory, 0, (stride, dtype.itemsize))


def given(handle: Handle, column: Any) -> Optional[Array]:
    """The array that a column was made of, read-only; None if it was made of none."""
    owner = handle.owners.get(place(column))
    if owner is None or owner.dtype != dtype_of(column) or owner.strides[0] != column.stride:
        return None
    view = owner.view()
    view.flags.writeable = False
    return view


def converted(handle: Handle, name: bytes, n: int) -> Array:
    """A column of one value per point as double, with its scale and offset."""
    values = np.empty(n, np.float64)
    check(lib.glt_cloud_get(handle.pointer, name, lib.GLT_F64,
                            ffi.cast("void *", address(values)), 0))
    return values
