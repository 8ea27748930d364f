"""Points of other libraries: their columns, recognised by duck typing, without importing them."""
from __future__ import annotations

from typing import Any, Dict, cast

import numpy as np

from ._columns import GROUPS, Array, as_values, split
from .errors import refuse

_CANONICAL = {"x", "y", "z", "red", "green", "blue", "nx", "ny", "nz", "intensity", "label",
              "instance", "confidence", "classification"}
#: of laspy, in the order of the bits of class_flags
_LAS_FLAGS = ("synthetic", "key_point", "withheld", "overlap")
_LAS_NAMES = {"scan_angle_rank": "scan_angle", "scan_direction_flag": "scan_direction"}
_LAS_ANGLE = 0.006  # degrees, the unit of laspy's scan_angle
_OTHER_NAMES = {"normalx": "nx", "normaly": "ny", "normalz": "nz", "normal_x": "nx",
                "normal_y": "ny", "normal_z": "nz"}


def canonical(name: str) -> str:
    """The library's name of an attribute that others, such as PDAL, may spell differently.

    >>> canonical("X"), canonical("NormalX"), canonical("GpsTime")
    ('x', 'nx', 'GpsTime')
    """
    lower = name.lower()
    lower = _OTHER_NAMES.get(lower, lower)
    return lower if lower in _CANONICAL else name


def as_array(values: Any) -> Array:
    """An array over the same memory, of anything with DLPack (torch), numpy() or numpy's protocols."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "detach"):  # a tensor of torch, which may have a gradient
        values = values.detach()
    if hasattr(values, "__dlpack__") and hasattr(np, "from_dlpack"):
        return cast(Array, np.from_dlpack(values))
    return np.asarray(values.numpy() if hasattr(values, "numpy") else values)


def columns_from(points: Any) -> Dict[str, Array]:
    """The columns of any object with points, by their names in the library."""
    if isinstance(points, np.ndarray) and points.dtype.names is None:
        return split(points, "xyz")
    if hasattr(points, "point_format") and hasattr(points, "header"):
        return _from_laspy(points)
    if hasattr(points, "point") and hasattr(points.point, "positions"):
        return _from_open3d_tensor(points.point)
    if hasattr(points, "points") and hasattr(points, "colors"):
        return _from_open3d(points)
    names = points.dtype.names if isinstance(points, np.ndarray) else None
    if names:
        return {canonical(name): as_values(points[name], name) for name in names}
    if hasattr(points, "keys"):
        return _from_mapping(points)
    matrix = as_array(points)
    if matrix.ndim != 2 or matrix.shape[1] != 3:
        raise refuse(f"points: an array of shape (n, 3) is needed, not {matrix.shape}", "points")
    return split(matrix, "xyz")


def _from_mapping(points: Any) -> Dict[str, Array]:
    """A dictionary of arrays, or a table of pandas."""
    columns: Dict[str, Array] = {}
    for name in points.keys():
        values = as_array(points[name])
        if values.ndim == 2:
            if name not in GROUPS:
                raise refuse(f"{name}: an array (n, 3) must be one of {', '.join(GROUPS)}", name)
            columns.update(split(values, name))
        else:
            columns[canonical(name)] = as_values(values, name)
    return columns


def _from_laspy(las: Any) -> Dict[str, Array]:
    """A LasData of laspy: scaled coordinates as double, other dimensions in place, flags and angles
    as in files of LAS."""
    columns: Dict[str, Array] = {name: np.asarray(getattr(las, name), np.float64)
                                for name in ("x", "y", "z")}
    flags = np.zeros(len(las.points), np.uint8)
    for name in las.point_format.dimension_names:
        values = np.asarray(las[name])
        if name in _LAS_FLAGS:
            flags |= values.astype(np.uint8) << _LAS_FLAGS.index(name)
        elif name == "scan_angle":
            columns[name] = values * _LAS_ANGLE
        elif name not in ("X", "Y", "Z") and values.ndim == 1:
            columns[canonical(_LAS_NAMES.get(name, name))] = as_values(values, name)
    columns["class_flags"] = flags
    return columns


def _from_open3d(cloud: Any) -> Dict[str, Array]:
    """A PointCloud of Open3D, whose vectors numpy sees without a copy."""
    columns = split(np.asarray(cloud.points), "xyz")
    for name, group in (("colors", "rgb"), ("normals", "normals")):
        values = np.asarray(getattr(cloud, name))
        if len(values):
            columns.update(split(values, group))
    return columns


def _from_open3d_tensor(point: Any) -> Dict[str, Array]:
    """The attributes of a tensor PointCloud of Open3D."""
    columns = split(as_array(point.positions), "xyz")
    for name, group in (("colors", "rgb"), ("normals", "normals")):
        if name in point:
            columns.update(split(as_array(getattr(point, name)), group))
    return columns
