#!/usr/bin/env python3
"""Trains a fleet through a bucket on a local S3 server (moto), and checks the errors.

    pip install -r scripts/bucket-requirements.txt
    scripts/check_bucket.py target/release/crownhead moto_server

The program must have the feature `cloud`. A worker is killed, then the trainer, and at the end the server: the run
must be that of a single process, byte for byte. Exits with 1 otherwise.
"""

import atexit
import http.server
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from check_fleet import COMES_EARLY, TINY, Fleet, ask, same

URL = "s3://runs/below/english"


def variables(port, **more):
    """The environment for an S3 server at a port."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    endpoint = {"AWS_ENDPOINT": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true"}
    keys = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "a-secret", "AWS_REGION": "us-east-1"}
    return plain | endpoint | keys | more


class ReadOnly(http.server.BaseHTTPRequestHandler):
    """An empty read-only bucket."""

    def answer(self, status, body):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if "list-type" in self.path:
            return self.answer(200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
        return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def do_PUT(self):
        self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")

    def log_message(self, *_):
        pass


def refuses(words, environment, *arguments):
    run = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1 and words in run.stderr, (arguments, run.returncode, words, run.stderr)
    assert "a-secret" not in run.stderr, run.stderr
    print("refused:", run.stderr.strip().splitlines()[0][:200])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start(moto_server, port):
    """An S3 server with the bucket `runs`."""
    server = subprocess.Popen([moto_server, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        assert server.poll() is None, "the S3 server has ended"
        try:
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/runs", method="PUT")).close()
            return server
        except OSError:
            time.sleep(0.2)


def joined(fleet):
    """A worker that plays."""
    while True:
        worker = fleet.start([fleet.program, "worker", "--join", URL, "--threads", "1"])
        told = []
        for line in worker.stderr:
            told.append(line)
            if line.startswith("Generation"):
                return worker
        assert any(words in "".join(told) for words in COMES_EARLY), told
        assert fleet.trainer.poll() is None, fleet.trainer.communicate()
        worker.wait()


def together(fleet, server):
    """Three generations with a fleet: kills a worker and the trainer in the first, the server in the last."""
    fleet.keep(0, 1000)
    fleet.kill(joined(fleet), "worker")
    fleet.workers = [joined(fleet)]
    fleet.kill(fleet.trainer, "trainer")
    fleet.finish(2)
    assert not fleet.faults, "\n".join(fleet.faults)
    played = ask(fleet.program, "fleet", "status", URL, environment=fleet.environment)
    assert played["is_over"] and played["findings"] == [], played
    fleet.keep(0, 3)
    for line in fleet.trainer.stderr:
        if line.startswith("Machines join"):
            break
    server.kill()
    told = fleet.trainer.communicate(timeout=300)[1]
    assert fleet.trainer.returncode == 0 and "Workers were not told" in told, told
    return sum(worker["games"] for worker in played["workers"])


def main():
    program, moto_server = os.path.abspath(sys.argv[1]), sys.argv[2]
    port = free_port()
    server = start(moto_server, port)
    atexit.register(server.kill)
    read_only = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ReadOnly)
    threading.Thread(target=read_only.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="crownhead-bucket-") as folder:
        folder = Path(folder)
        here = variables(port)
        train = [program, "train", "english", *TINY, "--generations", "1", "--run", str(folder / "refused"), "--fleet"]
        join = [program, "worker", "--join"]
        refuses("set AWS_ACCESS_KEY_ID and", here | {"AWS_ACCESS_KEY_ID": ""}, *train, URL)
        refuses("AWS_ALLOW_HTTP=true", here | {"AWS_ALLOW_HTTP": ""}, *train, URL)
        refuses("write a directory, file:///DIRECTORY, s3://", here, *train, "ftp://runs/english")
        refuses("there is no such bucket", here, *train, "s3://nowhere/english")
        refuses("there is no such bucket", here, *join, "s3://nowhere/english")
        refuses("there is no fleet in s3://runs/below", here, *join, URL)
        refuses("Connection refused", variables(free_port()), *join, URL)
        refuses("AccessDenied", variables(read_only.server_address[1]), *train, URL)

        fleet = Fleet(program, "english", URL, folder / "together", here)
        try:
            games = together(fleet, server)
        finally:
            fleet.close()
        single = [program, "train", "english", *TINY, "--run", str(folder / "alone"), "--generations", "3"]
        subprocess.run(single, check=True, capture_output=True)
        differ = same(program, folder / "together", folder / "alone")
        assert not differ, f"{differ} differ"
        secrets = [path for path in folder.rglob("*") if path.is_file() and b"a-secret" in path.read_bytes()]
        assert not secrets, secrets
        assert games > 0
        print(f"three generations are the same; workers have played {games} games of them through the bucket")


if __name__ == "__main__":
    main()
