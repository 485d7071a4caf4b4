#!/usr/bin/env python3
"""Checks export folders with onnxruntime, as a front end would use them.

    pip install -r scripts/outside/requirements.txt
    scripts/check_export.py DIR...

Encodes the golden positions from their FENs as manifest.json says, runs model.onnx, scores the
moves, and runs the example of README.md. The error of model-int8.onnx must equal the one in the
manifest. Fails if anything differs by 1e-4 or more. For model-qdq.onnx, whose sums are rounded to
bytes repeatedly, the tolerance is 0.01; its speed relative to model.onnx is printed.
"""

import contextlib
import io
import json
import os
import re
import sys
import time

import numpy as np
import onnxruntime

TOLERANCE = 1e-4
QDQ_TOLERANCE = 0.01


def read_fen(fen):
    """Side to move, pieces as {(side, kind): squares}, plies without progress, and king rest
    counters as {side: (square, count)}."""
    turn, *fields = fen.split(":")
    pieces, no_progress, rests = {}, 0, {}
    for field in fields:
        if field[0] in "WB":
            squares = field[1:].split(",") if field[1:] else []
            pieces[field[0], "men"] = [int(s) for s in squares if s[0] != "K"]
            pieces[field[0], "kings"] = [int(s[1:]) for s in squares if s[0] == "K"]
        elif field[0] == "H":
            no_progress = int(field[1:])
        elif field[0] == "+":
            for side, text in zip("BW", field[1:].split("+")):
                if text != "0":
                    rests[side] = int(text[1:]), int(text[0])
    return turn, pieces, no_progress, rests


def encode(manifest, golden):
    """Planes and globals of a golden position, computed from the manifest alone. The exchange planes need a program
    that knows the rules; they are copied, if together they have the squares of the legal moves."""
    turn, pieces, no_progress, rests = read_fen(golden["fen"])
    repetitions = golden["repetitions"]
    sides = {"mover": turn, "enemy": "B" if turn == "W" else "W"}
    spec = manifest["input"]
    token = dict(enumerate(spec["tokens"][turn], start=1))
    planes = np.zeros((spec["squares"], len(spec["planes"])), np.float32)
    of_moves = {}
    for index, plane in enumerate(spec["planes"]):
        side = sides[plane["of"]]
        part = {"starts": "from", "ends": "to"}.get(plane["on"].split(" ")[0])
        if part:
            planes[:, index] = np.array(golden["planes"])[:, index]
            of_moves.setdefault(part, set()).update(np.flatnonzero(planes[:, index]))
        elif plane["on"] != "king rest":
            for square in pieces[side, plane["on"]]:
                planes[token[square], index] = 1
        elif side in rests:
            square, count = rests[side]
            planes[token[square], index] = count / plane["limit"]
    for part, squares in of_moves.items():
        assert squares == {token[move[part]] for move in golden["moves"]}, (golden["fen"], part, squares)
    limit = spec["globals"][0]["limit"]
    globals_ = [min(no_progress / limit, 1), repetitions >= 1, repetitions >= 2, 0]
    return planes, np.array(globals_, np.float32)


def run(manifest, folder, file, planes, globals_):
    """Outputs of a network by name."""
    session = onnxruntime.InferenceSession(os.path.join(folder, file))
    properties = session.get_modelmeta().custom_metadata_map
    assert properties["net_id"] == manifest["net_id"], properties
    names = [output["name"] for output in manifest["outputs"]]
    return dict(zip(names, session.run(names, {"planes": planes, "globals": globals_})))


def score(manifest, position, outputs, index):
    """Scores and probabilities of the moves of one position."""
    f, t, k = (outputs[name][index] for name in "ftk")
    token = dict(enumerate(manifest["input"]["tokens"][position["turn"]], start=1))
    logits = np.array([
        f[token[m["from"]]] @ t[token[m["to"]]] / np.sqrt(manifest["action"]["d"])
        + sum(k[token[c]] for c in m["captured"])
        for m in position["moves"]
    ])
    powers = np.exp(logits - logits.max())
    return logits, powers / powers.sum()


def check(folder):
    """The largest difference of each kind."""
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    golden, worst = manifest["golden_positions"], {}

    def compare(what, found, expected):
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        assert found.shape == expected.shape, (what, found.shape, expected.shape)
        worst[what] = max(worst.get(what, 0), float(np.abs(found - expected).max()))

    inputs = [encode(manifest, g) for g in golden]
    planes, globals_ = (np.stack(part) for part in zip(*inputs))
    compare("inputs", planes, [g["planes"] for g in golden])
    compare("inputs", globals_, [g["globals"] for g in golden])
    outputs = run(manifest, folder, "model.onnx", planes, globals_)
    for name, output in outputs.items():
        compare(name, output, [g[name] for g in golden])
    for index, position in enumerate(golden):
        logits, policy = score(manifest, position, outputs, index)
        compare("logits", logits, [m["logit"] for m in position["moves"]])
        compare("policy", policy, [m["probability"] for m in position["moves"]])
    alone = run(manifest, folder, "model.onnx", planes[:1], globals_[:1])
    for name, output in alone.items():
        compare("batch of 1", output, outputs[name][:1])
    if manifest["int8"]:
        outputs = run(manifest, folder, manifest["int8"]["file"], planes, globals_)
        wdl = np.abs(outputs["wdl"] - np.array([g["wdl"] for g in golden]))
        compare("int8 wdl", wdl.max(), manifest["int8"]["golden"]["wdl"])
        policy = max(
            np.abs(score(manifest, g, outputs, i)[1] - [m["probability"] for m in g["moves"]]).max()
            for i, g in enumerate(golden)
        )
        compare("int8 policy", policy, manifest["int8"]["golden"]["probability"])
    if manifest["qdq"]:
        file, expected = manifest["qdq"]["file"], manifest["qdq"]["golden"]["wdl"]
        outputs = run(manifest, folder, file, planes, globals_)
        found = np.abs(outputs["wdl"] - np.array([g["wdl"] for g in golden])).max()
        assert abs(found - expected) < QDQ_TOLERANCE, (file, found, expected)
        exact, fast = (speed(folder, name, planes, globals_) for name in ("model.onnx", file))
        print(f"{file}: {fast:.0f} positions/s, {fast / exact:.2f} times model.onnx; wdl off by {found:.4f}")
    run_example(folder, golden[0])
    return worst


def speed(folder, file, planes, globals_):
    """Positions per second of one thread in batches of 32, the best of several runs."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(os.path.join(folder, file), options)
    feed = {"planes": np.resize(planes, (32, *planes.shape[1:])), "globals": np.resize(globals_, (32, globals_.shape[1]))}
    best = float("inf")
    for _ in range(40):
        start = time.perf_counter()
        session.run(["wdl"], feed)
        best = min(best, time.perf_counter() - start)
    return 32 / best


def run_example(folder, position):
    """Runs the code in README.md, which must print the most probable move."""
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        code = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL)[1]
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    best = max(position["moves"], key=lambda move: move["probability"])
    assert printed.getvalue().split()[0] == best["notation"], printed.getvalue()


def main(folders):
    failed = not folders
    for folder in folders:
        worst = check(folder)
        failed |= not all(difference < TOLERANCE for difference in worst.values())
        print(folder, " ".join(f"{what} {worst[what]:.1e}" for what in worst))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
