#!/usr/bin/env python3
"""Trains for a long time with everything that a run can have around it, and fails if memory, handles or disk grow.

    scripts/soak.py target/release/crownhead --minutes 60

Processes: a trainer that shares its run, four workers (two of them behind a gateway; one of each kind is killed from time
to time), the page server with clients that play, analyze, break off and watch the run, and the gateway with a client
that sends slow bodies, wrong secrets, forbidden names and objects that are too large.

The first half of the time is warm-up: windows, caches and disk fill. The second half is divided into PARTS. The growth of
a measure is the median slope (Theil and Sen) of one value of each part, times the counted time, with Sen's interval of
95 %. For memory that is the lowest value: searches take and return memory, and a leak raises what is left. For everything
else it is the median. A measure is flat if the whole interval is
below its limit, and has grown if it reaches the limit and excludes zero. Anything else is not decided, and neither is a
run with fewer than GENERATIONS in the counted time.

Prints a table and keeps the samples with --to. Exits with 0 if everything is flat, with 1 if a measure has grown or a
process has failed, and with 3 if the run was too short or too noisy to tell.
"""

import argparse
import http.client
import json
import math
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# Disk stays flat because the run deletes old games, and memory because the window has a fixed size.
# Small generations are many, and whatever a generation leaves behind adds up.
SETTINGS = [
    "selfplay.games_per_generation=24", "rating.every_generations=4", "disk.budget=3",
    "window.min_samples=2000", "window.growth_slope=0",
]
MEMORY = "memory MiB"
# The growth that a measure may have in the counted time: a share of its median, or this number.
LIMITS = {
    MEMORY: (0.05, 3), "handles": (0.05, 3), "MiB": (0.05, 3), "files and folders": (0.05, 10),
    "KiB a generation": (0.1, 0.5),
}
PARTS = 16
# Fewest generations in the counted time.
GENERATIONS = 24
# Exits of workers that have come too early, or while the gateway did not answer in time.
EXPECTED = ("there is no fleet in", "there is no such directory", "timeout")
PAUSE = 4
# Seconds that a process may take to end, also on a busy machine.
PATIENCE = 300


