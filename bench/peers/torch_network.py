"""The network of torch_gelatto.py: widths and variants follow from {name: shape} of a model file.

Every map f of the two-headed layer is a 1x1 convolution over [B, C, N, K], the centre replicated K
times as the equations say. Slots that do not exist get a score of minus infinity.
"""
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

LEVELS = (1, 2, 3, 4)


class Map(nn.Module):
    """1x1 convolution, with batch normalisation and ReLU where the file and the caller say so."""

    def __init__(self, shapes, path, eps, relu=False):
        super().__init__()
        cout, cin = shapes[path + ".weight"]
        self.conv = nn.Conv2d(cin, cout, 1, bias=path + ".bias" in shapes)
        self.bn = Norm(shapes, path, eps) if path + ".bn.weight" in shapes else None
        self.relu = relu

    def forward(self, x, mask=None):
        x = self.conv(x)
        if self.bn is not None:
            x = self.bn(x, mask)
        return x.relu_() if self.relu else x


class Norm(nn.BatchNorm2d):
    """Batch normalisation; with a mask its statistics are over the slots that exist."""

    def __init__(self, shapes, path, eps):
        super().__init__(shapes[path + ".bn.weight"][0], eps=eps)
        self.shift = path + ".bn.bias" in shapes
        if not self.shift:
            self.bias.requires_grad_(False)

    def forward(self, x, mask=None):
        if mask is None or not self.training:
            return super().forward(x)
        count = mask.sum()
        mean = (x * mask).sum((0, 2, 3), keepdim=True) / count
        var = ((x - mean) ** 2 * mask).sum((0, 2, 3), keepdim=True) / count
        with torch.no_grad():
            self.running_mean.lerp_(mean.flatten(), self.momentum)
            self.running_var.lerp_(var.flatten() * count / (count - 1), self.momentum)
        x = (x - mean) * torch.rsqrt(var + self.eps)
        return x * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)


def gather(x, index):
    """x [B, C, M, 1] at index [B, N, K]: [B, C, N, K]"""
    b, c = x.shape[:2]
    n, k = index.shape[1:]
    if b == 1:
        return x.reshape(c, -1).index_select(1, index.reshape(-1)).view(1, c, n, k)
    flat = index.reshape(b, 1, n * k).expand(b, c, n * k)
    return x.squeeze(3).gather(2, flat).view(b, c, n, k)


def gather_last(x, index):
    """The same for tensors in channels-last order: rows are copied whole."""
    b, c, m = x.shape[:3]
    n, k = index.shape[1:]
    rows = x.permute(0, 2, 3, 1).reshape(b * m, c)
    first = torch.arange(b, device=index.device).view(b, 1, 1) * m
    flat = (index + first).reshape(-1)
    return rows.index_select(0, flat).view(b, n, k, c).permute(0, 3, 1, 2)


class First:
    """What runs over the neighbours, the last axis of [B, C, N, K] in its usual order."""
    gather = staticmethod(gather)
    softmax = staticmethod(lambda s: torch.softmax(s, 3))
    sum = staticmethod(lambda x: x.sum(3, True))
    max = staticmethod(lambda x: x.amax(3, True))


class Last:
    """The same where channels lie innermost. softmax(s, 3) would copy s into the usual order, and the
    pools are many times faster than sum and amax over an axis that is not innermost."""
    gather = staticmethod(gather_last)
    softmax = staticmethod(lambda s: torch.softmax(s.permute(0, 2, 3, 1), 2).permute(0, 3, 1, 2))
    sum = staticmethod(lambda x: F.avg_pool2d(x, (1, x.shape[3]), divisor_override=1))
    max = staticmethod(lambda x: F.max_pool2d(x, (1, x.shape[3])))


