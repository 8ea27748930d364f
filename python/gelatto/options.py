"""Options: the table of the library, and configurations made of keyword arguments."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._native import ffi, lib
from ._words import Path, encode, encode_path, sized, value_text
from .errors import check, text

_VALUE_BYTES = 4096  # the longest value is a list of a few dozen letters


@dataclass(frozen=True)
class Option:
    """One row of the option table."""

    key: str
    group: str
    type: str
    default: str
    choices: Tuple[str, ...]
    help: str
    min: float
    max: float

    @property
    def keyword(self) -> str:
        """Its name as a keyword argument: ``maps_inner`` for ``maps.inner``."""
        return self.key.replace(".", "_")


def options() -> List[Option]:
    """Every option that train, evaluate, check and Model.create take as a keyword argument.

    >>> import gelatto
    >>> [option.default for option in gelatto.options() if option.key == "heads"]
    ['both']
    """
    rows = []
    row = sized("struct glt_option")
    for i in range(lib.glt_option_count()):
        check(lib.glt_option_at(i, row))
        choices = tuple(text(row.choices).split("|")) if row.choices else ()
        rows.append(Option(text(row.key), text(row.group), text(row.type), text(row.value), choices,
                           text(row.help), row.min, row.max))
    return rows


def presets() -> Dict[str, str]:
    """The named configurations, with their summaries.

    >>> import gelatto
    >>> "tiny" in gelatto.presets()
    True
    """
    found: Dict[str, str] = {}
    summary = ffi.new("const char **")
    i = 0
    while True:
        name = lib.glt_preset_at(i, summary)
        if not name:
            return found
        found[text(name)] = text(summary[0])
        i += 1


_keys: Dict[str, str] = {}


def key_of(keyword: str) -> str:
    """The key of a keyword argument; the library refuses unknown keys."""
    if not _keys:
        _keys.update({option.keyword: option.key for option in options()})
    return _keys.get(keyword, keyword)


class Config:
    """The value of every option: defaults, environment (GELATTO_KEY), files, keyword arguments.

    >>> import gelatto
    >>> config = gelatto.Config(preset="tiny", k=[16, 16, 16, 8], maps_inner="bn")
    >>> config["k"], config["maps.inner"]
    ('16,16,16,8', 'bn')
    """

    def __init__(self, *files: Path, preset: Optional[str] = None, **values: Any) -> None:
        out = ffi.new("struct glt_config **")
        check(lib.glt_config_create(out))
        self._pointer = ffi.gc(out[0], lib.glt_config_free)
        self._changes: List[Tuple[Any, ...]] = []
        for file in files:
            self._change(lib.glt_config_read, encode_path(file, "config"))
        if preset is not None:
            self["preset"] = preset
        for keyword, value in values.items():
            self[key_of(keyword)] = value

    def _change(self, function: Any, *words: bytes) -> None:
        check(function(self._pointer, *words))
        self._changes.append((function, *words))

    def copy(self) -> Config:
        """Another configuration of the same files and values; the files are read again."""
        other = Config()
        for change in self._changes:
            other._change(*change)
        return other

    def __setitem__(self, key: str, value: Any) -> None:
        self._change(lib.glt_config_set, encode(key, "key"), encode(value_text(value), key))

    def __getitem__(self, key: str) -> str:
        value = ffi.new("char[]", _VALUE_BYTES)
        check(lib.glt_config_get(self._pointer, encode(key, "key"), value, _VALUE_BYTES))
        return text(value)

    def to_yaml(self) -> str:
        """Every option as a line "key: value", as in config files."""
        line = ffi.new("char[]", _VALUE_BYTES)
        lines = []
        for option in options():
            check(lib.glt_config_line(self._pointer, encode(option.key, "key"), line, _VALUE_BYTES))
            lines.append(text(line).rstrip("\n"))
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        changed = [f"{option.key}={self[option.key]}" for option in options()
                   if self[option.key] != option.default]
        return f"<gelatto.Config: {', '.join(changed) or 'the defaults'}>"


def config_of(config: Union[Config, Path, Sequence[Path], None], values: Dict[str, Any]) -> Config:
    """A configuration from the argument `config` of a call and its other keyword arguments."""
    if isinstance(config, Config):
        config = config.copy() if values else config  # the caller's stays as it is
        for keyword, value in values.items():
            config[key_of(keyword)] = value
        return config
    if config is None:
        return Config(**values)
    return Config(*config, **values) if isinstance(config, (list, tuple)) else \
        Config(config, **values)  # type: ignore[arg-type]