class Soak:
    """All processes and clients, and what was measured."""

    def __init__(self, program, folder, seed):
        self.program, self.folder, self.chance = os.path.abspath(program), folder, random.Random(seed)
        # Built with the program, by scripts/check.sh.
        self.of_gateway = os.path.join(os.path.dirname(self.program), "crownhead-gateway")
        self.run, self.volunteers = folder / "runs/soak", folder / "volunteers"
        self.run.parent.mkdir(parents=True)
        (folder / "temporary").mkdir()
        # The allocator returns freed memory at once: otherwise it keeps some for minutes. Huge
        # pages are off: the kernel makes them of small ones at any time, and fills the gaps.
        self.environment = os.environ | {
            "TMPDIR": str(folder / "temporary"), "MIMALLOC_PURGE_DELAY": "0", "MIMALLOC_ALLOW_THP": "0",
        }
        self.processes, self.faults, self.counts, self.samples = {}, [], {}, {}
        self.reached = []
        self.is_over, self.lock = threading.Event(), threading.Lock()

    def start(self, name, *arguments, program=None, reads=False):
        """Starts a process whose messages go to a file."""
        with open(self.folder / f"{name}.log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [program or self.program, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if reads else log, stderr=log, text=True,
            )
        self.processes[name] = process
        return json.loads(process.stdout.readline()) if reads else None

    def begin(self):
        share = str(self.run)
        settings = [word for setting in SETTINGS for word in ("--set", setting)]
        self.train = ["train", "english", "--preset", "tiny", *settings, "--run", share, "--fleet", share]
        self.start("trainer", *self.train, "--generations", "1000000")
        invited = [self.of_gateway, "--format", "json", "invite", "ada", "--volunteers", str(self.volunteers)]
        self.secret = json.loads(subprocess.run(invited, check=True, capture_output=True, text=True).stdout)["secret"]
        server = self.start("page", "--format", "json", "serve", "--port", "0", "--runs", share[:-5], reads=True)
        self.page = server["url"].split("//")[1].strip("/")
        gateway = ["--format", "json", "serve", share, "--volunteers", str(self.volunteers)]
        while not (self.run / "fleet/assignment.json").exists():
            time.sleep(0.2)
        gateway += ["--address", "127.0.0.1", "--port", "0"]
        answer = self.start("gateway", *gateway, program=self.of_gateway, reads=True)
        self.gateway = answer["address"]
        joined = f"http://ada:{self.secret}@{self.gateway}"
        self.workers = {"worker": share, "killed worker": share, "far worker": joined, "killed far worker": joined}
        for name in self.workers:
            self.work(name)
        clients = [self.player, self.player, self.watcher, self.slow, self.stranger, self.thief]
        self.clients = [threading.Thread(target=self.repeat, args=(client,)) for client in clients]
        for client in self.clients:
            client.start()

    def work(self, name):
        self.start(name, "worker", "--join", self.workers[name], "--threads", "1")

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def repeat(self, client):
        """Runs a client again and again. Only an unexpected answer is a fault: connections may be refused."""
        while not self.is_over.is_set():
            try:
                client()
            except (OSError, http.client.HTTPException):
                self.count("connections that broke")
                self.is_over.wait(0.2)
            except AssertionError as fault:
                self.faults.append(f"{client.__name__}: {fault}")
                return

    def ask(self, host, method, path, body=None, headers=None):
        """One request; its status and content."""
        connection = http.client.HTTPConnection(host, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, path, question):
        return self.ask(self.page, "POST", path, json.dumps(question), {"content-type": "application/json"})

    def player(self):
        """Plays a game against an engine, as a page does, and has some of its moves analyzed."""
        status, players = self.ask(self.page, "GET", "/api/players/english")
        assert status == 200, players
        names = [player["id"] for player in json.loads(players)]
        opponent, moves = random.choice(names[-8:] + names[:2]), []
        while not self.is_over.is_set():
            game = {"variant": "english", "moves": moves}
            status, view = self.post("/api/game", game)
            assert status == 200, view
            legal = json.loads(view)["moves"]
            if not legal or len(moves) > 80:
                self.post("/api/pdn/write", {"game": game})
                self.count("games played on the page")
                return
            move = random.choice(legal)["notation"]
            if len(moves) % 2:
                status, events = self.post("/api/think", {"game": game, "player": opponent, "seconds": 0.05})
                answers = [line[5:] for line in events.decode().splitlines() if line.startswith("data:")]
                if status != 200 or "lines" not in json.loads(answers[-1]):
                    # All searches are taken, or the model has just been deleted.
                    self.count("searches refused")
                    return
                move = json.loads(answers[-1])["lines"][0]["moves"][0]
                self.count("searches")
            elif random.random() < 0.1:
                self.leave(self.page, "/api/think", {"game": game, "player": opponent, "endless": True})
            moves.append(move if isinstance(move, str) else move["notation"])

    def leave(self, host, path, question=None):
        """Opens a stream, reads its beginning and breaks off."""
        body = json.dumps(question) if question else None
        connection = http.client.HTTPConnection(host, timeout=60)
        connection.request("POST" if body else "GET", path, body, {"content-type": "application/json"})
        connection.getresponse().read(200)
        time.sleep(random.uniform(0, 0.5))
        connection.close()
        self.count("streams broken off")

    def watcher(self):
        """Loads runs, games and gates, and watches the run for a moment."""
        for path in ["/", "/assets/app.js", "/api/variants", "/api/runs", "/api/runs/soak", "/metrics"]:
            status, content = self.ask(self.page, "GET", path)
            assert status < 500, (path, status, content)
        _, content = self.ask(self.page, "GET", "/api/runs/soak")
        generation = json.loads(content)["status"]["generation"]
        for path in [f"games/{generation}", f"games/{generation}/3", f"gates/{generation}"]:
            status, content = self.ask(self.page, "GET", f"/api/runs/soak/{path}")
            assert status < 500, (path, status, content)
        self.leave(self.page, "/api/runs/soak/live")
        self.count("visits of the run")
        self.is_over.wait(1)

    def slow(self):
        """Sends a body a byte at a time, and gives up in the middle."""
        host, port = self.gateway.split(":")
        with socket.create_connection((host, int(port)), timeout=60) as stream:
            head = f"PUT /objects/fleet/games/000001/000001.00.ada.x.seg HTTP/1.1\r\nhost: {self.gateway}\r\n"
            head += f"authorization: Bearer ada:{self.secret}\r\ncontent-length: 100000\r\n\r\n"
            stream.sendall(head.encode() if random.random() < 0.5 else head.encode()[:40])
            for _ in range(random.randrange(40)):
                if self.is_over.wait(0.5):
                    return
                stream.sendall(b"x")
        self.count("slow bodies")

    def stranger(self):
        """Tries secrets, on one connection as long as it is not closed."""
        connection = http.client.HTTPConnection(self.gateway, timeout=60)
        for _ in range(20):
            name = random.choice(["ada", "bob", "\u00e9", "x" * 300])
            headers = {"authorization": f"Bearer {name}:{random.random()}".encode("utf-8")}
            connection.request("GET", "/objects/fleet/assignment.json", headers=headers)
            answer = connection.getresponse()
            assert answer.status in (401, 429, 503), answer.status
            answer.read()
            self.count("wrong secrets")
        connection.close()
        self.is_over.wait(0.5)

    def thief(self):
        """Has the secret, and asks for what is forbidden."""
        known = {"authorization": f"Bearer ada:{self.secret}"}
        tries = [
            ("PUT", "/objects/fleet/games/000001/000001.00.ada.x.seg", b"x" * (33 << 20)),
            ("PUT", "/objects/fleet/claims/999999/000001.ada.x", b""),
            ("PUT", "/objects/fleet/../run.toml", b"x"),
            ("PUT", "/objects/fleet/workers/bob.json", b"{}"),
            ("GET", "/objects/run.toml", None),
            ("GET", "/lists/..%2f..", None),
        ]
        for method, path, body in random.sample(tries, len(tries)):
            try:
                status, content = self.ask(self.gateway, method, path, body, known)
                assert 400 <= status < 500, (path, status, content)
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.count("forbidden requests")
            self.is_over.wait(0.3)

    def look(self):
        """Notices processes that have ended, and starts killed workers again."""
        for name, process in list(self.processes.items()):
            if process.poll() is None:
                continue
            told = (self.folder / f"{name}.log").read_text(errors="replace")[-1500:]
            if process.returncode != -signal.SIGKILL and not any(words in told for words in EXPECTED):
                self.faults.append(f"{name} has ended with {process.returncode}: {told}")
            if name in self.workers and not self.faults:
                self.work(name)

    def sample_memory(self):
        """Measures the memory of all processes: often, because searches take it and return it."""
        for name, process in self.processes.items():
            if name.startswith("killed"):
                continue
            try:
                # VmRSS includes pages of the program's file, which the kernel drops at any time.
                lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
                memory = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
            except (OSError, StopIteration):
                continue
            self.samples.setdefault((name, MEMORY), []).append((time.monotonic(), memory / 1024))

    def sample(self):
        """Measures handles and folders once."""
        values = {}
        for name, process in self.processes.items():
            if name.startswith("killed"):
                continue
            try:
                values[name, "handles"] = len(os.listdir(f"/proc/{process.pid}/fd"))
            except OSError:
                continue
        generation = self.generation()
        # Promoted models stay for good and reports of killed workers for an hour, so neither are
        # counted.
        share, kept = size(self.run / "fleet"), size(self.run / "games") + size(self.run / "train")
        records = sum(size(self.run / name) for name in ("gates", "logs", "tensorboard"))
        records += sum((self.run / name).stat().st_size for name in ("metrics.jsonl", "ratings.json") if (self.run / name).exists())
        values["share", "MiB"] = share / 2**20
        values["share", "files and folders"] = sum(entries(self.run / "fleet" / name) for name in ("claims", "games", "models"))
        values["games and state of training", "MiB"] = kept / 2**20
        values["temporary files", "MiB"] = size(self.folder / "temporary") / 2**20
        self.reached.append((time.monotonic(), generation))
        if generation:
            values["curves and logs", "KiB a generation"] = records / 1024 / generation
        for key, value in values.items():
            self.samples.setdefault(key, []).append((time.monotonic(), value))

    def generation(self):
        try:
            return json.loads((self.run / "status.json").read_text())["generation"]
        except (OSError, ValueError, KeyError):
            return 0

    def generations_since(self, begun):
        """Generations that ended at that time or later."""
        counted = [generation for when, generation in self.reached if when >= begun]
        return counted[-1] - counted[0] if counted else 0

    def torment(self, seconds):
        end = time.monotonic() + seconds
        at = {"kill": 0, "sample": 0}
        while time.monotonic() < end and not self.faults:
            self.look()
            self.sample_memory()
            if time.monotonic() > at["sample"]:
                self.sample()
                at["sample"] = time.monotonic() + PAUSE
            if time.monotonic() > at["kill"]:
                self.kill(self.chance.choice([name for name in self.workers if name.startswith("killed")]))
                at["kill"] = time.monotonic() + self.chance.uniform(2, 16)
            time.sleep(0.2)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()
        self.count("workers killed")

    def finish(self):
        """Ends everything in order: no process may fail or hang, and the run must be whole."""
        self.is_over.set()
        for client in self.clients:
            client.join()
        self.stop("trainer", 130)
        generation = self.generation()
        subprocess.run([self.program, *self.train, "--generations", str(generation + 1)], check=True, capture_output=True, env=self.environment)
        for name in self.workers:
            if self.processes[name].wait(timeout=PATIENCE) not in (0, -signal.SIGKILL):
                self.faults.append(f"{name} has ended with {self.processes[name].returncode}")
        self.stop("page", 0)
        self.stop("gateway", 0)
        checked = subprocess.run([self.program, "check", str(self.run)], capture_output=True, text=True)
        if checked.returncode:
            self.faults.append(checked.stdout + checked.stderr)
        left = os.listdir(self.folder / "temporary")
        if left:
            self.faults.append(f"temporary files are left: {left[:10]}")

    def stop(self, name, expected):
        self.processes[name].send_signal(signal.SIGINT)
        if self.processes[name].wait(timeout=PATIENCE) != expected:
            self.faults.append(f"{name} has ended with {self.processes[name].returncode} after Ctrl-C")

    def close(self):
        self.is_over.set()
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()


