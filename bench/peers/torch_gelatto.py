#!/usr/bin/env python3
"""The Ge-Latto network in PyTorch, as its authors would have written it: the peer of our benches.

Every map f of the two-headed layer is a 1x1 convolution over [B, C, N, K], the centre replicated K
times as the equations say; nothing of our algebra is used. Neighbour lists are padded to K slots,
and slots that do not exist get a score of minus infinity (underfull = mask).

  torch_gelatto.py check MODEL TRACE [options] same logits from an exported model and a trace?
  torch_gelatto.py time [options]              name<TAB>seconds<TAB>bytes, one line per measurement

Times leave the geometry out (sampling, neighbours and interpolation come from the trace, or are made
before the clock starts), which is generous to the peer; the row `geometry` gives it separately.
Settings: `box` = as installed; `compile` = torch.compile; `best` = traced and frozen, memory kept by
malloc (jemalloc with huge pages) instead of going back to the system, threads bound to cores, channels
first or last, whichever is faster. The bytes are the peak resident size of a process that does nothing else.
"""
import argparse
import os
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

from torch_network import Network
from torch_samples import (as_batch, open_model, paper_shapes, random_sample, read_safetensors,
                           trace_sample)


def check(args):
    """Logits of every head, in both layouts, against the trace: max |a - b| <= tolerance * max |b|."""
    real = np.float64 if args.double else np.float32
    network, inputs, pad_to = open_model(args.model, real)
    made, _ = read_safetensors(args.trace, real)
    sample = trace_sample(made, inputs, pad_to)
    network.eval()
    worst = 0.0
    for layout in ("first", "last"):
        last = layout == "last"
        if last:
            network.channels_last()
        with torch.no_grad():
            out = network(*as_batch([sample], last, pad_to is not None))
        for name, logits in zip(("main", "aux1", "aux2", "aux3", "aux4"), out):
            if "out/" + name not in made:
                continue
            ours = made["out/" + name]
            theirs = logits[0, :, :, 0].t().numpy()
            error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            print(f"check-{name}-{layout}\t{error:.3g}\t{ours.shape[0]}")
            worst = max(worst, error if np.isfinite(error) else np.inf)
    if worst > args.tolerance:
        raise SystemExit(f"the logits differ by {worst:.3g} of their maximum")


# --- times -----------------------------------------------------------------------------------------

JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"


def best_environment():
    """Memory once had is kept in huge pages, threads stay on their cores. glibc's heap fragments in
    training until every step faults fresh pages in (13 GB, 17 s a step): Debian's libjemalloc2 does not."""
    binding = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
    if os.path.exists(JEMALLOC):
        loaded = os.environ.get("LD_PRELOAD", "")  # the clock of compare --cpu
        return {**binding, "LD_PRELOAD": f"{JEMALLOC}:{loaded}".rstrip(":"), "MALLOC_CONF": "dirty_decay_ms:-1,"
                "muzzy_decay_ms:-1,narenas:1,oversize_threshold:0,thp:always"}
    return {**binding, "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
            "MALLOC_TOP_PAD_": str(1 << 26), "MALLOC_ARENA_MAX": "1"}


def prepare(args, clouds):
    last = args.setting == "best" and args.layout == "last"
    if args.model:
        network, inputs, pad_to = open_model(args.model)
        made, _ = read_safetensors(args.trace)
        samples = [trace_sample(made, inputs, pad_to)] * clouds
    else:
        torch.manual_seed(1)
        pad_to = None
        network = Network(paper_shapes(args.maps))
        samples = [random_sample(args, seed)[0] for seed in range(clouds)]
    if last:
        network.channels_last()
    return network, as_batch(samples, last, pad_to is not None)


def flatten(batch):
    """jit.trace wants tensors only."""
    features, xyz, edges, ups = batch
    return features, xyz, [t for e in edges for t in e if t is not None], [t for u in ups for t in u]


class Flat(nn.Module):
    """The network behind a flat list of tensors; which lists have a mask is fixed when traced."""

    def __init__(self, network, edges):
        super().__init__()
        self.network = network
        self.masked = [missing is not None for _, missing in edges]

    def forward(self, features, xyz, edges, ups):
        it = iter(edges)
        pairs = [(next(it), next(it) if masked else None) for masked in self.masked]
        return self.network(features, xyz, pairs, list(zip(ups[::2], ups[1::2])))


