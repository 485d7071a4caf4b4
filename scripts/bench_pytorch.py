#!/usr/bin/env python3
"""Compares the speed of `crownhead` with PyTorch, onnxruntime and tract on the same network.

    pip install -r scripts/bench-pytorch-requirements.txt
    crownhead export SOURCE --to DIR
    scripts/bench_pytorch.py DIR --crownhead target/release/crownhead --threads 2

The PyTorch twin has the weights of DIR and is checked against its golden positions. Its training
step is that of the trainer: AdamW, gradient clipping, averaged weights, cross-entropies of policy,
value and softened policy. Rounds of all programs alternate and the best of each counts, so that
other load on the machine has little effect. The others are favored: Crownhead's figures include
encoding positions, drawing batches and scoring moves, and count the time on the clock; the others
run the network alone, on prepared tensors, and on one thread only their processor time counts.

    scripts/bench_pytorch.py DIR --part device --device cuda --batch 4096 --compile

runs PyTorch alone on a GPU: the network in 32 and in 16 bits, and training steps in mixed precision.
"""

import argparse
import copy
import json
import os
import struct
import subprocess
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TOLERANCE = 1e-4
BATCH = 32
STEPS = [(0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1), (0, -2), (0, 2), (-2, 0), (2, 0)]


def read_safetensors(path):
    """Tensors by name; all are f32."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    header.pop("__metadata__", None)
    return {
        name: torch.frombuffer(bytearray(data[slice(*spec["data_offsets"])]), dtype=torch.float32)
        .reshape(spec["shape"])
        for name, spec in header.items()
    }


def taps(n_squares, n_taps):
    """[square * tap] the neighboring square; n_squares, which has zeros, beyond the edge."""
    width = 5 if n_squares > 32 else 4

    def neighbor(token, step):
        row, column = token // width + step[0], 0
        column = 2 * (token % width) + (1 - token // width % 2) + step[1]
        on_board = 0 <= row < 2 * width and 0 <= column < 2 * width
        return row * width + column // 2 if on_board else n_squares

    return torch.tensor([neighbor(s, step) for s in range(n_squares) for step in STEPS[:n_taps]])


class Network(nn.Module):
    """The lattice network, as the documentation of the crate `model` defines it."""

    def __init__(self, config, weights, gather):
        super().__init__()
        self.shape, self.gather = config, gather
        self.weights = nn.ParameterDict(
            {name.replace(".", "/"): nn.Parameter(w.clone()) for name, w in weights.items()}
        )
        index = taps(config["n_squares"], config["n_taps"])
        self.register_buffer("index", index)
        picks = F.one_hot(index, config["n_squares"] + 1)[:, :-1].float()
        self.register_buffer("picks", picks.contiguous())

    def tensor(self, name):
        return self.weights[name.replace(".", "/")]

    def linear(self, name, x):
        weight = self.tensor(name + ".weight")
        x = torch.addmm(self.tensor(name + ".bias"), x.reshape(-1, weight.shape[0]), weight)
        return x

    def convolve(self, name, x):
        """[batch, squares, channels] to the same."""
        if self.gather == "select":
            taps = F.pad(x, (0, 0, 0, 1)).index_select(1, self.index)
        else:
            taps = self.picks @ x
        return self.linear(name, taps).view_as(x)

    def forward(self, planes, globals_):
        c, w = self.shape, self.tensor
        board = torch.addmm(w("input.bias"), globals_, w("input.global"))
        x = F.relu(planes @ w("input.weight") + w("input.position") + board.unsqueeze(1))
        for block in range(c["blocks"]):
            y = F.relu(self.convolve(f"blocks.{block}.conv1", x))
            if block % 2 == 1:
                pooled = torch.cat([y.mean(1), y.amax(1)], 1)
                y = y + (pooled @ w(f"blocks.{block}.pool.weight")).unsqueeze(1)
            x = F.relu(x + self.convolve(f"blocks.{block}.conv2", y))
        value = F.relu(self.linear("value.square", x)).view(len(x), -1)
        wdl = self.linear("value.out", F.relu(self.linear("value.hidden", value)))
        return x, self.policy("policy", x), wdl

    def policy(self, name, x):
        """f and t [batch, squares, d], k [batch, squares, 1]."""
        d = self.shape["policy_dim"]
        return self.linear(name, x).view(*x.shape[:2], -1).split([d, d, 1], 2)


def scores(parts, moves):
    """Logits of padded moves, [batch, moves]; those of padding are far below all others."""
    f, t, k = parts
    rows = moves["rows"]
    product = (f[rows, moves["from"]] * t[rows, moves["to"]]).sum(2) / f.shape[2] ** 0.5
    return (product + (moves["captured"] @ k).squeeze(2)).masked_fill(moves["padding"], -1e9)


def cross_entropy(logits, target):
    return -(F.log_softmax(logits, 1) * target).sum() / len(logits)


def inputs(positions):
    return [torch.tensor([p[name] for p in positions]) for name in ("planes", "globals")]


def make_batch(manifest, size, seed):
    """A batch of golden positions with their own policy as the target."""
    rng, golden = np.random.default_rng(seed), manifest["golden_positions"]
    positions = [golden[i] for i in rng.integers(len(golden), size=size)]
    n_moves = max(len(p["moves"]) for p in positions)
    n_squares = manifest["input"]["squares"]
    moves = {
        "rows": torch.arange(size).unsqueeze(1),
        "from": torch.zeros(size, n_moves, dtype=torch.long),
        "to": torch.zeros(size, n_moves, dtype=torch.long),
        "captured": torch.zeros(size, n_moves, n_squares),
        "padding": torch.ones(size, n_moves, dtype=torch.bool),
    }
    target = torch.zeros(size, n_moves)
    for row, position in enumerate(positions):
        token = manifest["input"]["tokens"][position["turn"]]
        for column, move in enumerate(position["moves"]):
            moves["from"][row, column] = token[move["from"] - 1]
            moves["to"][row, column] = token[move["to"] - 1]
            for square in move["captured"]:
                moves["captured"][row, column, token[square - 1]] = 1
            moves["padding"][row, column] = False
            target[row, column] = move["probability"]
    wdl = torch.tensor([p["wdl"] for p in positions])
    return inputs(positions), moves, target, wdl


class Training:
    """The optimizer step of the crate `trainer` with its default settings, but with AdamW only."""

    def __init__(self, network, forward, batch):
        self.network, self.forward, self.batch = network, forward, batch
        named = list(network.weights.items())
        matrices = [w for name, w in named if name.endswith("weight")]
        others = [w for name, w in named if not name.endswith("weight")]
        groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}]
        self.optimiser = torch.optim.AdamW(groups, lr=1e-3, eps=1e-8, fused=True)
        self.parameters = [w for _, w in named]
        self.average = [w.detach().clone() for w in self.parameters]

    def step(self):
        planes_globals, moves, target, wdl_target = self.batch
        x, policy, wdl = self.forward(*planes_globals)
        soft = target.sqrt().sqrt()
        soft = soft / soft.sum(1, keepdim=True)
        loss = cross_entropy(scores(policy, moves), target) + cross_entropy(wdl, wdl_target)
        loss = loss + cross_entropy(scores(self.network.policy("soft_policy", x), moves), soft)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.average, self.parameters, 0.002)
        return len(target)


def best_rate(work, seconds, clock):
    """Units per second of the best round; `work` does a round and returns its units."""
    end, best = time.perf_counter() + seconds, 0.0
    while best == 0 or time.perf_counter() < end:
        start = clock()
        best = max(best, work() / (clock() - start))
    return best


def crownhead(args, manifest, part, threads, precision="f32"):
    """Best rate of `crownhead bench`."""
    network = manifest["network"]["config"]
    preset = {32: "nano", 64: "small", 128: "medium", 192: "large"}[network["channels"]]
    command = [args.crownhead, "bench", part, "--variant", manifest["variant"], "--preset", preset,
               "--threads", str(threads), "--set", f"model.precision={precision}", "--set", "train.optimiser=adamw",
               "--seconds", str(args.seconds), "--format", "json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return 1e3 * next(f["value"] for f in json.loads(output)["figures"] if f["unit"] == "k/s")


def check(network, manifest):
    """Checks the twin on the golden positions."""
    golden = manifest["golden_positions"]
    with torch.inference_mode():
        _, (f, t, k), wdl = network(*inputs(golden))
    found = {"f": f, "t": t, "k": k.squeeze(2), "wdl": wdl.softmax(1)}
    for name, tensor in found.items():
        expected = torch.tensor([position[name] for position in golden])
        assert (tensor - expected).abs().max() < TOLERANCE, name


def networks(args, manifest, weights):
    """Name, network and function for each way to gather, plain and compiled."""
    for gather in ("select", "product"):
        network = Network(manifest["network"]["config"], weights, gather)
        check(network, manifest)
        yield f"PyTorch, gather by {gather}", network, network
        if args.compile:
            network = copy.deepcopy(network)
            yield f"PyTorch compiled, gather by {gather}", network, torch.compile(network)


def inference(args, manifest, weights):
    import onnxruntime  # needed on the processor only
    import tract

    (planes, globals_), *_ = make_batch(manifest, BATCH, 1)
    feed = {"planes": planes.numpy(), "globals": globals_.numpy()}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(os.path.join(args.folder, "model.onnx"), options)

    def with_onnx():
        session.run(None, feed)
        return BATCH

    model = tract.onnx().load(os.path.join(args.folder, "model.onnx"))
    tensors = [tract.Tensor.from_numpy(array) for array in feed.values()]
    for number, array in enumerate(feed.values()):
        model.set_input_fact(number, ",".join(map(str, array.shape)) + ",f32")
    runnable = model.into_model().into_runnable()

    def with_tract():
        runnable.run(tensors)
        return BATCH

    def with_torch(forward):
        with torch.inference_mode():
            forward(planes, globals_)
        return BATCH

    def rate(work):
        return lambda: best_rate(work, args.seconds, time.process_time)

    torch.set_num_threads(1)
    contenders = {"crownhead": lambda: crownhead(args, manifest, "inference", 1)}
    contenders["crownhead int8"] = lambda: crownhead(args, manifest, "inference", 1, "int8")
    contenders["onnxruntime"] = rate(with_onnx)
    contenders["tract"] = rate(with_tract)
    for name, _, forward in networks(args, manifest, weights):
        contenders[name] = rate(lambda f=forward: with_torch(f))
    return contenders


def training(args, manifest, weights):
    clock = time.process_time if args.threads == 1 else time.perf_counter
    torch.set_num_threads(args.threads)
    batch = make_batch(manifest, args.batch, 2)
    contenders = {"crownhead": lambda: crownhead(args, manifest, "training", args.threads)}
    for name, network, forward in networks(args, manifest, weights):
        step = Training(network, forward, batch).step
        contenders[name] = lambda s=step: best_rate(s, args.seconds, clock)
    return contenders


def on_device(args, manifest, weights):
    """PyTorch on a GPU. A rate counts until the device has finished."""

    def synchronize():
        if args.device.startswith("cuda"):
            torch.cuda.synchronize()

    def rate(work):
        def done():
            n_positions = work()
            synchronize()
            return n_positions

        def measure():
            done()  # compiles
            return best_rate(done, args.seconds, time.perf_counter)

        return measure

    def moved(values):
        values = values.items() if isinstance(values, dict) else enumerate(values)
        return {key: value.to(args.device) for key, value in values}

    tensors, moves, target, wdl = make_batch(manifest, args.batch, 2)
    tensors, moves = list(moved(tensors).values()), moved(moves)
    batch = (tensors, moves, target.to(args.device), wdl.to(args.device))
    # PyTorch's processor has no products in f16.
    sixteen_bits = torch.bfloat16 if args.device == "cpu" else torch.float16
    contenders = {}
    for name, network, _ in networks(args, manifest, weights):
        compiled = torch.compile if "compiled" in name else lambda module: module
        for dtype in (torch.float32, sixteen_bits):
            copied = copy.deepcopy(network).to(args.device, dtype)
            forward, halves = compiled(copied), [tensor.to(dtype) for tensor in tensors]

            def evaluate(forward=forward, halves=halves):
                with torch.inference_mode():
                    forward(*halves)
                return args.batch

            contenders[f"{name}, {str(dtype)[6:]}"] = rate(evaluate)
        copied = copy.deepcopy(network).to(args.device)
        training = Training(copied, compiled(copied), batch)

        def step(training=training):
            with torch.autocast(args.device.split(":")[0], torch.bfloat16):
                return training.step()

        contenders[f"{name}, training"] = rate(step)
    return contenders


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="an export with model.onnx and model.safetensors")
    parser.add_argument("--crownhead", help="the binary to compare with")
    parser.add_argument("--threads", type=int, default=1, help="threads of a training step")
    parser.add_argument("--batch", type=int, default=256, help="samples of a training step")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each contender's round")
    parser.add_argument("--compile", action="store_true", help="measure torch.compile as well")
    parser.add_argument("--part", choices=["inference", "training", "device"], action="append")
    parser.add_argument("--device", default="cuda", help="PyTorch's device for the part `device`")
    args = parser.parse_args()
    with open(os.path.join(args.folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    weights = read_safetensors(os.path.join(args.folder, "model.safetensors"))
    parts = {"inference": (inference, f"evaluations/s, batch {BATCH}, 1 thread"),
             "training": (training, f"samples/s, batch {args.batch}, {args.threads} threads"),
             "device": (on_device, f"positions/s, batch {args.batch}, {args.device}")}
    asked = args.part or ["inference", "training"]
    if asked != ["device"] and not args.crownhead:
        parser.error("--crownhead is missing: give the binary to compare with")
    for part in asked:
        make, unit = parts[part]
        contenders = make(args, manifest, weights)
        best = dict.fromkeys(contenders, 0.0)
        for _ in range(args.rounds):
            for name, measure in contenders.items():
                best[name] = max(best[name], measure())
        print(f"{manifest['variant']} {part}: {unit}")
        for name, rate in best.items():
            ratio = f"  crownhead is {best['crownhead'] / rate:5.2f} times as fast" if "crownhead" in best else ""
            print(f"  {name:40} {rate:10.0f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
