"""Checks of datasets and of this machine, and synthetic data."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Union

from ._native import ffi, lib
from ._words import Path, encode_path, option_string
from .context import run
from .errors import DataError, UnsupportedError, check as succeed, text
from .options import Config, config_of


@dataclass(frozen=True)
class Finding:
    """One thing that a check found."""

    topic: str
    message: str
    #: the file or folder it is about; "" if there is none
    file: str
    #: a proposed option, "key=value"; "" if there is none
    options: str
    #: whether it makes results untrustworthy
    error: bool


class _Findings:
    def __init__(self) -> None:
        self.list: List[Finding] = []
        self.handle = ffi.new_handle(self)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def gelatto_finding(user: Any, finding: Any) -> None:
    findings: _Findings = ffi.from_handle(user)
    findings.list.append(Finding(text(finding.topic), text(finding.text), text(finding.file),
                                 text(finding.options), bool(finding.error)))


def check(data: Path, config: Union[Config, Path, Sequence[Path], None] = None,
          **options: Any) -> List[Finding]:
    """Reads every cloud of a dataset and reports its contents and errors."""
    settings = config_of(config, options)
    findings, where = _Findings(), encode_path(data, "data")
    try:
        run(lambda: succeed(lib.glt_check(where, settings._pointer, lib.gelatto_finding,
                                          findings.handle)), leave=True)
    except DataError:
        if not any(finding.error for finding in findings.list):
            raise  # the check itself failed
    return findings.list


def doctor() -> List[Finding]:
    """Reports on this build and this machine.

    >>> import gelatto
    >>> any(finding.error for finding in gelatto.doctor())
    False
    """
    findings = _Findings()
    try:
        run(lambda: succeed(lib.glt_doctor(lib.gelatto_finding, findings.handle)), leave=True)
    except UnsupportedError:
        if not any(finding.error for finding in findings.list):
            raise
    return findings.list


def synth_rooms(folder: Path, *, rooms: int = 10, points: int = 100000, seed: int = 1,
                real: bool = False, replace: bool = False) -> None:
    """Makes Area_1 to Area_6 of furnished, labelled rooms; the same arguments, the same bytes."""
    _synth(lib.glt_synth_rooms, folder, rooms=rooms, points=points, seed=seed, real=real,
           replace=replace)


def synth_shapes(folder: Path, *, shapes: int = 40, points: int = 2048, seed: int = 1,
                 replace: bool = False) -> None:
    """Makes small objects with labelled parts, with shapes.yaml and classes.yaml."""
    _synth(lib.glt_synth_shapes, folder, shapes=shapes, points=points, seed=seed, replace=replace)


def synth_aerial(folder: Path, *, scenes: int = 8, size: float = 200, density: float = 0,
                 seed: int = 1, format: Optional[str] = None, replace: bool = False) -> None:
    """Makes towns and country seen by an airborne laser scanner, with aerial.yaml."""
    _synth(lib.glt_synth_aerial, folder, scenes=scenes, size=size, density=density, seed=seed,
           format=format, replace=replace)


def _synth(function: Any, folder: Path, **options: Any) -> None:
    where, words = encode_path(folder, "folder"), option_string(options)
    run(lambda: succeed(function(where, words)))
