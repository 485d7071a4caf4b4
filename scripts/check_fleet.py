#!/usr/bin/env python3
"""Trains with many workers on one machine, repeatedly kills them and the trainer, and compares the run with that of
a single process: every model must be the same, byte for byte, and every game must exist once.

    scripts/check_fleet.py target/release/crownhead --minutes 10 --workers 20 --seed 7

The seed decides which process is killed and when. Exits with 1 and keeps the runs if something differs.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TINY = ["--preset", "tiny", "--set", "selfplay.games_per_generation=300", "--set", "rating.every_generations=2"]
# A worker may start before the trainer.
COMES_EARLY = ("there is no fleet in", "there is no such directory")


class Fleet:
    """A trainer and workers as processes."""

    def __init__(self, program, variant, url, run, environment=None):
        self.program, self.url, self.run, self.environment = program, url, run, environment
        self.train = [program, "train", variant, *TINY, "--run", str(run), "--fleet", url, "--audit", "0.1"]
        self.workers, self.trainer, self.faults = [], None, []
        self.kills = {"worker": 0, "trainer": 0}

    def start(self, arguments):
        return subprocess.Popen(
            arguments, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace",
        )

    def keep(self, workers, generations):
        """Starts the trainer and as many workers as are missing."""
        if self.trainer is None or self.look(self.trainer, "trainer"):
            self.trainer = self.start([*self.train, "--generations", str(generations)])
        self.workers = [worker for worker in self.workers if not self.look(worker, "worker")]
        while len(self.workers) < workers:
            join = [self.program, "worker", "--join", self.url, "--threads", "1"]
            self.workers.append(self.start(join))

    def look(self, process, who):
        """Returns whether a process has ended. None may exit while the trainer has work to do."""
        if process.poll() is None:
            return False
        told = process.stderr.read()
        if process.returncode != -signal.SIGKILL and not any(words in told for words in COMES_EARLY):
            self.faults.append(f"a {who} has ended with {process.returncode}: {told[-2000:]}")
        return True

    def kill(self, process, who):
        if process.poll() is None:
            process.kill()
            process.wait()
            self.kills[who] += 1

    def torment(self, chance, seconds, workers):
        """Kills a process from time to time, mostly workers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.faults:
            self.keep(workers, 1_000_000)
            time.sleep(chance.uniform(0, 2))
            if chance.random() < 0.1:
                self.kill(self.trainer, "trainer")
            else:
                self.kill(chance.choice(self.workers), "worker")
        self.kill(self.trainer, "trainer")

    def finish(self, generations):
        """Lets the trainer finish with the remaining workers, which then exit."""
        self.trainer = None
        self.keep(len(self.workers), generations)
        for process, who in [(self.trainer, "trainer"), *((worker, "worker") for worker in self.workers)]:
            told = process.communicate(timeout=600)[1]
            if process.returncode != 0 and not any(words in told for words in COMES_EARLY):
                self.faults.append(f"a {who} has ended with {process.returncode}: {told[-2000:]}")
        self.trainer, self.workers = None, []

    def close(self):
        for process in [self.trainer, *self.workers]:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()


def ask(program, *arguments, environment=None):
    answer = subprocess.run([program, *arguments, "--format", "json"], capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, f"{arguments}: {answer.stdout}{answer.stderr}"
    return json.loads(answer.stdout)


def generation(program, run):
    """The current generation of a run."""
    return ask(program, "status", str(run))["status"]["generation"]


def outcome(program, run):
    """The data that must be equal: models, gates and the games in order."""
    files = {}
    for path in sorted(run.glob("models/*/model.safetensors")) + sorted(run.glob("gates/*.json")):
        files[str(path.relative_to(run))] = path.read_bytes()
    games = run.with_suffix(".pdn")
    games.unlink(missing_ok=True)
    subprocess.run([program, "data", "export", str(run), "--to", str(games)], check=True, capture_output=True)
    files["games"] = games.read_bytes()
    return files


def same(program, together, alone):
    """The differences between two runs."""
    expected, found = outcome(program, alone), outcome(program, together)
    assert "models/000001/model.safetensors" in expected, sorted(expected)
    return [name for name in sorted(expected | found) if expected.get(name) != found.get(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variant", default="english")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    folder = Path(tempfile.mkdtemp(prefix="crownhead-fleet-"))
    together, alone = folder / "together", folder / "alone"
    fleet = Fleet(program, args.variant, str(together), together)
    try:
        fleet.torment(random.Random(args.seed), 60 * args.minutes, args.workers)
        assert not fleet.faults, "\n".join(fleet.faults)
        last = generation(program, together)
        fleet.finish(last)
    finally:
        fleet.close()
    assert not fleet.faults, "\n".join(fleet.faults)
    status = ask(program, "fleet", "status", str(together))
    assert status["is_over"] and status["findings"] == [], status
    ask(program, "check", str(together), "--replay", "5")
    single = [program, "train", args.variant, *TINY, "--run", str(alone), "--generations", str(last)]
    subprocess.run(single, check=True, capture_output=True)
    differ = same(program, together, alone)
    assert not differ, f"in {folder} {differ} differ"
    counts = [row["games"] for row in ask(program, "data", "stats", str(together))["generations"]]
    assert counts == [300] * last, counts
    by_others = sum(worker["games"] for worker in status["workers"])
    print(
        f"seed {args.seed}, {args.workers} workers, {args.minutes:g} minutes: {fleet.kills['worker']} workers and "
        f"{fleet.kills['trainer']} trainers killed; {last} generations, {sum(counts)} games, each once; those who were there last had played {by_others}"
    )
    subprocess.run(["rm", "-r", str(folder)], check=True)


if __name__ == "__main__":
    sys.exit(main())
