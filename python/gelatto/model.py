"""Models: loading, describing, saving, and labelling clouds with them."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._columns import Array
from ._native import ffi, lib
from ._words import Path, encode, encode_path, option_string, sized
from .cloud import Cloud, as_cloud
from .context import run
from .errors import check, refuse, text
from .options import Config, config_of
from .points import Points
from .trace import Trace, temporary_trace

_PATH_BYTES = 4096
_VALUE_BYTES = 4096
_SHORT = 8192  # points that take a fraction of a second


@dataclass(frozen=True)
class Category:
    """A kind of shape with parts: its classes are names[first : first + count]."""

    name: str
    first: int
    count: int


@dataclass(frozen=True)
class Tile:
    """A square of a scene that a person should look at next."""

    #: number of the cloud, from 0
    cloud: int
    #: corners, in the coordinates of the cloud
    low: Tuple[float, float, float]
    high: Tuple[float, float, float]
    #: points in it that are not reviewed
    points: int
    #: how much there is to learn; 1 is the mean of all tiles
    score: float
    #: mean of 1 - the gap between the best two classes
    doubt: float
    #: how far passes over the tile disagree, 0 to 1
    votes: float
    #: how far auxiliary outputs disagree with the main one, 0 to 1
    auxiliary: float


class Model:
    """A trained network with its classes. Threads may share one.

    >>> import gelatto
    >>> model = gelatto.Model.create(2, preset="tiny", inputs="xyz", seed=1)
    >>> model
    <gelatto.Model: segment, inputs xyz, 2 classes, ... parameters>
    >>> model.names = ["floor", "wall"]
    >>> result = model.predict([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> result.label.shape
    (3,)
    """

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.glt_model_free)
        #: what it predicts: "segment", "parts" or "classify"
        self.task = self.option("task")

    @classmethod
    def create(cls, classes: Union[int, Sequence[str]],
               config: Union[Config, Path, Sequence[Path], None] = None, **options: Any) -> Model:
        """An untrained model: weights drawn from the option seed. classes: how many, or their
        names."""
        out = ffi.new("struct glt_model **")
        count = classes if isinstance(classes, int) else len(classes)
        check(lib.glt_model_create(out, config_of(config, options)._pointer, count))
        model = cls(out[0])
        if not isinstance(classes, int):
            model.names = list(classes)
        return model

    # --- description ---

    @property
    def names(self) -> List[str]:
        """The names of its classes; may be set."""
        name = ffi.new("const char **")
        found = []
        for i in range(lib.glt_model_classes(self._pointer)):
            check(lib.glt_model_class(self._pointer, i, name, ffi.NULL))
            found.append(text(name[0]))
        return found

    @names.setter
    def names(self, names: Sequence[str]) -> None:
        if len({name.lower() for name in names}) < len(names):
            raise refuse("names: two classes have the same name", "names")
        if len(names) != lib.glt_model_classes(self._pointer):
            raise refuse(f"names: {len(names)} for {len(self.names)} classes", "names")
        for i, name in enumerate(names):
            check(lib.glt_model_set_class(self._pointer, i, encode(name, "name"), ffi.NULL))

    @property
    def colours(self) -> Array:
        """The colours of its classes, (classes, 3), uint8; may be set."""
        n = lib.glt_model_classes(self._pointer)
        colours = np.empty((n, 3), np.uint8)
        for i in range(n):
            check(lib.glt_model_class(self._pointer, i, ffi.NULL,
                                      ffi.cast("unsigned char *", colours[i].ctypes.data)))
        return colours

    @colours.setter
    def colours(self, colours: Any) -> None:
        array, n = np.asarray(colours), lib.glt_model_classes(self._pointer)
        if array.shape != (n, 3) or array.dtype.kind not in "iu" \
                or array.min() < 0 or array.max() > 255:
            raise refuse(f"colours: an array of shape ({n}, 3) of whole numbers from 0 to 255 is "
                         f"needed, not one of {array.dtype} {array.shape}", "colours")
        for i, colour in enumerate(array.astype(np.uint8)):
            check(lib.glt_model_set_class(self._pointer, i, ffi.NULL, bytes(colour)))

    @property
    def categories(self) -> List[Category]:
        """The categories of shapes of a part-segmentation model."""
        name, first, count = ffi.new("const char **"), ffi.new("int *"), ffi.new("int *")
        found: List[Category] = []
        while lib.glt_model_category(self._pointer, len(found), name, first, count) == 0:
            found.append(Category(text(name[0]), first[0], count[0]))
        return found

    def add_category(self, name: str, first: int, count: int) -> None:
        """Adds a category of shapes whose parts are `count` classes from `first` on."""
        check(lib.glt_model_add_category(self._pointer, encode(name, "name"), first, count))

    def note(self, key: str, value: str) -> None:
        """Sets a note about it: key "licence", "credit", "use" or "replay"; "" removes it."""
        check(lib.glt_model_note(self._pointer, encode(key, "key"), encode(value, "value")))

    def option(self, key: str) -> str:
        """The model's value of an option, as text."""
        value = ffi.new("char[]", _VALUE_BYTES)
        check(lib.glt_model_option(self._pointer, encode(key, "key"), value, _VALUE_BYTES))
        return text(value)

    @property
    def inputs(self) -> List[str]:
        """The inputs it needs from a cloud: ["xyz", "rgb"]."""
        return self.option("inputs").split(",")

    @property
    def channels(self) -> int:
        """How many input channels it has besides xyz."""
        return int(lib.glt_model_channels(self._pointer))

    @property
    def parameters(self) -> int:
        """How many numbers training changes."""
        return int(lib.glt_model_parameters(self._pointer))

    def info(self) -> Dict[str, Any]:
        """A full description, as a dictionary."""
        found: Dict[str, Any] = json.loads(self._describe("json"))
        return found

    def card(self) -> str:
        """Its card in Markdown: what it is, how it was trained, on what clouds."""
        return self._describe("card")

    def plan(self, *, train: bool = False, clouds: Optional[int] = None,
             points: Optional[int] = None) -> str:
        """The ops of a pass: shapes, bytes, FLOPs."""
        words = option_string({"plan": True, "train": train, "clouds": clouds, "points": points})
        return self._describe(words.decode())

    def _describe(self, options: str) -> str:
        out = ffi.new("char **")
        check(lib.glt_model_info(out, self._pointer, options.encode()))
        return text(ffi.gc(out[0], lib.glt_free))

    def __repr__(self) -> str:
        classes = lib.glt_model_classes(self._pointer)
        return (f"<gelatto.Model: {self.task}, inputs {','.join(self.inputs)}, {classes} classes, "
                f"{self.parameters:,} parameters>")

    # --- files ---

    def save(self, path: Path, *, half: bool = False) -> None:
        """Writes a model file. half: matrices as 16-bit floats."""
        where = encode_path(path)
        run(lambda: check(lib.glt_model_save(self._pointer, where, option_string({"half": half}))))

    def to_bytes(self, *, half: bool = False) -> bytes:
        """The bytes of a model file."""
        data, size = ffi.new("void **"), ffi.new("size_t *")
        check(lib.glt_model_save_buffer(data, size, self._pointer, option_string({"half": half})))
        return bytes(ffi.buffer(ffi.gc(data[0], lib.glt_free), size[0]))

    def __reduce__(self) -> Tuple[Any, ...]:
        return load, (self.to_bytes(),)

    # --- clouds of any size ---

    def predict(self, points: Any, *, rgb: Any = None, normals: Any = None,
                probabilities: bool = False, second: bool = False, margin: bool = False,
                votes: bool = False, category: Optional[str] = None, up: Optional[str] = None,
                headings: int = 0, overlap: int = 0,
                protocol: Optional[str] = None, spacing: float = 0,
                vegetation_heights: Optional[Sequence[float]] = None, min_confidence: float = 0,
                map: Optional[Mapping[str, int]] = None, keep_classification: bool = False,
                max_memory: int = 0, **attributes: Any) -> Result:
        """Labels every point of a cloud of any size, or names the class of a shape.

        points: a file, a Cloud, an array (n, 3), or an object of laspy, Open3D or torch. rgb,
        normals and attributes: what the model needs besides. Nothing of it is copied or changed.
        probabilities, second, margin, votes: add these to the result. category: of a shape with
        parts. up: "x", "y" or "z", the axis of the cloud that points up. headings: turn a shape to
        N headings, which vote. overlap: tile a scene N more times. protocol: "product" or "paper".
        spacing: thin a scene to it for the network. min_confidence: points below it get no label.
        map and keep_classification: numbers of classes in LAS, {"ground": 2}, and whether its
        classification stays.
        vegetation_heights: (0.5, 2) splits the class vegetation into low, medium and high.
        max_memory: bytes the process may hold; fails at once if they are not enough."""
        cloud = as_cloud(points, rgb, normals, attributes)
        words = option_string({"probabilities": probabilities, "second": second, "margin": margin,
                               "votes": votes, "category": category, "up": up,
                               "headings": headings or None, "overlap": overlap or None,
                               "protocol": protocol, "spacing": spacing or None,
                               "vegetation_heights": vegetation_heights,
                               "min_confidence": min_confidence or None,
                               "map": dict(map) if map is not None else None,
                               "keep_classification": keep_classification,
                               "max_memory": max_memory or None})
        found = sized("struct glt_prediction")
        shares = buffer = None
        if self.task == "classify":
            shares = np.zeros(lib.glt_model_classes(self._pointer), np.float32)
            buffer = ffi.from_buffer("float[]", shares)
        run(lambda: check(lib.glt_cloud_predict(
            cloud._handle.pointer, self._pointer, words, found, buffer or ffi.NULL)), leave=True,
            short=(overlap + 1) * len(cloud) <= _SHORT)
        return Result(self, cloud, found, shares)

    def next(self, *clouds: Any, tiles: int = 8, passes: Optional[int] = None,
             seed: Optional[int] = None) -> List[Tile]:
        """The tiles of scenes that a person should correct next, best first: those from which the
        model would learn most. Points whose attribute reviewed is set do not count. passes: over
        each tile, 1 to 4. Cloud.view(path, tiles=...) writes a page that opens there."""
        shown = [as_cloud(cloud) for cloud in clouds]
        pointers = ffi.new("struct glt_cloud *[]", [cloud._handle.pointer for cloud in shown])
        out, n = ffi.new("struct glt_tile[]", max(tiles, 1)), ffi.new("int *", tiles)
        out[0].size = ffi.sizeof("struct glt_tile")
        words = option_string({"passes": passes, "seed": seed})
        run(lambda: check(lib.glt_next(out, n, self._pointer, pointers, len(shown), words)), leave=True)
        return [Tile(t.cloud, (t.low[0], t.low[1], t.low[2]), (t.high[0], t.high[1], t.high[2]),
                     t.points, t.score, t.doubt, t.votes, t.auxiliary) for t in out[0:n[0]]]

    def explain(self, points: Any, *, point: int = 0, path: Optional[Path] = None, rgb: Any = None,
                normals: Any = None, **attributes: Any) -> Trace:
        """Records everything computed by one pass over the sample with this point. path: a file to
        keep the trace; by default it is removed with the object."""
        cloud = as_cloud(points, rgb, normals, attributes)
        trace = temporary_trace(point) if path is None else Trace(path, point)
        words = option_string({"point": point})
        run(lambda: check(lib.glt_cloud_explain(
            cloud._handle.pointer, self._pointer, encode_path(trace.path), words)))
        return trace

    # --- one pass over arrays ---

    def forward(self, xyz: Any, features: Any = None, *, category: Optional[str] = None,
                placed: bool = False) -> Tuple[Array, Array]:
        """Runs the network once over points that fit into one pass: a tile, or a shape. Returns
        labels (n) and probabilities (n, classes); one row each in classification. features: the
        other inputs besides xyz, (n, channels), colours in 0..1."""
        points = Points(xyz, features, category=category, placed=placed)
        labels, shares = self._outputs(points)
        run(lambda: check(lib.glt_model_predict(self._pointer, points.pointer,
                                                ffi.cast("int32_t *", labels.ctypes.data),
                                                ffi.cast("float *", shares.ctypes.data))),
            leave=True)
        return labels, shares

    def _outputs(self, points: Points) -> Tuple[Array, Array]:
        """Arrays for labels and probabilities of one pass."""
        rows = 1 if self.task == "classify" else points.n
        return (np.empty(rows, np.int32),
                np.empty((rows, lib.glt_model_classes(self._pointer)), np.float32))

    def features(self, xyz: Any, features: Any = None, *, category: Optional[str] = None,
                 placed: bool = False) -> Array:
        """Runs the network once and returns the decoder's last features, (n, channels)."""
        points = Points(xyz, features, category=category, placed=placed)
        rows = 1 if self.task == "classify" else points.n
        out = np.empty((rows, check(lib.glt_model_feature_channels(self._pointer))), np.float32)
        run(lambda: check(lib.glt_model_features(self._pointer, points.pointer,
                                                 ffi.cast("float *", out.ctypes.data))), leave=True)
        return out

    def predictor(self, points: int = 4096) -> Predictor:
        """Runs many clouds in one thread, without allocation up to this number of points; larger
        clouds make it grow."""
        return Predictor(self, points)


class Predictor:
    """Runs the network over many small clouds; one per thread."""

    def __init__(self, model: Model, points: int = 4096) -> None:
        out = ffi.new("struct glt_predictor **")
        check(lib.glt_predictor_create(out, model._pointer, points))
        self._pointer = ffi.gc(out[0], lib.glt_predictor_free)
        self.model = model

    def run(self, xyz: Any, features: Any = None, *, category: Optional[str] = None,
            placed: bool = False) -> Tuple[Array, Array]:
        """As Model.forward."""
        points = Points(xyz, features, category=category, placed=placed)
        labels, shares = self.model._outputs(points)
        run(lambda: check(lib.glt_predictor_run(self._pointer, points.pointer,
                                                ffi.cast("int32_t *", labels.ctypes.data),
                                                ffi.cast("float *", shares.ctypes.data))), leave=True)
        return labels, shares

    def __repr__(self) -> str:
        return f"<gelatto.Predictor of {self.model!r}>"


class Result:
    """The prediction of a model for a cloud.

    If the model labels points, label, confidence and probabilities have a row per point. If it
    classifies, they describe the whole cloud: arrays of shape () and (classes)."""

    def __init__(self, model: Model, cloud: Cloud, found: Any, shares: Optional[Array]) -> None:
        self.model = model
        #: the cloud with label and confidence, and with `truth` if it had labels
        self.cloud = cloud
        self._found = found
        self._shares = shares

    @property
    def points(self) -> int:
        """Points with finite coordinates."""
        return int(self._found.points)

    @property
    def samples(self) -> int:
        """Passes through the network."""
        return int(self._found.samples)

    @property
    def seconds(self) -> float:
        """Time in all passes."""
        return float(self._found.seconds)

    @property
    def times(self) -> Dict[str, float]:
        """Seconds of the parts: geometry, network and votes; summed over all threads."""
        return {name: float(getattr(self._found, name)) for name in ("geometry", "network", "votes")}

    @property
    def names(self) -> List[str]:
        """The names of the classes, by label."""
        classes = {} if self._shares is not None else self.cloud.classes
        return [classes[i] for i in range(len(classes)) if i in classes] or self.model.names

    @property
    def label(self) -> Array:
        """The class of every point, without a copy; -1 where coordinates are not finite."""
        if self._shares is not None:
            return np.array(self._found.label, np.int32)
        return self.cloud["label"]

    @property
    def confidence(self) -> Array:
        """The probability of that class, without a copy."""
        if self._shares is not None:
            return np.array(self._found.confidence, np.float32)
        return self.cloud["confidence"]

    @property
    def probabilities(self) -> Array:
        """The probability of every class: (n, classes), if requested from predict."""
        if self._shares is not None:
            return self._shares
        names = [name for name in self.cloud if name.startswith("probability_")]
        if not names:
            raise ValueError("predict(..., probabilities=True) keeps the probabilities")
        return np.stack([self.cloud[name] for name in names], axis=1)

    @property
    def name(self) -> str:
        """The name of the class of a classified cloud, or the category of a shape with parts."""
        if self._shares is not None:
            return self.names[int(self._found.label)]
        category, categories = int(self._found.label), self.model.categories
        return categories[category].name if 0 <= category < len(categories) else ""

    def counts(self) -> Dict[str, int]:
        """How many points each class has."""
        labels = np.atleast_1d(self.label)
        return {name: int(np.count_nonzero(labels == i)) for i, name in enumerate(self.names)}

    def save(self, path: Path, **options: Any) -> None:
        """Writes the labelled cloud: see Cloud.save."""
        self.cloud.save(path, **options)

    def __repr__(self) -> str:
        if self._shares is not None:
            return f"<gelatto.Result: {self.name} ({100 * self._found.confidence:.1f} %)>"
        found = sorted(self.counts().items(), key=lambda item: -item[1])[:3]
        shown = ", ".join(f"{name} {100 * n / max(1, len(self.cloud)):.1f} %" for name, n in found)
        return f"<gelatto.Result: {len(self.cloud)} points, {shown}>"


@dataclass(frozen=True)
class Installed:
    """A model that can be loaded by its name."""

    name: str
    path: str
    task: str
    inputs: str
    preset: str
    classes: int
    bytes: int
    #: its terms of use; "" if not stated
    licence: str
    #: its purpose; "" if not stated
    use: str


def load(path: Union[Path, bytes]) -> Model:
    """Loads a model: a file, the folder of a training run (its best model), the name of an installed
    model, or the bytes of a file.

    >>> import gelatto
    >>> gelatto.load("no such model")
    Traceback (most recent call last):
    ...
    gelatto.errors.FileMissingError: ...
    """
    out = ffi.new("struct glt_model **")
    if isinstance(path, (bytes, bytearray, memoryview)):
        data = ffi.from_buffer(path)
        run(lambda: check(lib.glt_model_load_buffer(out, data, len(data))), leave=True)
    else:
        where = encode_path(path)
        run(lambda: check(lib.glt_model_load(out, where)), leave=True)
    return Model(out[0])


def model_path(name: Path) -> str:
    """The file that load would read."""
    path = ffi.new("char[]", _PATH_BYTES)
    check(lib.glt_model_path(path, _PATH_BYTES, encode_path(name)))
    return text(path)


def models() -> Mapping[str, Installed]:
    """The installed models, by name."""
    found: Dict[str, Installed] = {}
    handle = ffi.new_handle(found)
    check(lib.glt_models(lib.gelatto_model, handle))
    return found


def propose(points: Any) -> str:
    """The name of the installed model of scenes that suits a cloud best; "" if none does."""
    cloud = as_cloud(points)
    name = ffi.new("char[]", _PATH_BYTES)
    check(lib.glt_model_propose(name, _PATH_BYTES, cloud._handle.pointer))
    return text(name)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def gelatto_model(user: Any, model: Any) -> None:
    found: Dict[str, Installed] = ffi.from_handle(user)
    one = Installed(text(model.name), text(model.path), text(model.task), text(model.inputs),
                    text(model.preset), model.classes, model.bytes, text(model.licence),
                    text(model.use))
    found.setdefault(one.name, one)
