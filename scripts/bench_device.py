#!/usr/bin/env python3
"""Measures everything about a GPU in one call of limited time.

    cargo build --release -p crownhead --features vulkan
    cargo bench --no-run -p crownhead -p crownhead-model --features crownhead/vulkan --bench device
    scripts/bench_device.py --to results.json

Measured are the time to the first answer, evaluations a second by network, batch, precision and kind
of convolution, self-play with the share of time in which the device has work, training, and PyTorch
on the same network if `torch` sees the device. The most important parts come first. A part that
takes too long is stopped and keeps the figures it has printed; the file is written after each part,
so that a call that is cut off loses one part. Kernels that the program has stored are copied to and
from --kernels, so that a later call does not choose them again. --tiny runs all parts with small
sizes, to try the script on Vulkan in software; each may take four times as long there, since the
processor that computes also makes the kernels:

    CUBECL_AUTOTUNE_LEVEL=minimal scripts/bench_device.py --tiny --minutes 60 --to results.json
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "target" / "environment"
FIGURE = re.compile(r"^(\S+) +(.*?) +([0-9.]+) (\S*)$")
STEP = re.compile(r"^(.*?) +([0-9.]+) ms +([0-9]+) positions/s, the first ([0-9.]+) s$")
DIFFERENCE = re.compile(r"^(greatest difference from the processor): (\S+)$")


def parse(line):
    """A figure that a benchmark has printed, or None."""
    if step := STEP.match(line):
        what, ms, rate, first = step.groups()
        return {"what": what, "ms": float(ms), "positions/s": float(rate), "first s": float(first)}
    if found := DIFFERENCE.match(line):
        return {"what": found[1], "value": float(found[2])}
    if found := FIGURE.match(line):
        part, what, value, unit = found.groups()
        return {"what": f"{part}: {what}", "value": float(value), "unit": unit}
    return None


class Session:
    """The results so far, and the time that is left."""

    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + 60 * args.minutes
        self.results = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), "machine": machine(), "parts": []}

    def run(self, name, command, seconds):
        """Runs a part for at most `seconds`, and returns the lines that it has printed."""
        left = self.end - time.monotonic()
        part = {"name": name, "command": " ".join(map(str, command)), "outcome": "skipped", "figures": []}
        self.results["parts"].append(part)
        seconds *= 4 if self.args.tiny else 1
        lines, start = [], time.monotonic()
        if left > 5:
            with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
                try:
                    code = subprocess.run(
                        command, stdout=out, stderr=errors, cwd=ROOT, timeout=min(seconds, left), check=False
                    ).returncode
                    part["outcome"] = "ok" if code == 0 else f"exit {code}"
                except subprocess.TimeoutExpired:
                    part["outcome"] = "out of time"
                out.seek(0)
                errors.seek(0)
                lines = out.read().splitlines()
                if part["outcome"] != "ok":
                    part["errors"] = errors.read()[-2000:]
        part["seconds"] = round(time.monotonic() - start, 1)
        part["figures"] = [figure for line in lines if (figure := parse(line.strip()))]
        self.write()
        print(f"{name}: {part['outcome']} after {part['seconds']} s", flush=True)
        for figure in part["figures"]:
            print("   ", *(f"{key} {value}" for key, value in figure.items()), flush=True)
        return lines

    def write(self):
        text = json.dumps(self.results, indent=1)
        new = self.args.to.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(self.args.to)


def machine():
    """The machine in words."""
    try:
        command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        gpu = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        gpu = "unknown"
    return {"gpu": gpu, "cores": os.cpu_count(), "load": os.getloadavg()[0]}


class Parts:
    """Everything that can be measured."""

    def __init__(self, session, args):
        self.session, self.args = session, args

    def steps(self, preset, precision, batch, convolution, game="english"):
        """The steps of an evaluation, with the difference from the processor."""
        if self.args.tiny:
            preset, batch = "nano", 16
        name = f"{game} {preset} {precision}, {batch} positions, {convolution}"
        command = [self.args.steps, self.args.device, preset, precision, batch, convolution, game]
        self.session.run(name, list(map(str, command)), 100)

    def bench(self, name, parts, preset, seconds, game="english", settings=()):
        """`crownhead bench`."""
        sizes = {
            "model.precision": "f16", "selfplay.concurrent_games": 1024,
            "selfplay.games_per_generation": 32768, "search.simulations": 16, "selfplay.fast_simulations": 4,
            "device": self.args.device,
        }
        if self.args.tiny:
            preset = "nano"
            sizes |= {
                "selfplay.concurrent_games": 4, "selfplay.games_per_generation": 8, "search.simulations": 2,
                "selfplay.fast_simulations": 1, "selfplay.max_plies": 20, "train.batch_size": 16,
                "train.steps_between_reports": 2,
            }
        sizes |= dict(settings)
        sets = [word for key, value in sizes.items() for word in ("--set", f"{key}={value}")]
        command = [self.args.crownhead, "bench", *parts, "--variant", game, "--preset", preset, *sets]
        command += ["--threads", str(self.args.threads), "--seconds", "0.01" if self.args.tiny else "2"]
        self.session.run(name, list(map(str, command)), seconds)

    def torch(self, folder):
        """PyTorch with the same network, plain and compiled."""
        if importlib.util.find_spec("torch") is None:
            return
        model = folder / "export"
        made = [self.args.crownhead, "train", "english", "--preset", "nano" if self.args.tiny else "medium"]
        made += ["--generations", "0", "--run", folder / "run", "--set", "endgame.pieces=0"]
        self.session.run("a network for PyTorch", list(map(str, made)), 60)
        export = [self.args.crownhead, "export", f"run:{folder / 'run'}@0", "--to", model, "--formats", "safetensors"]
        self.session.run("its export", list(map(str, export)), 60)
        command = [sys.executable, ROOT / "scripts" / "bench_pytorch.py", model, "--part", "device"]
        command += ["--device", self.args.torch_device, "--compile", "--rounds", "1"]
        command += ["--batch", "16" if self.args.tiny else "4096"]
        lines = self.session.run("PyTorch", list(map(str, command)), 150)
        self.session.results["parts"][-1]["lines"] = lines
        self.session.write()

    def all(self, folder):
        """Measures everything, the most important first."""
        for start in ("first", "second"):
            settings = {"selfplay.concurrent_games": 4 if self.args.tiny else 256}
            name = f"start-up, the {start} process"
            self.bench(name, ["inference"], "medium", 120, settings=settings)
        for convolution in ("fused", "gathered"):
            self.steps("medium", "f16", 4096, convolution)
        self.bench("medium", ["inference", "selfplay", "training"], "medium", 180)
        self.torch(folder)
        self.other_sizes("fused")
        self.bench("small", ["inference", "selfplay", "training"], "small", 90)
        self.bench("frisian", ["inference", "selfplay", "training"], "medium", 120, "frisian")
        self.other_sizes("gathered")

    def other_sizes(self, convolution):
        """The steps of an evaluation in other precisions, batches, networks and games."""
        self.steps("medium", "f32", 4096, convolution)
        self.steps("medium", "bf16", 4096, convolution)
        self.steps("medium", "f16", 1024, convolution)
        self.steps("medium", "f16", 16384, convolution)
        self.steps("small", "f16", 4096, convolution)
        self.steps("large", "f16", 4096, convolution)
        self.steps("medium", "f16", 4096, convolution, "frisian")


def newest_steps():
    """The benchmark of the crate `model` that was built last."""
    found = [path for path in (ROOT / "target" / "release" / "deps").glob("device-*") if not path.suffix]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, required=True, help="the file of the results, as JSON")
    parser.add_argument("--crownhead", type=Path, default=ROOT / "target" / "release" / "crownhead")
    parser.add_argument("--steps", type=Path, default=newest_steps(), help="the benchmark `device` of the crate model")
    parser.add_argument("--device", default="wgpu", help="wgpu or cuda")
    parser.add_argument("--torch-device", default="cuda", help="PyTorch's name of the device")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=9.5, help="the limit of the whole call")
    parser.add_argument("--kernels", type=Path, help="a folder that keeps the kernels of earlier calls")
    parser.add_argument("--tiny", action="store_true", help="small sizes, to try the script")
    args = parser.parse_args()
    if args.steps is None:
        parser.error("the benchmark `device` is missing: build it (see the top of this file) or give --steps")
    # They run in another folder than this script.
    args.crownhead, args.steps = args.crownhead.resolve(), args.steps.resolve()
    for program in (args.crownhead, args.steps):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} cannot be run: build it (see the top of this file)")
    if args.kernels and args.kernels.is_dir():
        shutil.copytree(args.kernels, STORED, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        Parts(Session(args), args).all(Path(folder))
    if args.kernels and STORED.is_dir():
        shutil.copytree(STORED, args.kernels, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
