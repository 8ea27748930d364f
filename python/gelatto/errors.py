"""Exceptions: one class per error code of the library, with topic, name, file and place."""
from __future__ import annotations

import enum
import errno
from typing import Any, Dict, Optional, Tuple, Type

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

    code = Code.NOMEM


class FileError(Error, OSError):
    """A file could not be read or written."""

    code = Code.IO


class FileMissingError(FileError, FileNotFoundError):
    """A file, a folder or an installed model does not exist."""


class FilePermissionError(FileError, PermissionError):
    """A file or folder may not be read or written."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""

    code = Code.FORMAT


class UnsupportedError(Error):
    """Valid, but not supported."""

    code = Code.UNSUPPORTED


class ArgumentError(Error, ValueError):
    """An argument or option is out of its range."""

    code = Code.ARGUMENT


class ModelError(Error, ValueError):
    """A model does not fit."""

    code = Code.MODEL


class DataError(Error, ValueError):
    """A cloud or dataset does not fit."""

    code = Code.DATA


class AttributeMissingError(DataError, KeyError):
    """A cloud has no attribute of that name."""


class LimitError(Error):
    """A limit would be exceeded."""

    code = Code.LIMIT


class ExistsError(Error, FileExistsError):
    """Something already exists."""

    code = Code.EXISTS


class NumericError(Error, ArithmeticError):
    """A number is not finite."""

    code = Code.NUMERIC


class InterruptedError(Error):  # the builtin of this name is for system calls
    """The work was stopped: by Context.cancel, or by a callback."""

    code = Code.INTERRUPTED


_CLASSES: Dict[Code, Type[Error]] = {
    kind.code: kind
    for kind in (OutOfMemoryError, FileError, FormatError, UnsupportedError, ArgumentError,
                 ModelError, DataError, LimitError, ExistsError, NumericError, InterruptedError)
}
#: classes for some topics of a code
_BY_TOPIC: Dict[Tuple[Code, str], Type[Error]] = {
    (Code.IO, "not_found"): FileMissingError,
    (Code.IO, "permission"): FilePermissionError,
    (Code.DATA, "attribute"): AttributeMissingError,
}
_ERRNO = {"not_found": errno.ENOENT, "permission": errno.EACCES, "exists": errno.EEXIST}

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
    topic = topic_name(lib.glt_error_topic())
    error = _BY_TOPIC.get((code, topic), _CLASSES[code])(text(lib.glt_error_message()))
    error.topic = topic
    error.name = text(lib.glt_error_name())
    error.file = text(lib.glt_error_file())
    if isinstance(error, OSError):
        error.errno, error.filename = _ERRNO.get(topic), error.file or None
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


def damaged(message: str, file: str) -> FormatError:
    """The error for a file that the Python package cannot read."""
    error = FormatError(f"{file}: {message}")
    error.topic = "format"
    error.file = file
    return error


def topic_text(topic: str) -> Optional[str]:
    """The short text of a topic; None if there is no such topic."""
    for value, name in _TOPICS.items():
        if name == topic:
            return text(lib.glt_topic_text(value))
    return None
