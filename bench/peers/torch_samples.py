"""What torch_gelatto.py feeds its network: model files, traces, and made-up rooms."""
import json
import time

import numpy as np
import torch
import torch.nn.functional as F

from torch_network import LEVELS, Gelatto, Network, load

KINDS = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32,
         "I16": np.int16, "I8": np.int8, "U8": np.uint8}


def read_safetensors(path, real=np.float32):
    """All tensors as numpy arrays, and the metadata; floats of any width become `real`."""
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[8 + length + begin:8 + length + end], KINDS[entry["dtype"]])
        array = array.reshape(entry["shape"])
        tensors[name] = array.astype(real) if array.dtype.kind == "f" else array
    return tensors, metadata


# --- random weights, random rooms ------------------------------------------------------------------

def paper_shapes(maps="linear", heads="both", inputs=6, classes=13, divide=1, identity=None):
    """{name: shape} of the `paper` network (network.md, sections 1 and 8), widths divided."""
    shapes = {}

    def add(path, cout, cin, norm=True, shift=True, bias=False):
        shapes[path + ".weight"] = (cout, cin)
        if bias:
            shapes[path + ".bias"] = (cout,)
        for leaf in ("weight", "bias", "running_mean", "running_var") if norm else ():
            if leaf != "bias" or shift:
                shapes[f"{path}.bn.{leaf}"] = (cout,)

    identity = maps == "score-mlp" if identity is None else identity
    width = [64 // divide] + [c // divide for c in (128, 256, 512, 1024)]
    add("stem", width[0], inputs)
    for l in LEVELS:
        for b in (1, 2):
            path, c, d = f"enc{l}.block{b}", width[l], width[l] // 2
            cin = width[l - 1] if b == 1 else c
            add(path + ".in", d, cin)
            for f in Gelatto.MAPS:
                absent = {"geometric": ("f_s", "f_gh", "f_hh"), "latent": ("f_gg",)}.get(heads, ())
                norm = maps in ("bn", "bn-relu") or (maps == "value-relu" and f in ("f_gg", "f_hh"))
                if f not in absent:
                    add(f"{path}.attention.{f}", d, 3 if f in ("f_p", "f_pq", "f_q") else d, norm,
                        maps != "bn")
            for f, other in (("f_gatt", "latent"), ("f_hatt", "geometric")):
                name = f"{path}.attention.{f}"
                if heads in (other, "pool"):
                    continue
                if maps == "score-mlp":
                    add(name + ".hidden", d, d, False, bias=True)
                    add(name + ".out", d, d, False)
                else:
                    add(name, d, d, maps == "bn", False)
            add(path + ".attention.f_o", d, d if heads in ("geometric", "latent") else 2 * d, False)
            add(path + ".attention", d, 0)
            del shapes[path + ".attention.weight"]
            add(path + ".out", c, d)
            if b == 1 or not identity:
                add(path + ".shortcut", c, cin)
    first = width[4]
    for l in reversed(LEVELS):
        hidden, last = max(width[l], 128 // divide), max(width[l - 1], 128 // divide)
        add(f"dec{l}.0", hidden, first + width[l - 1])
        add(f"dec{l}.1", last, hidden)
        first = last
    for name, c in (("aux1", width[4]), ("aux2", width[3]), ("aux3", width[2]), ("aux4", width[1]),
                    ("main", 128 // divide)):
        add(name + ".hidden", 128 // divide, c)
        add(name + ".logits", classes, 128 // divide, False, bias=True)
    return shapes


def random_room(n, seed):
    """n points on floor, walls and boxes of a 2 m x 2 m x 3 m block."""
    rng = np.random.default_rng(seed)
    p = rng.random((n, 3)).astype(np.float32) * np.float32([2, 2, 3]) - np.float32([1, 1, 0])
    side = rng.integers(0, 5, n)
    p[side == 0, 2] = 0
    p[side == 1, 2] = 3
    p[side == 2, 0] = -1
    p[side == 3, 1] = 1
    p[side == 4] *= np.float32([0.4, 0.4, 0.25])
    return p


def farthest(xyz, m):
    """Farthest point sampling as the PyTorch forks of PointNet++ do it; the rest follows."""
    n = xyz.shape[0]
    distance = torch.full((n,), 1e10)
    chosen = torch.zeros(m, dtype=torch.long)
    at = 0
    for i in range(m):
        chosen[i] = at
        distance = torch.minimum(distance, ((xyz - xyz[at]) ** 2).sum(1))
        at = int(distance.argmax())
    rest = torch.ones(n, dtype=torch.bool)
    rest[chosen] = False
    return torch.cat((chosen, rest.nonzero().flatten()))


def make_geometry(xyz, levels, k, radius):
    """Order, 8 x (index [N, K], missing [N, K]) and 4 x (index, weight [N, 3]) of one cloud."""
    xyz = torch.from_numpy(xyz)
    n = [len(xyz)] + [min(len(xyz), m) for m in levels]
    order = farthest(xyz, n[1])
    xyz = xyz[order]
    edges, ups = [], []
    for l in LEVELS:
        for b in (1, 2):
            d = torch.cdist(xyz[:n[l]], xyz[:n[l + b - 2]])
            outside = d > radius * 2 ** (l - 1) * b
            # K of those inside at random: a random key for each, those outside last
            key = torch.rand(d.shape).masked_fill_(outside, 2)
            value, index = key.topk(min(k[l - 1], key.shape[1]), largest=False, sorted=True)
            missing = value >= 2
            edges.append((torch.where(missing, index[:, :1], index), missing))
        d, index = torch.cdist(xyz[:n[l - 1]], xyz[:n[l]]).topk(min(3, n[l]), largest=False)
        weight = 1 / (d + 1e-8)
        ups.append((index, weight / weight.sum(1, keepdim=True)))
    return order, edges, ups


def random_sample(args, seed):
    """features, xyz, edges, ups of one made-up cloud, and the seconds its geometry took."""
    torch.manual_seed(seed)
    xyz = random_room(args.points, seed)
    start = time.perf_counter()
    order, edges, ups = make_geometry(xyz, (4096, 2048, 512, 128), (32, 32, 32, 16), 0.1)
    seconds = time.perf_counter() - start
    xyz = torch.from_numpy(xyz)[order]
    colour = torch.rand(len(xyz), 3)
    return (torch.cat((xyz, colour), 1), xyz, edges, ups), seconds


# --- from a trace ----------------------------------------------------------------------------------

def padded(start, index, k):
    """CSR to [N, K] with the first neighbour in the missing slots."""
    count = start[1:] - start[:-1]
    slot = np.arange(k)[None, :]
    missing = slot >= count[:, None]
    at = start[:-1, None] + np.where(missing, 0, slot)
    return torch.from_numpy(index[at].astype(np.int64)), torch.from_numpy(missing)


def trace_sample(trace, inputs, pad_to=None):
    """As random_sample, from the tensors of a trace; pad_to: the four K of underfull = pad."""
    order = trace["order"].astype(np.int64)
    xyz = torch.from_numpy(trace["input/xyz"][order])
    features = torch.from_numpy(trace["input/features"][order])
    if features.shape[1] == inputs - 3:
        features = torch.cat((xyz, features), 1)
    edges, ups = [], []
    for l in LEVELS:
        for b in (1, 2):
            start = trace[f"enc{l}/block{b}/start"].astype(np.int64)
            k = pad_to[l - 1] if pad_to else int((start[1:] - start[:-1]).max())
            edges.append(padded(start, trace[f"enc{l}/block{b}/index"], k))
        if f"dec{l}/index" in trace:
            ups.append((torch.from_numpy(trace[f"dec{l}/index"].astype(np.int64)),
                        torch.from_numpy(trace[f"dec{l}/weight"])))
    return features, xyz, edges, ups


def as_batch(samples, last=False, pad=False):
    """[B, C, N, 1] tensors and the lists of several samples of the same sizes."""
    def points(i):
        x = torch.stack([s[i].t().contiguous() for s in samples]).unsqueeze(3)
        return x.contiguous(memory_format=torch.channels_last) if last else x

    edges, ups = [], []
    for i in range(len(samples[0][2])):
        k = max(s[2][i][0].shape[1] for s in samples)
        index, missing = [], []
        for s in samples:
            extra = k - s[2][i][0].shape[1]
            index.append(torch.cat((s[2][i][0], s[2][i][0][:, :1].expand(-1, extra)), 1))
            missing.append(F.pad(s[2][i][1], (0, extra), value=True))
        missing = torch.stack(missing).unsqueeze(1)
        full = pad or not bool(missing.any())
        edges.append((torch.stack(index), None if full else missing))
    for i in range(len(samples[0][3])):
        ups.append(tuple(torch.stack([s[3][i][part] for s in samples]) for part in (0, 1)))
    return points(0), points(1), edges, ups


def numbers(value):
    """A list of numbers from JSON's list, one number, or the text "32,32,32,16"."""
    if isinstance(value, str):
        value = value.split(",")
    return [float(v) for v in (value if isinstance(value, list) else [value])]


def open_model(path, real=np.float32):
    tensors, metadata = read_safetensors(path, real)
    config = json.loads(metadata["gelatto.config"])
    config = config.get("options", config)
    shapes = {name: array.shape for name, array in tensors.items()}
    network = Network(shapes, eps=numbers(config.get("bn_eps", 1e-5))[0])
    if real == np.float64:
        network.double()
    load(network, tensors)
    pad_to = None
    if config.get("underfull", "mask") == "pad":
        pad_to = [int(k) for k in numbers(config["k"])]
        pad_to = pad_to if len(pad_to) == 4 else [pad_to[0]] * 3 + [min(pad_to[0], 16)]
    return network, shapes["stem.weight"][1], pad_to