def size(folder):
    """Bytes of the files in a folder that are there."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                pass
    return total


def entries(folder):
    """Files and folders in a folder, at any depth."""
    return sum(len(folders) + len(files) for _, folders, files in os.walk(folder))


def by_part(points, measure):
    """One point of each part of the time: the lowest for memory, otherwise the median."""
    begin, length = points[0][0], (points[-1][0] - points[0][0]) / PARTS
    parts = {}
    for time_of, value in points:
        parts.setdefault(min(int((time_of - begin) / length), PARTS - 1), []).append((time_of, value))
    ordered = (sorted(part, key=lambda point: point[1]) for part in parts.values())
    return [part[0 if measure == MEMORY else len(part) // 2] for part in ordered]


def slopes(points):
    """The median of the slopes between points, which single points cannot change, with Sen's interval of 95 %."""
    found = sorted((b - a) / (u - t) for i, (t, a) in enumerate(points) for u, b in points[i + 1 :])
    n = len(points)
    half = 1.96 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
    low, high = math.floor(len(found) / 2 - half), math.ceil(len(found) / 2 + half)
    return found[max(low, 0)], statistics.median(found), found[min(high, len(found) - 1)]


def table(samples, begun):
    """The measures as a table, those that have grown, and those that nobody can tell."""
    rows = ["| what | measure | first | median | largest | growth | 95 % | limit |", "|---|---|---|---|---|---|---|---|"]
    grown, unclear = [], []
    for (name, measure), points in samples.items():
        counted = [point for point in points if point[0] >= begun]
        if len(counted) < 2 * PARTS:
            unclear.append(f"{name}: {measure} has only {len(counted)} samples")
            continue
        values = [value for _, value in counted]
        middle = statistics.median(values)
        length = counted[-1][0] - counted[0][0]
        low, growth, high = (length * slope + 0.0 for slope in slopes(by_part(counted, measure)))
        share, least = LIMITS[measure]
        limit = max(share * middle, least)
        numbers = " | ".join(f"{value:.1f}" for value in (values[0], middle, max(values)))
        told = f"{growth:+.1f} | {low:+.1f} to {high:+.1f} | {limit:.1f}"
        rows.append(f"| {name} | {measure} | {numbers} | {told} |")
        if high > limit:
            verdict = f"{name}: growth of {measure} {growth:+.1f} ({low:+.1f} to {high:+.1f}), limit {limit:.1f}"
            (grown if low > 0 else unclear).append(verdict)
    return "\n".join(rows), grown, unclear


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, help="a file for all samples, as JSON")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="crownhead-soak-"))
    soak = Soak(args.program, folder, args.seed)
    start = end = time.monotonic()
    try:
        soak.begin()
        soak.torment(60 * args.minutes)
        end = time.monotonic()
        if not soak.faults:
            soak.finish()
    except subprocess.SubprocessError as fault:
        soak.faults.append(str(fault))
    finally:
        soak.close()
    if args.to:
        args.to.write_text(json.dumps([{"what": key, "points": points} for key, points in soak.samples.items()]))
    begun = start + (end - start) / 2
    text, grown, unclear = table(soak.samples, begun)
    counted = soak.generations_since(begun)
    print(text)
    print(f"{(end - start) / 60:.1f} minutes, {soak.generation()} generations, {counted} of them counted; " + ", ".join(f"{n} {what}" for what, n in sorted(soak.counts.items())))
    if counted < GENERATIONS:
        unclear = [f"only {counted} generations in the counted time, {GENERATIONS} are necessary: give more --minutes"]
        grown = []
    if soak.faults or grown or unclear:
        print(f"see {folder}", *soak.faults, *grown, sep="\n", file=sys.stderr)
        print(*(f"not decided: {what}" for what in unclear), sep="\n", file=sys.stderr)
        return 1 if soak.faults or grown else 3
    subprocess.run(["rm", "-r", str(folder)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
