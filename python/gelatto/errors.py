"""Exceptions: one class per error code of the library, with topic, name, file and place."""
from __future__ import annotations

import enum
from typing import Any, Dict, Optional, Type

from ._native import ffi, lib


class Code(enum.IntEnum):
    """Error codes; the same values as in C."""

    NOMEM = -1
    IO = -2
    FORMAT = -3
    UNSUPPORTED = -4
    ARGUMENT = -5
    MODEL = -6
    DATA = -7
    LIMIT = -8
    EXISTS = -9
    NUMERIC = -10
    INTERRUPTED = -11


class Error(Exception):
    """A call of the library failed.

    >>> import gelatto
    >>> try:
    ...     gelatto.read("no-such-file.ply")
    ... except gelatto.Error as error:
    ...     print(error.code.name, error.topic, error.file)
    IO not_found no-such-file.ply
    """

    #: the code of the library
    code: Code = Code.ARGUMENT
    #: what it is about, in more detail than the code: ``"not_found"``, ``"attribute"``, ``""``, ...
    topic: str = ""
    #: the option, argument, attribute or class it is about; ``""`` if there is none
    name: str = ""
    #: the file or folder it is about; ``""`` if there is none
    file: str = ""
    #: where it is, by kind: ``{"line": 7}``; kinds are line, byte, chunk, page, rank and point
    place: Dict[str, int]
    #: the message, for people
    message: str

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.place = {}

    def __str__(self) -> str:
        return self.message


class OutOfMemoryError(Error, MemoryError):
    """Not enough memory, or over its limit."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""


class UnsupportedError(Error):
    """Valid, but not supported."""


class ArgumentError(Error, ValueError):
    """An argument or option is out of its range."""


class ModelError(Error, ValueError):
    """A model does not fit."""


class DataError(Error, ValueError):
    """A cloud or dataset does not fit."""


class AttributeMissingError(DataError, KeyError):
    """A cloud has no attribute of that name."""


class LimitError(Error):
    """A limit would be exceeded."""


class ExistsError(Error, FileExistsError):
    """Something already exists."""


class NumericError(Error, ArithmeticError):
    """A number is not finite."""


class InterruptedError(Error):  # the builtin of this name is for system calls
    """The work was stopped: by Context.cancel, or by a callback."""


_CLASSES: Dict[Code, Type[Error]] = {
    Code.NOMEM: OutOfMemoryError,
    Code.IO: FileError,
    Code.FORMAT: FormatError,
    Code.UNSUPPORTED: UnsupportedError,
    Code.ARGUMENT: ArgumentError,
    Code.MODEL: ModelError,
    Code.DATA: DataError,
    Code.LIMIT: LimitError,
    Code.EXISTS: ExistsError,
    Code.NUMERIC: NumericError,
    Code.INTERRUPTED: InterruptedError,
}

_PLACES = {
    name[len("GLT_PLACE_"):].lower(): getattr(lib, name)
    for name in dir(lib)
    if name.startswith("GLT_PLACE_")
}
_TOPICS = {
    getattr(lib, name): name[len("GLT_TOPIC_"):].lower()
    for name in dir(lib)
    if name.startswith("GLT_TOPIC_")
}
_TOPICS[lib.GLT_TOPIC_NONE] = ""


def text(pointer: Any) -> str:
    """The string at a pointer; bytes that are not UTF-8 are kept, as in os.fsdecode."""
    found: bytes = ffi.string(pointer)
    return found.decode("utf-8", "surrogateescape")


def topic_name(topic: int) -> str:
    """The name of a topic of the library; "" for none."""
    return _TOPICS.get(topic, str(topic))


def last_error() -> Error:
    """The exception for the last failure of this thread."""
    code = Code(lib.glt_error_code())
    topic = lib.glt_error_topic()
    kind = _CLASSES[code]
    if kind is DataError and topic == lib.GLT_TOPIC_ATTRIBUTE:
        kind = AttributeMissingError
    error = kind(text(lib.glt_error_message()))
    error.code = code
    error.topic = topic_name(topic)
    error.name = text(lib.glt_error_name())
    error.file = text(lib.glt_error_file())
    for name, place in _PLACES.items():
        at = lib.glt_error_place(place)
        if at >= 0:
            error.place[name] = at
    return error


def check(code: int) -> int:
    """Raises the error of a call that failed; otherwise returns its result."""
    if code < 0:
        raise last_error()
    return code


def refuse(message: str, name: str = "") -> ArgumentError:
    """The error for an argument that the Python package refuses."""
    error = ArgumentError(message)
    error.topic = "argument"
    error.name = name
    return error


def topic_text(topic: str) -> Optional[str]:
    """The short text of a topic; None if there is no such topic."""
    for value, name in _TOPICS.items():
        if name == topic:
            return text(lib.glt_topic_text(value))
    return None