def trace(network, batch, flat):
    """The shapes are constants here, and the tracer's warnings say nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.trace(Flat(network, batch[2]).train(network.training), flat,
                               check_trace=False, strict=False)


def infer(args):
    network, batch = prepare(args, args.clouds)
    network.eval()
    if args.setting == "best":
        flat = flatten(batch)
        with torch.inference_mode():
            traced = torch.jit.freeze(trace(network, batch, flat))
            return measure(args, lambda: traced(*flat))
    if args.setting == "compile":
        network = torch.compile(network)
    with torch.no_grad():
        return measure(args, lambda: network(*batch))


def train(args):
    network, batch = prepare(args, args.batch)
    network.train()
    classes = network.main.logits.conv.out_channels
    labels = torch.randint(0, classes, batch[0].shape[:1] + batch[0].shape[2:3])
    adam = torch.optim.Adam(network.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    if args.setting == "compile":
        network = torch.compile(network)
    if args.setting == "best":
        flat = flatten(batch)
        model = trace(network, batch, flat)
        run = lambda: model(*flat)
        adam = torch.optim.Adam(network.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9,
                                fused=True)
    else:
        run = lambda: network(*batch)

    def step():
        adam.zero_grad(set_to_none=True)
        losses = [F.cross_entropy(y.squeeze(3), labels[:, :y.shape[2]], label_smoothing=0.1)
                  for y in run()]
        (losses[0] + 0.4 * sum(losses[1:])).backward()
        adam.step()

    return measure(args, step)


def geometry(args):
    seconds = [random_sample(args, seed)[1] for seed in range(args.repeat)]
    return float(np.median(seconds))


def measure(args, run):
    """The best of `repeat` runs after a warm-up, as bench_network counts too."""
    for _ in range(args.warmup):
        run()
    seconds = []
    for _ in range(args.repeat):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def one(args):
    torch.set_num_threads(args.threads)
    seconds = {"infer": infer, "train": train, "geometry": geometry}[args.what](args)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    maps = "model" if args.model else args.maps
    name = "geometry" if args.what == "geometry" else f"{args.what}-{maps}-{args.setting}"
    print(f"{name}\t{seconds:.4f}\t{size}", flush=True)


def in_process(args, what, setting, layout):
    """One measurement in a process of its own: clean peak, its own malloc settings."""
    environment = dict(os.environ, **(best_environment() if setting == "best" else {}))
    command = [sys.executable, os.path.abspath(__file__), "time", "--inside", "--what", what,
               "--setting", setting, "--layout", layout]
    for key in ("maps", "points", "clouds", "batch", "threads", "repeat", "warmup", "model", "trace"):
        if getattr(args, key) is not None:
            command += ["--" + key, str(getattr(args, key))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} {setting} failed")
    return done.stdout.strip().splitlines()[-1]


def time_all(args):
    if args.inside:
        return one(args)
    for what in args.what.split(","):
        for setting in ["box"] if what == "geometry" else args.setting.split(","):
            layouts = args.layout.split(",") if setting == "best" else ["first"]
            lines = [in_process(args, what, setting, layout) for layout in layouts]
            print(min(lines, key=lambda line: float(line.split("\t")[1])), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    c = commands.add_parser("check", help="compare the logits with those of a trace")
    c.add_argument("model")
    c.add_argument("trace")
    c.add_argument("--tolerance", type=float, default=1e-4)
    c.add_argument("--double", action="store_true", help="compute in double")
    c.set_defaults(run=check)
    t = commands.add_parser("time", help="measure; random weights and points without --model")
    t.add_argument("--what", default="infer", help="comma list of infer, train, geometry")
    t.add_argument("--setting", default="box,best", help="comma list of box, compile, best")
    t.add_argument("--maps", default="linear")
    t.add_argument("--layout", default="first,last", help="tried for `best`")
    t.add_argument("--points", type=int, default=6144)
    t.add_argument("--clouds", type=int, default=1, help="batch of infer")
    t.add_argument("--batch", type=int, default=2, help="batch of train")
    t.add_argument("--threads", type=int, default=2)
    t.add_argument("--repeat", type=int, default=3)
    t.add_argument("--warmup", type=int, default=1)
    t.add_argument("--model", help="exported safetensors file (with --trace)")
    t.add_argument("--trace")
    t.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    t.set_defaults(run=time_all)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
