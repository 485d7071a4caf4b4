#!/usr/bin/env python3
"""Round trips of games between the program and pydraughts, a third-party library.

    pip install -r scripts/outside/requirements.txt
    scripts/check_pdn.py target/release/crownhead

Random games of the program, in each game that pydraughts knows too, are read by pydraughts, which plays
their moves by its own rules and writes them again; the program reads that file, and all moves must be the
same. Exits with 1 at the first difference.

pydraughts plays antidraughts and breakthrough but does not know their numbers in GameType: it is told the
game, and its writer the tag. It drops comments, variations and the counters of a FEN, and starts every game
with White, or with the side of its FEN. Its `game_ending` is the word after the moves, `*` in our files: results are in the tags.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import warnings

import draughts
from draughts.PDN import PDNReader, PDNWriter

# Our games by pydraughts' names; it has no customary, thai or ringboard.
GAMES = {
    "standard": "international",
    "english": "english",
    "frisian": "frisian",
    "russian": "russian",
    "brazilian": "brazilian",
    "italian": "italian",
    "antidraughts": "antidraughts",
    "breakthrough": "breakthrough",
}
# Games whose GameType pydraughts does not know.
UNNUMBERED = {"antidraughts", "breakthrough"}
N_PAIRS = 10


def run(crownhead, *words):
    """The program's standard output."""
    return subprocess.run([crownhead, *words], check=True, capture_output=True, text=True).stdout


def moves_of(crownhead, variant, path):
    """The moves of all games of a file, as the program reads and writes them."""
    clean = path.with_suffix(".clean.pdn")
    clean.unlink(missing_ok=True)
    run(crownhead, "games", str(path), "--check", "--variant", variant, "--to", str(clean))
    games = clean.read_text(encoding="utf-8").split("[Event")
    bodies = [game.rsplit("]\n", 1)[-1] for game in games if game.strip()]
    return [[word for word in body.split() if not word.endswith(".")] for body in bodies]


def written_again(game, name, path):
    """Plays a game of pydraughts by its rules, and adds it to a file; returns the number of moves."""
    board = draughts.Board(name)
    for text in game.moves:
        board.push(draughts.Move(board, pdn_move=text))
    names = ["Event", "White", "Black", "Result", "GameType"]
    tags = {tag: game.tags[tag] for tag in names if tag in game.tags}
    PDNWriter(str(path), board, tags=tags, game_ending=game.game_ending)
    return len(game.moves)


def check(crownhead, name, variant, folder):
    """The round trip of one game's file."""
    ours, theirs = folder / f"{variant}.pdn", folder / f"{variant}.pydraughts.pdn"
    run(crownhead, "match", "random", "random", "--variant", variant, "--pairs", str(N_PAIRS), "--pdn", str(ours))
    games = PDNReader(filename=str(ours)).games
    n_moves = 0
    for index, game in enumerate(games):
        if game.variant != (None if name in UNNUMBERED else name):
            sys.exit(f"{variant}: pydraughts takes game {index + 1} for {game.variant}, not {name}")
        n_moves += written_again(game, name, theirs)
    before, after = moves_of(crownhead, variant, ours), moves_of(crownhead, variant, theirs)
    if not before or len(before) != len(games) or before != after:
        differing = [pair for pair in zip(before, after) if pair[0] != pair[1]][:1]
        sys.exit(f"{variant}: {len(before)} games, {len(games)} in pydraughts, {len(after)} back: {differing}")
    print(f"{variant}: {len(games)} games with {n_moves} moves are the same after pydraughts")


def main():
    """All games that both know."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("crownhead", help="the program")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name, variant in GAMES.items():
            check(arguments.crownhead, name, variant, pathlib.Path(folder))


if __name__ == "__main__":
    main()