class Gelatto(nn.Module):
    """The two-headed layer: H, G, H', G'', H'', attention, O = f_o([G ; H])."""

    MAPS = ("f_r", "f_rs", "f_s", "f_p", "f_pq", "f_q", "f_hg", "f_gh", "f_gg", "f_hh")

    def __init__(self, shapes, path, eps):
        super().__init__()
        for f in self.MAPS:
            name = f"{path}.{f}"
            if name + ".weight" in shapes:
                # batch normalisation with a shift is followed by ReLU (value-relu, bn-relu)
                self.add_module(f, Map(shapes, name, eps, relu=name + ".bn.bias" in shapes))
        for f in ("f_gatt", "f_hatt"):
            name = f"{path}.{f}"
            if name + ".hidden.weight" in shapes:
                self.add_module(f, nn.ModuleDict({
                    "hidden": Map(shapes, name + ".hidden", eps, relu=True),
                    "out": Map(shapes, name + ".out", eps)}))
            elif name + ".weight" in shapes:
                self.add_module(f, Map(shapes, name, eps))
        self.f_o = Map(shapes, path + ".f_o", eps)
        self.bn = Norm(shapes, path, eps)
        self.over = First
        # backward needs what a ReLU gave: only then sums are not made in place
        self.keeps = any(name.startswith(path) and name.endswith(".bn.bias") for name in shapes
                         if ".attention.f_" in name)

    def attend(self, f, value, mask, missing):
        """softmax over the neighbours of f(value), times value, summed; the maximum without f."""
        if not hasattr(self, f):
            return self.over.max(value if missing is None else value.masked_fill(missing, -np.inf))
        score = getattr(self, f)
        if isinstance(score, nn.ModuleDict):
            s = score["out"](score["hidden"](value, mask), mask)
        else:
            s = score(value, mask)
        if missing is not None:
            s = s.masked_fill_(missing, -np.inf)
        w = self.over.softmax(s)
        if w.shape[1] != value.shape[1]:
            w = w.repeat_interleave(value.shape[1] // w.shape[1], 1)
        return self.over.sum(w * value)

    def forward(self, x, p, index, missing):
        n, k = index.shape[1:]
        mask = None if missing is None else (~missing).to(x.dtype)
        x_i, x_j = x[:, :, :n].expand(-1, -1, -1, k), self.over.gather(x, index)
        p_i, p_j = p[:, :, :n].expand(-1, -1, -1, k), self.over.gather(p, index)
        heads, h, g = [], None, None
        add = torch.Tensor.add if self.training and self.keeps else torch.Tensor.add_
        if hasattr(self, "f_r"):
            h = add(self.f_r(x_i, mask), self.f_rs(x_j - x_i, mask))
        if hasattr(self, "f_p"):
            g = add(add(self.f_p(p_i, mask), self.f_pq(p_j - p_i, mask)), self.f_q(p_j, mask))
            if hasattr(self, "f_hg"):
                g = add(g, self.f_hg(h, mask))
        if hasattr(self, "f_gg"):
            heads.append(self.attend("f_gatt", self.f_gg(g, mask), mask, missing))
        if hasattr(self, "f_hh"):
            h = add(self.f_s(x_j, mask), h)  # f_hg has read h: a new tensor
            if hasattr(self, "f_gh"):
                h = add(h, self.f_gh(g, mask))
            heads.append(self.attend("f_hatt", self.f_hh(h, mask), mask, missing))
        return F.relu(self.bn(self.f_o(torch.cat(heads, 1))))


class Block(nn.Module):
    def __init__(self, shapes, path, eps, first):
        super().__init__()
        self.add_module("in", Map(shapes, path + ".in", eps, relu=True))
        self.attention = Gelatto(shapes, path + ".attention", eps)
        self.out = Map(shapes, path + ".out", eps)
        project = path + ".shortcut.weight" in shapes
        self.shortcut = Map(shapes, path + ".shortcut", eps) if project else None
        self.first = first

    def forward(self, f, p, index, missing):
        x = getattr(self, "in")(f)
        z = self.out(self.attention(x, p, index, missing))
        # a missing slot repeats the first neighbour, so the maximum needs no mask
        over = self.attention.over
        s = over.max(over.gather(f, index)) if self.first else f
        return F.relu(z + (s if self.shortcut is None else self.shortcut(s)))


class Head(nn.Module):
    def __init__(self, shapes, path, eps, dropout):
        super().__init__()
        self.hidden = Map(shapes, path + ".hidden", eps, relu=True)
        self.logits = Map(shapes, path + ".logits", eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.logits(self.dropout(self.hidden(x)))


class Network(nn.Module):
    """Built from {name: shape}; forward takes features, xyz [B, C, N, 1] and the geometry."""

    def __init__(self, shapes, eps=1e-5, dropout=0.5):
        super().__init__()
        self.stem = Map(shapes, "stem", eps, relu=True)
        for l in LEVELS:
            self.add_module(f"enc{l}", nn.ModuleDict(
                {f"block{b}": Block(shapes, f"enc{l}.block{b}", eps, b == 1) for b in (1, 2)}))
        self.classifies = "cls.logits.weight" in shapes
        if self.classifies:
            self.cls = Head(shapes, "cls", eps, dropout)
            return
        for l in LEVELS:
            self.add_module(f"dec{l}", nn.ModuleDict(
                {str(i): Map(shapes, f"dec{l}.{i}", eps, relu=True) for i in (0, 1)}))
            self.add_module(f"aux{l}", Head(shapes, f"aux{l}", eps, dropout))
        self.main = Head(shapes, "main", eps, dropout)
        self.over = First

    def forward(self, features, xyz, edges, ups):
        """edges: 8 x (index, missing or None), ups: 4 x (index, weight). Returns main, aux1 .. 4."""
        f, skips = self.stem(features), []
        for l in LEVELS:
            skips.append(f)
            block = getattr(self, f"enc{l}")
            f = block["block1"](f, xyz[:, :, :f.shape[2]], *edges[2 * l - 2])
            f = block["block2"](f, xyz[:, :, :f.shape[2]], *edges[2 * l - 1])
        if self.classifies:
            return (self.cls(f.mean(2, True)),)
        out = [self.aux1(f)]
        for l in reversed(LEVELS):
            index, weight = ups[l - 1]
            up = self.over.sum(self.over.gather(f, index) * weight.unsqueeze(1))
            layer = getattr(self, f"dec{l}")
            f = layer["1"](layer["0"](torch.cat((up, skips[l - 1]), 1)))
            out.append(getattr(self, f"aux{6 - l}" if l > 1 else "main")(f))
        return tuple(out[-1:] + out[:-1])

    def channels_last(self):
        for module in self.modules():
            if hasattr(module, "over"):
                module.over = Last
        return self.to(memory_format=torch.channels_last)


def load(network, tensors):
    """Puts every tensor where its name says; a name too many or too few is an error."""
    left = {name for name in tensors if not name.startswith("adam.")}
    with torch.no_grad():
        for path, module in network.named_modules():
            leaves = ()
            if isinstance(module, nn.Conv2d):
                path, leaves = path.rsplit(".", 1)[0], ("weight", "bias")
            elif isinstance(module, nn.BatchNorm2d):
                leaves = ("weight", "bias", "running_mean", "running_var")
            for leaf in leaves:
                to = getattr(module, leaf)
                if to is None or (leaf == "bias" and not getattr(module, "shift", True)):
                    continue
                name = f"{path}.{leaf}"
                to.copy_(torch.from_numpy(np.ascontiguousarray(tensors[name])).view(to.shape))
                left.remove(name)
    if left:
        raise SystemExit(f"tensors without a place in the network: {sorted(left)[:5]}")
