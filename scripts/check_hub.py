#!/usr/bin/env python3
"""Plays whole games between a Hub engine and pydraughts, a third-party client.

    pip install -r scripts/outside/requirements.txt
    scripts/check_hub.py target/release/crownhead hub mcts:rollouts=100
    scripts/check_hub.py --variants frisian target/release/crownhead hub run:runs/frisian

pydraughts supports some of our games; Hub engines call international "normal". It plays
one side with random moves, the engine plays the other with every kind of limit, and pydraughts checks
every move of the engine by its own rules. Exits with 1 at the first disagreement, or if the engine
does not play a variant.
"""

import argparse
import random
import sys
import warnings

import draughts
from draughts.engine import HubEngine, Limit

LIMITS = [
    Limit(nodes=50),
    Limit(depth=2),
    Limit(movetime=0.05),
    Limit(time=1, inc=0.5),
    Limit(time=0.5),
]
MAX_PLIES = 400
# pydraughts' names of games where engines use others.
BOARDS = {"normal": "standard"}


def play_game(engine, variant, engine_side, rng):
    """Plays one game; returns the number of plies and the result according to pydraughts."""
    board = draughts.Board(BOARDS.get(variant, variant))
    start_side = board.turn
    plies = 0
    while board.winner() is None and board.legal_moves() and plies < MAX_PLIES:
        if (board.turn == start_side) == (engine_side == 0):
            limit = LIMITS[plies // 2 % len(LIMITS)]
            result = engine.play(board, limit, ponder=False)
            # Raises if the move is illegal.
            board.push(result.move)
        else:
            board.push(rng.choice(list(board.legal_moves())))
        plies += 1
    if board.winner() is None:
        sys.exit(f"{variant}: no result after {plies} plies, in {board.fen}")
    return plies, board.winner()


def play_variant(variant, command):
    """Six games, three with each side."""
    engine = HubEngine(command)
    if variant not in engine.variants:
        engine.quit()
        sys.exit(f"{variant}: the engine does not play it")
    engine.configure({"variant": variant})
    engine.init()
    engine.ping()
    for game in range(6):
        plies, winner = play_game(engine, variant, game % 2, random.Random(game))
        print(f"{variant}: game {game}, engine moves {'first' if game % 2 == 0 else 'second'}, "
              f"{plies} plies, winner {winner}, last score {engine.info.get('score')}")
        engine.send("new-game")
    engine.quit()
    engine.p.wait(timeout=10)


def main():
    """All games."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    games = "english,frisian,normal,russian,brazilian"
    parser.add_argument("--variants", default=games, help="the games to play")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the engine's command line")
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("the engine's command line is missing")
    warnings.simplefilter("ignore")
    for variant in arguments.variants.split(","):
        play_variant(variant, arguments.command)


if __name__ == "__main__":
    main()
