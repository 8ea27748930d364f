"""Training: runs on datasets, series of them, and single steps on arrays."""
from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from ._native import ffi, lib
from ._words import Path, encode, encode_path, optional_path, optional_text
from .context import run
from .errors import InterruptedError, check, refuse, text
from .model import Model, load
from .options import Config, config_of
from .points import Points


@dataclass(frozen=True)
class Step:
    """The state of a run after a step."""

    folder: str
    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    #: the loss of the main output, then those of the auxiliary ones
    losses: Tuple[float, ...]
    rate: float
    #: the metric of the validation, its last and its best value; NaN before the first
    metric_name: str
    metric: float
    best: float
    samples_per_second: float
    seconds_left: float

    def __repr__(self) -> str:
        score = "" if math.isnan(self.metric) else f", {self.metric_name} {100 * self.metric:.1f} %"
        return f"<gelatto.Step {self.step}/{self.steps}: loss {self.loss:.3f}{score}>"


#: called after every step; True stops the run, which is saved
OnStep = Callable[[Step], object]


class Run:
    """The folder of a training run."""

    def __init__(self, folder: Path, stopped: bool = False) -> None:
        self.folder = FilePath(os.fspath(folder))
        #: whether it was stopped by its callback and can be resumed
        self.stopped = stopped

    def __fspath__(self) -> str:
        return str(self.folder)

    @property
    def best(self) -> FilePath:
        """The model of the best validation."""
        return self.folder / "best.safetensors"

    @property
    def last(self) -> FilePath:
        """The model of the last step."""
        return self.folder / "last.safetensors"

    def model(self) -> Model:
        """The best model, loaded."""
        return load(self.best)

    @property
    def history(self) -> List[Dict[str, Any]]:
        """The records of the run: one of each step, with its losses, and one of each validation."""
        with open(self.folder / "metrics.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def report(self, path: Path, title: str = "") -> None:
        """Writes one HTML file about the run: curves, scores, configuration, log."""
        folder, where = encode_path(self.folder), encode_path(path)
        name = encode(title or str(self.folder), "title")
        run(lambda: check(lib.glt_run_report(folder, where, name)))

    def view(self, path: Path) -> None:
        """Writes one HTML file that shows the validation cloud of the run as it was labelled after
        each validation, beside its ground truth and the curve of the score."""
        folder, where = optional_path(self.folder), encode_path(path)
        options = ffi.new("struct glt_view_options *", {
            "size": ffi.sizeof("struct glt_view_options"), "run": folder})
        run(lambda: check(lib.glt_view(ffi.NULL, 0, where, options)), keep=(folder,))

    def __repr__(self) -> str:
        return f"<gelatto.Run: {self.folder}{', stopped' if self.stopped else ''}>"


class _Watcher:
    """Input and results of the callback of a training run."""

    def __init__(self, on_step: Optional[OnStep]) -> None:
        self.on_step = on_step
        self.folder = ""
        self.stopped = False
        self.error: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def see(self, status: Any) -> int:
        self.folder = text(status.folder)
        if self.on_step is None:
            return 0
        step = Step(self.folder, status.epoch, status.epochs, status.step, status.steps, status.loss,
                    tuple(status.losses[i] for i in range(status.outputs)), status.rate,
                    text(status.metric_name) if status.metric_name else "", status.metric,
                    status.best, status.samples_per_second, status.seconds_left)
        self.stopped = bool(self.on_step(step))
        return int(self.stopped)

    def finish(self, work: Callable[[], int], texts: Dict[str, Any]) -> None:
        """Runs it; a stop requested by the callback is not an error."""
        try:
            run(work, keep=(texts,))
        except InterruptedError as error:
            if self.error is not None:
                raise self.error from None
            self.folder = self.folder or error.file
            if not self.stopped:
                raise


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def gelatto_step(user: Any, status: Any) -> int:
    watcher: _Watcher = ffi.from_handle(user)
    try:
        return watcher.see(status)
    except BaseException as error:
        watcher.error = error
        return 1


def train(data: Path, *, init: Union[Path, Model, Run, None] = None, name: Optional[str] = None,
          runs: Optional[Path] = None, folder: Optional[Path] = None, steps: int = 0,
          save: int = 0, validate: int = 0, on_step: Optional[OnStep] = None,
          config: Union[Config, Path, Sequence[Path], None] = None, **options: Any) -> Run:
    """Trains on a dataset: a folder that the library knows, a YAML file, or "synth:rooms".

    init: a model to start from. The run is in runs/name1, name2, ..., or in folder. steps:
    stop after this many. save, validate: steps between checkpoints, epochs between validations.
    on_step: called with a Step after each; returning True stops the run, which is saved. config:
    YAML files of options. Any other keyword is an option: preset="tiny", epochs=20, lr=1e-4."""
    return _train(data, None, False, init, name, runs, folder, steps, save, validate, on_step,
                  config_of(config, options))


def resume(run: Union[Path, Run], data: Optional[Path] = None, *, force: bool = False,
           steps: int = 0, save: int = 0, validate: int = 0, on_step: Optional[OnStep] = None,
           config: Union[Config, Path, Sequence[Path], None] = None, **options: Any) -> Run:
    """Resumes a run as if it had never stopped. force: even if settings or data differ."""
    return _train(data, run, force, None, None, None, None, steps, save, validate, on_step,
                  config_of(config, options))


def _train(data: Optional[Path], resume: Union[Path, Run, None], force: bool,
           init: Union[Path, Model, Run, None], name: Optional[str], runs: Optional[Path],
           folder: Optional[Path], steps: int, save: int, validate: int,
           on_step: Optional[OnStep], config: Config) -> Run:
    with ModelFile(init) as start:
        texts = {"runs": optional_path(runs), "name": optional_text(name, "name"),
                 "resume": optional_path(resume), "init": optional_path(start),
                 "folder": optional_path(folder)}
        o = ffi.new("struct glt_train_options *", {
            "size": ffi.sizeof("struct glt_train_options"), "force": int(force), "steps": steps,
            "save": save, "validate": validate, **texts})
        source = optional_path(data, "data")
        watcher = _Watcher(on_step)
        watcher.finish(lambda: check(lib.glt_train(config._pointer, source, o, lib.gelatto_step,
                                                   watcher.handle)), texts)
    return Run(watcher.folder or os.fspath(resume or folder or ""), watcher.stopped)


def kfold(data: Path, *, init: Union[Path, Model, Run, None] = None, name: Optional[str] = None,
          runs: Optional[Path] = None, steps: int = 0, save: int = 0, validate: int = 0,
          on_step: Optional[OnStep] = None,
          config: Union[Config, Path, Sequence[Path], None] = None,
          **options: Any) -> Dict[str, Any]:
    """Cross-validation over the areas of a dataset of rooms: a run for each held-out area. Returns
    the card with the folds, pooled and averaged. Called again, it resumes."""
    return _series(lib.glt_kfold, data, (), init, name, runs, None, 0, steps, save, validate,
                   on_step, config_of(config, options))


def ablate(data: Path, grid: Path, *, seeds: int = 0, split: Optional[str] = None,
           init: Union[Path, Model, Run, None] = None, name: Optional[str] = None,
           runs: Optional[Path] = None, steps: int = 0, save: int = 0, validate: int = 0,
           on_step: Optional[OnStep] = None,
           config: Union[Config, Path, Sequence[Path], None] = None,
           **options: Any) -> Dict[str, Any]:
    """Trains every row of a grid (a YAML file, or a shipped one: "heads", "aux", ...) with every
    seed. Returns the table of mean and spread. Called again, it resumes."""
    words = (ffi.new("char[]", encode_path(grid, "grid")),)
    return _series(lib.glt_ablate, data, words, init, name, runs, split, seeds, steps, save,
                   validate, on_step, config_of(config, options))


def _series(function: Any, data: Path, more: Tuple[Any, ...],
            init: Union[Path, Model, Run, None], name: Optional[str], runs: Optional[Path],
            split: Optional[str], seeds: int, steps: int, save: int, validate: int,
            on_step: Optional[OnStep], config: Config) -> Dict[str, Any]:
    with ModelFile(init) as start:
        texts = {"runs": optional_path(runs), "name": optional_text(name, "name"),
                 "init": optional_path(start), "split": optional_text(split, "split")}
        o = ffi.new("struct glt_series_options *", {
            "size": ffi.sizeof("struct glt_series_options"), "seeds": seeds, "steps": steps,
            "save": save, "validate": validate, "json": 1, **texts})
        report, source = ffi.new("char **"), encode_path(data, "data")
        watcher = _Watcher(on_step)
        watcher.finish(lambda: check(function(report, config._pointer, source, *more, o,
                                              lib.gelatto_step, watcher.handle)), texts)
    if not report[0]:
        return {"stopped": True}
    found: Dict[str, Any] = json.loads(text(ffi.gc(report[0], lib.glt_free)))
    return found


class ModelFile:
    """A path for a call that reads a model from a file; a Model in memory is written to a file."""

    def __init__(self, model: Union[Path, Model, Run, None]) -> None:
        self.model = model
        self.folder: Any = None

    def __enter__(self) -> Optional[Path]:
        if isinstance(self.model, Run):
            return self.model.best
        if not isinstance(self.model, Model):
            return self.model
        import tempfile
        self.folder = tempfile.TemporaryDirectory(prefix="gelatto-")
        path = os.path.join(self.folder.name, "model.safetensors")
        self.model.save(path)
        return path

    def __exit__(self, *error: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()


class Trainer:
    """Single steps of Adam on batches that the caller makes.

    >>> import gelatto, numpy as np
    >>> model = gelatto.Model.create(2, preset="tiny", inputs="xyz", aux=0)
    >>> trainer = gelatto.Trainer(model, clouds=1, points=64)
    >>> xyz = np.random.default_rng(0).random((64, 3))
    >>> losses = trainer.step([(xyz, None, (xyz[:, 2] > 0.5).astype(np.int32))], lr=1e-3)
    >>> losses[0] > 0
    True
    """

    def __init__(self, model: Model, clouds: int, points: int) -> None:
        out = ffi.new("struct glt_trainer **")
        check(lib.glt_trainer_create(out, model._pointer, clouds, points))
        self._pointer = ffi.gc(out[0], lib.glt_trainer_free)
        self.model = model

    def step(self, batch: Sequence[Tuple[Any, Any, Any]], *, lr: float = 0,
             categories: Optional[Sequence[str]] = None, placed: bool = False) -> List[float]:
        """One step on a batch of (xyz, features, labels); features may be None; a label of -1 is
        none. Returns the total loss, that of the main output and those of the auxiliary ones."""
        structs = ffi.new("struct glt_points[]", len(batch))
        kept = []
        for i, (xyz, features, labels) in enumerate(batch):
            one = Points(xyz, features, labels, placed=placed, struct=structs[i],
                         category=categories[i] if categories else None)
            needed = 1 if self.model.task == "classify" else one.n
            if one.labels is None or one.labels.shape != (needed,):
                raise refuse(f"labels of cloud {i}: {needed} are needed", "labels")
            kept.append(one)
        losses = ffi.new("double[]", 6)
        run(lambda: check(lib.glt_trainer_step(self._pointer, structs, len(batch), lr, losses)),
            keep=(kept,))
        return [losses[i] for i in range(6)]

    def __repr__(self) -> str:
        return f"<gelatto.Trainer of {self.model!r}>"


