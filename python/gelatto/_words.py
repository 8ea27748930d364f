"""From Python values to strings of the library: paths and option strings."""
from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from ._native import ffi
from .errors import refuse

Path = Union[str, "os.PathLike[str]"]


def encode(value: str, name: str) -> bytes:
    """Text for C, which ends at a NUL."""
    found = value.encode("utf-8", "surrogateescape")
    if b"\0" in found:
        raise refuse(f"{name} has a NUL character in it", name)
    return found


def encode_path(path: Path, name: str = "path") -> bytes:
    """A path for C."""
    return encode(os.fsdecode(path), name)


def optional_path(path: Optional[Path], name: str = "path") -> Any:
    """A char array that holds a path, or NULL; keep it as long as C uses it."""
    return ffi.NULL if path is None else ffi.new("char[]", encode_path(path, name))


def optional_text(value: Optional[str], name: str) -> Any:
    """A char array that holds a text, or NULL; keep it as long as C uses it."""
    return ffi.NULL if value is None else ffi.new("char[]", encode(value, name))


def value_text(value: Any) -> str:
    """An option's value as text: sequences become lists with commas, True and False on and off.

    >>> value_text([32, 32, 16]), value_text(True), value_text(0.5), value_text("tiny")
    ('32,32,16', 'on', '0.5', 'tiny')
    """
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(value_text(item) for item in value)
    if isinstance(value, dict):
        return ",".join(f"{value_text(old)}:{value_text(new)}" for old, new in value.items())
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def option_string(options: Dict[str, Any]) -> bytes:
    """Keyword arguments as the option string of a call; None and False are left out.

    >>> option_string({"crop": (0, 0, 0, 1, 1, 1), "labels": True, "up": None})
    b'crop=0,0,0,1,1,1 labels'
    >>> option_string({"rename": {"a b": "label"}}) == rb"rename=a\\ b:label"
    True
    """
    words = []
    for key, value in options.items():
        if isinstance(value, np.bool_):
            value = bool(value)
        if value is None or value is False:
            continue
        word = key if value is True else f"{key}={value_text(value)}"
        words.append(re.sub(r"([ \t\n\\])", r"\\\1", word))
    return encode(" ".join(words), "options")


@lru_cache(None)
def _layout(name: str) -> Tuple[Any, int]:
    return ffi.typeof(f"{name} *"), ffi.sizeof(name)


def sized(name: str) -> Any:
    """A zeroed C struct with its field size set, as the library requires."""
    pointer, size = _layout(name)
    struct = ffi.new(pointer)
    struct.size = size
    return struct
