#!/usr/bin/env python3
"""Plays whole games between `crownhead dxp` and pydraughts, a third-party client of DXP.

    pip install -r scripts/outside/requirements.txt
    scripts/check_dxp.py target/release/crownhead mcts:rollouts=100

pydraughts requests a game of each 10x10 variant that it supports and plays the first side with random moves; it
checks every move of the program by its own rules. It could not play the other side reliably: it treats the reply to
a request and the following move as one message if they arrive together. Exits with 1 at the first disagreement.
"""

import json
import random
import subprocess
import sys
import time

import draughts
from draughts.engines.dxp_communication.dxp_communication import Sender

# The names of games in the program and in pydraughts.
GAMES = [("frisian", "frisian"), ("international", "standard")]
PATIENCE_S = 60


def wait(is_there, what):
    """Waits for the thread in which pydraughts receives messages."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_there():
        if time.monotonic() > deadline:
            sys.exit(f"no {what} in {PATIENCE_S} s")
        time.sleep(0.001)


def play_game(sender, variant, rng):
    """Plays one game; returns the number of plies and the result according to pydraughts."""
    board = draughts.Board(variant)
    sender.setup(board.initial_fen, variant)
    # pydraughts names its own side.
    sender.gamereq("W", 1, 0)
    receiver, plies = sender.receiver, 0
    wait(lambda: receiver.accepted is not None, "answer to a request")
    if not receiver.accepted:
        sys.exit(f"{variant}: the game is refused")
    while board.winner() is None and board.legal_moves():
        if plies % 2 == 1:
            ended = lambda: sender.current.result is not None
            wait(lambda: receiver.last_move_changed or ended(), "move")
            if ended():
                # Our rules end some games as draws that pydraughts has no rule for.
                return plies, f"ended by the program ({sender.current.result})"
            board.push(receiver.last_move)
        else:
            move = rng.choice(list(board.legal_moves()))
            board.push(move)
            sender.send_move(move)
        plies += 1
    return plies, board.winner()


def main():
    crownhead, *source = sys.argv[1:]
    rng = random.Random(1)
    for ours, theirs in GAMES:
        command = [crownhead, "dxp", *source, "--variant", ours, "--port", "0", "--once"]
        command += ["--format", "json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            try:
                host, port = json.loads(program.stdout.readline())["address"].rsplit(":", 1)
                sender = Sender()
                sender.connect(host, int(port))
                plies, winner = play_game(sender, theirs, rng)
                sender.gameend()
                sender.disconnect()
                played = json.loads(program.stdout.readline())
                assert played["plies"] in (plies, plies - 1), (played, plies)
                assert program.wait(PATIENCE_S) == 0
            finally:
                program.kill()
        print(f"dxp {ours}: {plies} plies, winner {winner}; the program says {played}")


if __name__ == "__main__":
    main()
