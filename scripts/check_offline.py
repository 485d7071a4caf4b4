#!/usr/bin/env python3
"""Tests exported pages in headless Chromium: games against their agents inside the browser, and after the
server has gone.

    cargo build --release && scripts/check_offline.py

Needs python3, chromium and chromedriver (Debian: apt-get install chromium chromium-driver).
"""

import functools
import http.server
import pathlib
import subprocess
import tempfile
import threading

from check_page import CROWNHEAD, PLAY_ON, Page
from webdriver import Browser, wait_for

GAMES = ["english", "customary", "frisian", "thai", "ringboard"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Served:
    """A folder on a web server, which can be stopped."""

    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def export(source, folder):
    subprocess.run([CROWNHEAD, "export", source, "--to", folder, "--page"], check=True, stdout=subprocess.DEVNULL)
    return Served(folder)


def check_network(browser, folder):
    """A whole game against a network; then another one without the server."""
    served = export("bundled:english", folder)
    page = Page(browser, served.url)
    page.go("#/play")
    page.begin("english", "network:english")
    result = browser.run(PLAY_ON, 1)
    assert result in ("white", "black", "draw"), result
    print(f"english against its network: {result}, {page.state()['plies']} plies")
    wait_for("the kept files", lambda: browser.run("return navigator.serviceWorker.ready.then((r) => !!r.active)"))
    served.stop()
    page.go("#/play")
    page.begin("english", "network:english")
    page.move_by_mouse()
    page.wait_plies(2)
    print("without the server: the page goes on")


def check_evaluations(browser, folder):
    """Some moves of each game against alpha-beta search, with a clock."""
    served = export("ab:bundled", folder)
    page = Page(browser, served.url)
    page.go("#/play")
    for variant in GAMES:
        page.begin(variant, f"evaluation:{variant}", clock="1+2")
        for plies in (2, 4):
            page.move_by_mouse()
            page.wait_plies(plies)
        print(f"{variant} against alpha-beta search: {page.state()['plies']} plies")
    page.begin("russian", "material:russian", clock="1+2")
    page.move_by_mouse()
    page.wait_plies(2)
    page.load("W:W99:B1")
    wait_for("the error", lambda: "square 99" in browser.text(".hint"))
    served.stop()


def main():
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        check_network(browser, pathlib.Path(folder, "network"))
        unexpected = [error for error in browser.errors() if "ERR_CONNECTION_REFUSED" not in error]
        assert not unexpected, unexpected
        check_evaluations(browser, pathlib.Path(folder, "evaluations"))
        assert not browser.errors(), "the page reports errors"
    print("the exported pages play")


if __name__ == "__main__":
    main()
