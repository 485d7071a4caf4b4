#!/usr/bin/env python3
"""Trains OpenSpiel's AlphaZero and `crownhead train english` for the same processor time on the same
cores, and lets both play each other and the same baselines.

    python3 -m venv target/peers && target/peers/bin/pip install -r scripts/bench-peers-requirements.txt
    target/peers/bin/python scripts/bench_peers.py target/release/crownhead --minutes 15 --cores 0-1 --to peers

The budget is minutes for each core, counted as processor time of all processes of a training, so
that a busy machine does not favor either. OpenSpiel trains by its own `alpha_zero` in Python and
JAX, with two actors, no evaluators and the settings given here; matches use its last checkpoint and
its own search without noise, as a Hub engine: `bench_peers.py hub DIR`. A search of OpenSpiel
chooses one jump, so a capture of several jumps has several searches. Matches have the same number
of simulations on both sides. A training that is there already is not repeated.
"""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

GAME = "checkers"
CHECK_SECONDS = 0.5
END_SECONDS = 60


def openspiel_config(path, args):
    """The settings of a training; `args` has those that were tuned."""
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    return alpha_zero.Config(
        game=GAME,
        path=str(path),
        learning_rate=args.learning_rate,
        weight_decay=1e-4,
        decouple_weight_decay=False,
        train_batch_size=args.batch,
        replay_buffer_size=args.buffer,
        replay_buffer_reuse=args.reuse,
        max_steps=0,
        checkpoint_freq=1,
        actors=2,
        evaluators=0,
        evaluation_window=1,
        eval_levels=2,
        uct_c=args.uct_c,
        max_simulations=args.train_sims,
        policy_alpha=1.0,
        policy_epsilon=0.25,
        temperature=1.0,
        temperature_drop=args.temperature_drop,
        nn_model=args.model,
        nn_width=args.width,
        nn_depth=args.depth,
        observation_shape=None,
        output_size=None,
        verbose=False,
        quiet=True,
        nn_api_version="nnx",
    )


def train_openspiel(args):
    """Trains until it is ended."""
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    alpha_zero.alpha_zero(openspiel_config(args.folder.resolve(), args))


class Board:
    """A game of OpenSpiel's checkers. The side that moves first has a1, which is square 4."""

    def __init__(self):
        import pyspiel

        self.game = pyspiel.load_game(GAME)
        self.state = self.game.new_initial_state()

    @staticmethod
    def square(name):
        """The number of a square: `a1` is 4."""
        column, row = ord(name[0]) - ord("a"), int(name[1]) - 1
        return 4 * row + 4 - column // 2

    @staticmethod
    def step(state, action):
        """From and to in numbers, and the square that is jumped or None."""
        text = state.action_to_string(action)
        start, end = text[:2], text[2:4]
        jumped = None
        if abs(ord(start[0]) - ord(end[0])) == 2:
            column = (ord(start[0]) + ord(end[0])) // 2
            jumped = Board.square(f"{chr(column)}{(int(start[1]) + int(end[1])) // 2}")
        return Board.square(start), Board.square(end), jumped

    @staticmethod
    def text(steps):
        """A move in Hub's notation."""
        jumped = [step[2] for step in steps if step[2]]
        return ("x" if jumped else "-").join(map(str, [steps[0][0], steps[-1][1], *jumped]))

    def moves(self, state=None, steps=(), actions=()):
        """Each whole move: Hub's text with sorted victims, and its actions."""
        state = state or self.state
        for action in state.legal_actions():
            after = state.clone()
            all_steps = [*steps, self.step(state, action)]
            after.apply_action(action)
            all_actions = [*actions, action]
            if not after.is_terminal() and after.current_player() == state.current_player():
                yield from self.moves(after, all_steps, all_actions)
            else:
                yield all_steps, all_actions

    def play(self, text):
        """Plays a move of Hub's notation, whose victims may be in any order."""
        numbers = list(map(int, text.replace("-", "x").split("x")))
        wanted = numbers[:2], sorted(numbers[2:])
        for steps, actions in self.moves():
            if ([steps[0][0], steps[-1][1]], sorted(s[2] for s in steps if s[2])) == wanted:
                for action in actions:
                    self.state.apply_action(action)
                return
        sys.exit(f"{text} is not legal in\n{self.state}")


def words(line):
    """A Hub line as its command and its arguments."""
    command, *rest = shlex.split(line) or [""]
    return command, dict(word.partition("=")[::2] for word in rest)


def hub(args):
    """A Hub engine that plays by the last checkpoint in a folder."""
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.algorithms.alpha_zero import evaluator, model_nnx

    folder = args.folder.resolve()
    config = json.loads((folder / "config.json").read_text())
    steps = [int(path.name.split("-")[1]) for path in folder.glob("checkpoint-*") if path.name.count("-") == 1]
    board, moves, sims, bot = Board(), [], 0, None
    model = model_nnx.Model.build_model(
        config["nn_model"], board.game.observation_tensor_shape(), board.game.num_distinct_actions(),
        config["nn_width"], config["nn_depth"], config["weight_decay"], config["learning_rate"], str(folder),
    )
    # The last one may have been written when the training ended.
    for step in sorted(steps, reverse=True):
        try:
            model.load_checkpoint(step)
            break
        except (OSError, ValueError) as error:
            print(f"checkpoint {step}: {error}", file=sys.stderr)
    evaluate = evaluator.AlphaZeroEvaluator(board.game, model)

    for line in sys.stdin:
        command, values = words(line)
        if command == "hub":
            print("id name=OpenSpiel version=2.0.2 author=DeepMind country=-")
            print('param name=variant value=english type=enum values="english"')
            print('param name=english-frame value=native type=enum values="native pydraughts"')
            print("wait")
        elif command == "init":
            print("ready")
        elif command == "ping":
            print("pong")
        elif command == "pos":
            moves = values["moves"].split() if "moves" in values else []
        elif command == "level":
            sims = int(values.get("nodes", sims))
        elif command == "go":
            board.state = board.game.new_initial_state()
            for text in moves:
                board.play(text)
            if bot is None or bot.max_simulations != sims:
                bot = mcts.MCTSBot(
                    board.game, config["uct_c"], sims, evaluate, solve=True,
                    child_selection_fn=mcts.SearchNode.puct_value,
                )
            mover, chosen = board.state.current_player(), []
            while not board.state.is_terminal() and board.state.current_player() == mover:
                action = bot.step(board.state)
                chosen.append(Board.step(board.state, action))
                board.state.apply_action(action)
            print(f"done move={Board.text(chosen)}")
        elif command == "quit":
            return
        sys.stdout.flush()


