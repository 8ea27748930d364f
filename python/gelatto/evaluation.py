"""Evaluation: scores of a model, and the speed of a network on this machine."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

from ._native import ffi, lib
from ._words import Path, encode_path, optional_path, optional_text, sized
from .context import run
from .errors import check, text
from .model import Model
from .options import Config, config_of
from .training import ModelFile, Run


class Evaluation(Mapping[str, Any]):
    """The card of an evaluation, as a mapping; scores are shares from 0 to 1."""

    def __init__(self, card: Dict[str, Any]) -> None:
        self.card = card

    def __getitem__(self, key: str) -> Any:
        return self.card[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.card)

    def __len__(self) -> int:
        return len(self.card)

    @property
    def miou(self) -> float:
        """The mean intersection over union of the classes."""
        return float(self.card["miou"])

    @property
    def macc(self) -> float:
        """The mean accuracy of the classes."""
        return float(self.card["macc"])

    @property
    def accuracy(self) -> float:
        """The share of points, or of clouds, that are predicted correctly."""
        return float(self.card["oa"])

    @property
    def iou(self) -> Dict[str, float]:
        """The intersection over union of each class that occurs."""
        return {row["name"]: row["iou"] for row in self.card["classes"]
                if row.get("iou") is not None}

    def __repr__(self) -> str:
        return (f"<gelatto.Evaluation: {self.card['metric']} {100 * self.card['mean']:.1f} %, "
                f"{self.card['clouds']} clouds>")


def evaluate(model: Union[Path, Model, Run], data: Path, *, split: Optional[str] = None,
             folder: Optional[Path] = None, seeds: int = 0, keep: float = 0, thin: float = 0,
             density: float = 0, turn: float = 0, overlap: int = 0,
             protocol: Optional[str] = None,
             config: Union[Config, Path, Sequence[Path], None] = None,
             **options: Any) -> Evaluation:
    """Scores a model by the protocol of a dataset, or on one labelled cloud.

    split: test, val or train. folder: gets the confusion matrix and the card. seeds: repeat with
    other samples. keep, thin: remove points first, at random or as a scanner would beyond this
    range; density: from scenes, down to N points per square unit. turn: turn clouds about
    the up axis first, by up to N degrees. overlap, protocol: as in Model.predict. Any other
    keyword is an option of the data."""
    settings = config_of(config, options)
    with ModelFile(model) as path:
        texts = {"split": optional_text(split, "split"), "folder": optional_path(folder),
                 "protocol": optional_text(protocol, "protocol")}
        o = ffi.new("struct glt_eval_options *", {
            "size": ffi.sizeof("struct glt_eval_options"), "seeds": seeds, "json": 1, "keep": keep,
            "range": thin, "density": density, "turn": turn, "overlap": overlap, **texts})
        report = ffi.new("char **")
        words = (optional_path(path), encode_path(data, "data"))
        run(lambda: check(lib.glt_evaluate(report, *words, settings._pointer, o)), keep=(texts,),
            leave=folder is None)
    return Evaluation(json.loads(text(ffi.gc(report[0], lib.glt_free))))


@dataclass(frozen=True)
class Speed:
    """The speed of a network on this machine."""

    #: of one batch, the fastest of several; and the part spent on geometry
    seconds: float
    geometry: float
    #: of its matrix products, and the peak per second
    flops: float
    peak_flops: float
    #: the peak of memory
    bytes: int


def measure_speed(*, training: bool = False, clouds: int = 1, points: int = 4096, repeats: int = 3,
                  config: Union[Config, Path, Sequence[Path], None] = None,
                  **options: Any) -> Speed:
    """Measures the speed of a configuration on synthetic clouds."""
    settings = config_of(config, options)
    out = sized("struct glt_speed")
    run(lambda: check(lib.glt_speed_measure(out, settings._pointer, int(training), clouds, points,
                                            repeats)), leave=True)
    return Speed(out.seconds, out.geometry, out.flops, out.peak_flops, out.bytes)
