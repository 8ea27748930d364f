"""Label 3D point clouds with the Ge-Latto network.

    import gelatto

    model = gelatto.load("rooms")
    result = model.predict("scan.laz")       # or predict(xyz, rgb=rgb), a laspy or Open3D object
    result.label, result.confidence, result.names
    result.save("labelled.laz")

Clouds: read, write, Cloud. Models: load, models, Model, Result, Tile, Trace. Many files:
label_files. Training: train, resume, kfold, ablate, Trainer, Run. Scores: evaluate,
measure_speed. Data: check, synth_rooms, synth_shapes, synth_aerial. Settings: Context, configure,
options, presets, Config. Every exception of the library is a gelatto.Error. The manual is
docs/reference/python.md."""
from . import errors
from ._native import lib as _lib
from .cloud import Cloud, read, write
from .context import Context, configure
from .errors import (ArgumentError, AttributeMissingError, Code, DataError, Error, ExistsError,
                     FileError, FileMissingError, FilePermissionError, FormatError,
                     InterruptedError, LimitError, ModelError, NumericError, OutOfMemoryError,
                     UnsupportedError)
from .evaluation import Evaluation, Speed, evaluate, measure_speed
from .files import Labelled, cloud_files, gather, label_files
from .model import (Category, Installed, Model, Predictor, Result, Tile, load, model_path,
                    models, propose)
from .options import Config, Option, options, presets
from .tools import Finding, check, doctor, synth_aerial, synth_rooms, synth_shapes
from .trace import Attention, Correlation, Trace
from .training import Run, Step, Trainer, ablate, kfold, resume, train

#: the version of the library
__version__: str = errors.text(_lib.glt_version())
#: the commit it was built from
__commit__: str = errors.text(_lib.glt_commit())

__all__ = [
    "ArgumentError", "Attention", "AttributeMissingError", "Category", "Cloud", "Code", "Config",
    "Context", "Correlation", "DataError", "Error", "Evaluation", "ExistsError", "FileError",
    "FileMissingError", "FilePermissionError", "Finding", "FormatError", "Installed",
    "InterruptedError", "Labelled", "LimitError", "Model", "ModelError", "NumericError", "Option",
    "OutOfMemoryError", "Predictor", "Result", "Run", "Speed", "Step", "Tile", "Trace", "Trainer",
    "UnsupportedError", "ablate", "check", "cloud_files", "configure", "doctor", "errors",
    "evaluate", "gather", "kfold", "label_files", "load", "measure_speed", "model_path", "models",
    "options", "presets", "propose", "read", "resume", "synth_aerial", "synth_rooms",
    "synth_shapes", "train", "write",
]
