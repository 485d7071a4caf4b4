#!/usr/bin/env python3
"""Runs the Python of docs/how-to/trackers.md on a run: Weights & Biases without a network and MLflow on SQLite must have
every curve that docs/reference/curves.md documents for it, with its last value.

    pip install -r scripts/trackers-requirements.txt
    scripts/check_trackers.py target/release/crownhead
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import mlflow
from wandb.proto import wandb_internal_pb2

BOOK = Path(__file__).resolve().parent.parent / "docs"


def recipes():
    """The functions of the guide."""
    text, found = (BOOK / "how-to/trackers.md").read_text(encoding="utf-8"), {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(block, found)
    return found


def recorded(run):
    """The last value of each curve of a run."""
    found = {}
    for line in Path(run, "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        found |= {name: value for name, value in json.loads(line).items() if "/" in name}
    return found


def documented():
    """The names in the reference; a group has names that depend on the run."""
    text = (BOOK / "reference/curves.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def records(data):
    """The records of a log of LevelDB, behind the seven bytes with which W&B begins: blocks of 32 KiB with pieces, each
    behind its checksum, length and place in the record."""
    place, record = 7, b""
    while place + 7 <= len(data):
        if 32768 - place % 32768 < 7:
            place += 32768 - place % 32768
            continue
        length, kind = struct.unpack_from("<HB", data, place + 4)
        record += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # The whole, or the last piece.
            yield record
            record = b""


def in_wandb():
    """The last values in the file that `wandb sync` would send."""
    [path] = Path("wandb").glob("offline-run-*/*.wandb")
    found = {}
    for data in records(path.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        for item in record.history.item:
            name = item.key or "/".join(item.nested_key)
            if not name.startswith("_"):
                found[name] = json.loads(item.value_json)
    return found


def in_mlflow():
    """The last values in the database."""
    [run] = mlflow.search_runs(experiment_names=["crownhead"], output_format="list")
    return run.data.metrics


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true"}
        train = [program, "train", "english", "--preset", "tiny", "--generations", "3", "--run", "english"]
        subprocess.run(train, check=True, capture_output=True)
        expected, names = recorded("english"), documented()
        unknown = [name for name in expected if name not in names and name.split("/")[0] not in names]
        assert len(expected) > 40 and not unknown, unknown
        functions = recipes()
        functions["to_wandb"]("english")
        functions["to_mlflow"]("english")
        for tracker, found in [("W&B", in_wandb()), ("MLflow", in_mlflow())]:
            # TensorBoard's numbers have 32 bits.
            wrong = [
                name
                for name, value in expected.items()
                if abs(found.get(name, float("inf")) - value) > 1e-5 * max(1, abs(value))
            ]
            assert not wrong, (tracker, wrong, sorted(found))
            print(f"{tracker} has {len(found)} curves in {len({name.split('/')[0] for name in found})} groups")
        os.chdir("/")


if __name__ == "__main__":
    main()
