"""One small cloud as arrays, for a single pass of the network."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._native import ffi, lib
from ._words import optional_text
from .bridges import as_array
from .errors import refuse


class Points:
    """A struct glt_points and the arrays it points to. Arrays that are packed and of the right type
    are not copied."""

    def __init__(self, xyz: Any, features: Any = None, labels: Any = None, *,
                 category: Optional[str] = None, placed: bool = False,
                 struct: Any = None) -> None:
        array = as_array(xyz)
        if array.ndim != 2 or array.shape[1] != 3:
            raise refuse(f"xyz: an array of shape (n, 3) is needed, not {array.shape}", "xyz")
        dtype = np.float32 if array.dtype == np.float32 else np.float64
        self.xyz = np.ascontiguousarray(array, dtype)
        self.n = len(self.xyz)
        self.features = None
        if features is not None:
            self.features = np.ascontiguousarray(as_array(features), np.float32)
            if self.features.ndim != 2 or len(self.features) != self.n:
                raise refuse(f"features: an array of shape ({self.n}, channels) is needed, not "
                             f"{self.features.shape}", "features")
        self.labels = None if labels is None else \
            np.atleast_1d(np.ascontiguousarray(as_array(labels), np.int32))
        self.category = optional_text(category, "category")
        self.pointer = ffi.new("struct glt_points *") if struct is None else struct
        self._fill(self.pointer, placed)

    def _fill(self, to: Any, placed: bool) -> None:
        to.size = ffi.sizeof("struct glt_points")
        to.n = self.n
        to.xyz = ffi.cast("void *", self.xyz.ctypes.data)
        to.type = lib.GLT_F32 if self.xyz.dtype == np.float32 else lib.GLT_F64
        if self.features is not None:
            to.channels = self.features.shape[1]
            to.features = ffi.cast("float *", self.features.ctypes.data)
        if self.labels is not None:
            to.labels = ffi.cast("int32_t *", self.labels.ctypes.data)
        to.category = self.category
        to.placed = int(placed)
