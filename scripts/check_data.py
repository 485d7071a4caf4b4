#!/usr/bin/env python3
"""Checks the tables of `crownhead data export` with third-party programs.

    pip install -r scripts/outside/requirements.txt
    scripts/check_data.py target/release/crownhead RUN...

Exports the positions of each run, opens the table with polars and duckdb, and
compares it with `crownhead data stats` and with itself. Fails at the first disagreement.
"""

import json
import os
import subprocess
import sys
import tempfile

import duckdb
import polars
from huggingface_hub import DatasetCard

PROBABILITIES = ["win", "draw", "loss"]
COLUMNS = {
    "generation": polars.Int32,
    "game": polars.Int32,
    "ply": polars.Int32,
    "network": polars.String,
    "fen": polars.String,
    "mover": polars.String,
    "legal_moves": polars.List(polars.String),
    "policy": polars.List(polars.Float32),
    "move": polars.String,
    "search": polars.String,
    **{f"{value}_{name}": polars.Float32 for value in ("root", "raw") for name in PROBABILITIES},
    "surprise": polars.Float32,
    "result": polars.Int32,
    "reason": polars.String,
    "plies_left": polars.Int32,
}


def crownhead(binary, *arguments):
    """The JSON document that a command prints."""
    command = [binary, *arguments, "--format", "json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def expect(found, expected, what):
    """Exits with both values if they differ."""
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def check_values(table):
    """Probabilities sum to 1, and exist for every searched position."""
    full = table["search"] == "full"
    for column in ("policy", "raw_win", "surprise"):
        expect(table[column].is_not_null().to_list(), full.to_list(), f"{column} of full searches")
    searched = table["search"].is_in(["fast", "full"])
    expect(table.filter(searched)["root_win"].null_count(), 0, "searches without a value")
    policies = table.filter(full)
    sums = policies.select(
        policy=polars.col("policy").list.sum(),
        root=polars.sum_horizontal(f"root_{name}" for name in PROBABILITIES),
        raw=polars.sum_horizontal(f"raw_{name}" for name in PROBABILITIES),
    )
    for column in sums:
        expect((column - 1).abs().max() < 1e-5, True, f"sums of {column.name} are 1")
    sizes = policies.select(polars.col("policy", "legal_moves").list.len())
    expect(sizes["policy"].equals(sizes["legal_moves"]), True, "a probability for each move")


def check_games(table):
    """Moves are legal, games are complete and have the right results."""
    rows = table.select(
        is_legal=polars.col("legal_moves").list.contains(polars.col("move")),
        mover=polars.col("fen").str.head(1).replace({"B": "black", "W": "white"}),
    )
    expect(rows["is_legal"].all(), True, "moves are legal")
    expect(rows["mover"].equals(table["mover"]), True, "the FEN's side to move")
    games = table.group_by("generation", "game", maintain_order=True)
    for (generation, number), game in games:
        what = f"game {generation}/{number}: "
        n_plies = len(game)
        expect(game["ply"].to_list(), list(range(n_plies)), what + "plies")
        expect(game["plies_left"].to_list(), list(range(n_plies, 0, -1)), what + "plies left")
        expect(game["reason"].n_unique(), 1, what + "reasons")
        for side in game.partition_by("mover"):
            expect(side["result"].n_unique(), 1, what + "results of a side")


def check_stats(table, stats):
    """The table has the games that `crownhead data stats` reports."""
    first = table.filter(ply=0)
    color = {"black": 1, "white": -1}
    black = first["result"] * first["mover"].replace_strict(color, return_dtype=polars.Int32)
    found = {
        "games": len(first),
        "positions": len(table),
        "black_wins": (black == 1).sum(),
        "white_wins": (black == -1).sum(),
        "draws": (black == 0).sum(),
        "cut_off": black.null_count(),
        "max_plies": table["plies_left"].max(),
    }
    expect(found, {key: stats[key] for key in found}, "data stats")
    branching = table["legal_moves"].list.len().mean()
    expect(abs(branching - stats["branching"]) < 1e-9, True, "branching")


def check_card(path, table):
    """The dataset card describes the table, as the Hub's own library reads it."""
    card = DatasetCard.load(os.path.join(os.path.dirname(path), "README.md"), ignore_metadata_errors=False)
    expect(card.data.license, ["mit", "apache-2.0"], "license")
    expect(card.data.configs[0]["data_files"], os.path.basename(path), "data files")
    low, _, high = card.data.size_categories[0].rpartition("n<")
    number = lambda text: int(text.replace("K", "000").replace("M", "000000"))
    expect(number(low.rstrip("<") or "0") <= len(table) < number(high), True, "size category")
    named = {"int32": polars.Int32, "float32": polars.Float32, "string": polars.String}
    features = {
        each["name"]: named[each["dtype"]] if "dtype" in each else polars.List(named[each["sequence"]])
        for each in card.data.dataset_info["features"]
    }
    expect(features, COLUMNS, "features")


def check(binary, run, path):
    """Checks the table of a run."""
    report = crownhead(binary, "data", "export", run, "--to", path, "--card")
    table = polars.read_parquet(path)
    expect(dict(table.schema), COLUMNS, "columns")
    expect(len(table), report["positions"], "rows")
    check_values(table)
    check_games(table)
    check_stats(table, crownhead(binary, "data", "stats", run)["total"])
    query = f"select count(*), coalesce(sum(result), 0), sum(len(legal_moves)), sum(list_sum(policy)) from '{path}'"
    [(rows, results, moves, policies)] = duckdb.sql(query).fetchall()
    expect(rows, len(table), "rows in duckdb")
    expect(results, table["result"].sum(), "results in duckdb")
    expect(moves, table["legal_moves"].list.len().sum(), "legal moves in duckdb")
    expect(round(policies), (table["search"] == "full").sum(), "policies in duckdb")
    check_card(path, table)
    print(f"{run}: {report['games']} games, {rows} positions, {os.path.getsize(path)} bytes")


def main(binary, runs):
    """All runs."""
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            check(binary, run, os.path.join(folder, "positions.parquet"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
