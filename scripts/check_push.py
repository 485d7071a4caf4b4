#!/usr/bin/env python3
"""Uploads an export with the real `hf` to a stand-in for the Hugging Face Hub on this machine.

    pip install -r scripts/outside/requirements.txt
    scripts/check_push.py target/release/crownhead [EXPORT OF A RUN...]

The stand-in answers the requests of `hf upload`, and stores the uploaded files: every file of the export
must arrive, byte for byte, in one commit, and nothing else; the model card must have metadata that the
Hub's own library reads. Exits with 1 otherwise. Nothing leaves this machine.
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from huggingface_hub import ModelCard

REPOSITORY = "somebody/an-agent"
TOKEN = "hf_stand_in"
# Files that the Hub would store separately.
IS_LARGE = (".onnx", ".safetensors")


class StandIn(BaseHTTPRequestHandler):
    """The Hub: one model repository, kept in `files` once it is committed."""

    uploaded, files, commits, unknown = {}, {}, [], []

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, content, status=200):
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def address(self, path):
        return f"http://{self.headers['Host']}{path}"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.startswith(f"/api/models/{REPOSITORY}"):
            return self.answer({"id": REPOSITORY, "sha": "0" * 40, "private": True, "siblings": []})
        self.unknown.append(f"GET {path}")
        return self.answer({"error": "unknown"}, 404)

    do_HEAD = do_GET

    def do_POST(self):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer({"error": "no token"}, 401)
        path, body = self.path.split("?")[0], self.body()
        if path == "/api/repos/create":
            wanted = json.loads(body)
            assert f"{wanted['organization']}/{wanted['name']}" == REPOSITORY, wanted
            assert wanted.get("private") or wanted.get("visibility") == "private", wanted
            return self.answer({"url": self.address(f"/{REPOSITORY}"), "name": REPOSITORY})
        if path == "/api/validate-yaml":
            return self.answer({"errors": [], "warnings": []})
        if path == f"/api/models/{REPOSITORY}/preupload/main":
            files = json.loads(body)["files"]
            modes = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(IS_LARGE) else "regular",
                    "shouldIgnore": False,
                    "oid": None,
                }
                for file in files
            ]
            return self.answer({"files": modes})
        if path == f"/{REPOSITORY}.git/info/lfs/objects/batch":
            objects = [
                {
                    **wanted,
                    "authenticated": True,
                    "actions": {"upload": {"href": self.address(f"/objects/{wanted['oid']}")}},
                }
                for wanted in json.loads(body)["objects"]
            ]
            return self.answer({"transfer": "basic", "objects": objects})
        if path == f"/api/models/{REPOSITORY}/commit/main":
            lines = [json.loads(line) for line in body.splitlines()]
            for line in lines:
                value = line["value"]
                if line["key"] == "file":
                    assert value["encoding"] == "base64"
                    self.files[value["path"]] = base64.b64decode(value["content"])
                if line["key"] == "lfsFile":
                    self.files[value["path"]] = self.uploaded[value["oid"]]
            self.commits.append(lines[0]["value"]["summary"])
            url = self.address(f"/{REPOSITORY}/commit/{'1' * 40}")
            return self.answer({"commitUrl": url, "commitOid": "1" * 40, "success": True})
        self.unknown.append(f"POST {path}")
        return self.answer({"error": "unknown"}, 404)

    def do_PUT(self):
        body, oid = self.body(), self.path.rsplit("/", 1)[1]
        assert hashlib.sha256(body).hexdigest() == oid
        self.uploaded[oid] = body
        self.answer({})


def main():
    crownhead, *others = sys.argv[1:]
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder, "agent")
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "HF_TOKEN": TOKEN,
            "HF_HOME": f"{folder}/home",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        command = [crownhead, "export", "bundled:thai", "--to", export]
        subprocess.run(command, check=True, capture_output=True)
        # Other files in the folder stay there.
        export.joinpath("notes.txt").write_text("mine")
        run = subprocess.run(
            [*command, "--push", f"hf:{REPOSITORY}", "--private"],
            env=environment,
            capture_output=True,
            text=True,
        )
        if run.returncode:
            sys.exit(f"{run.stdout}{run.stderr}\nnot understood: {StandIn.unknown}")
        written = {path.name: path.read_bytes() for path in export.iterdir()}
        del written["notes.txt"], written[".crownhead-export"]
        assert StandIn.files == written, (list(StandIn.files), list(written))
        assert len(StandIn.commits) == 1, StandIn.commits
        for folder in [export, *others]:
            # Fails where the metadata are not what the library expects.
            card = ModelCard.load(Path(folder, "README.md"), ignore_metadata_errors=False).data
            assert card.license == ["mit", "apache-2.0"] and card.library_name == "onnx", card
            # Networks that come with the program have no rating of their run.
            assert (card.eval_results is None) == (folder == export), folder
            for rating in card.eval_results or []:
                assert rating.metric_type == "elo" and rating.metric_value > 0, rating
    print(f"push: {len(written)} files in one commit, {run.stdout.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