def processor_seconds(session):
    """Processor time of all processes of a session, ended children included."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def train(command, log, seconds):
    """Runs a training for some processor time; returns that and the time that passed."""
    start, used = time.monotonic(), 0.0
    with open(log, "w", encoding="utf-8") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        while used < seconds and process.poll() is None:
            time.sleep(CHECK_SECONDS)
            used = max(used, processor_seconds(process.pid))
            print(f"\r{used:.0f} of {seconds:.0f} s", end="", file=sys.stderr, flush=True)
        if used < 0.9 * seconds:
            sys.exit(f"\n{command} ended early: {log}")
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    print(file=sys.stderr)
    return {"processor_s": round(used, 1), "wall_s": round(time.monotonic() - start, 1)}


def cores(text):
    """`0-1` or `0,2`, as taskset writes them."""
    ranges = [part.partition("-") for part in text.split(",")]
    return {n for first, _, last in ranges for n in range(int(first), int(last or first) + 1)}


def compare(args):
    """Trains both, plays all matches and prints a table."""
    os.sched_setaffinity(0, args.cores)
    args.to.mkdir(parents=True, exist_ok=True)
    ours, theirs, trained = args.to / "crownhead", args.to / "openspiel", args.to / "trainings.json"
    seconds = 60 * args.minutes * len(args.cores)
    tuned = [
        f"--{name.replace('_', '-')}={getattr(args, name)}"
        for name in ["learning_rate", "batch", "buffer", "reuse", "uct_c", "train_sims", "temperature_drop", "model", "width", "depth"]
    ]
    itself = [sys.executable, os.path.abspath(__file__)]
    done = json.loads(trained.read_text()) if trained.exists() else {}
    commands = {
        "openspiel": [*itself, "train", theirs, *tuned],
        "crownhead": [args.crownhead, "train", "english", "--run", ours, "--threads", str(len(args.cores)), "--for", "24h"],
    }
    for name, command in commands.items():
        if name not in done:
            done[name] = train(list(map(str, command)), args.to / f"{name}.log", seconds) | {"command": list(map(str, command))}
            trained.write_text(json.dumps(done, indent=1))
    them = f"hub:{sys.executable} {os.path.abspath(__file__)} hub {theirs},nodes={args.sims}"
    us = f"run:{ours},sims={args.sims}"
    matches = [(us, them)] + [(player, baseline) for baseline in args.baselines for player in [us, them]]
    names = {us: "crownhead", them: "openspiel"}
    rows = []
    for a, b in matches:
        command = [args.crownhead, "match", a, b, "--variant", "english", "--pairs", str(args.pairs), "--threads", "1", "--format", "json"]
        found = json.loads(subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout)
        rows.append({"a": names[a], "b": names.get(b, b)} | {key: found[key] for key in ["wins", "draws", "losses", "score", "elo", "forfeits"]})
        (args.to / "matches.json").write_text(json.dumps(rows, indent=1))
        row = rows[-1]
        print(f"{row['a']:9} {row['b']:18} {row['wins']:4} {row['draws']:4} {row['losses']:4} {100 * row['score']:6.1f} %", flush=True)


def main():
    """Arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    if sys.argv[1:2] in (["hub"], ["train"]):
        parser.add_argument("what")
        parser.add_argument("folder", type=Path)
    else:
        parser.add_argument("crownhead", type=Path, help="the program")
        parser.add_argument("--to", type=Path, required=True, help="the folder for both trainings and the results")
        parser.add_argument("--minutes", type=float, default=15, help="processor time of each core [15]")
        parser.add_argument("--cores", type=cores, default="0-1", help="the cores [0-1]")
        parser.add_argument("--pairs", type=int, default=10, help="pairs of games in each match [10]")
        parser.add_argument("--sims", type=int, default=24, help="simulations a move in matches [24]")
        baselines = ["random", "alphabeta:depth=1", "alphabeta:depth=4"]
        parser.add_argument("--baselines", nargs="*", default=baselines, help=f"further opponents {baselines}")
    tuned = parser.add_argument_group("settings of OpenSpiel")
    tuned.add_argument("--model", choices=["mlp", "conv2d", "resnet"], default="mlp")
    tuned.add_argument("--width", type=int, default=128)
    tuned.add_argument("--depth", type=int, default=4)
    tuned.add_argument("--train-sims", type=int, default=24)
    tuned.add_argument("--learning-rate", type=float, default=1e-3)
    tuned.add_argument("--batch", type=int, default=128)
    tuned.add_argument("--buffer", type=int, default=8192)
    tuned.add_argument("--reuse", type=int, default=16)
    tuned.add_argument("--uct-c", type=float, default=1.5)
    tuned.add_argument("--temperature-drop", type=int, default=20)
    args = parser.parse_args()
    {"hub": hub, "train": train_openspiel}.get(getattr(args, "what", ""), compare)(args)


if __name__ == "__main__":
    main()
