#!/usr/bin/env python3
"""Tests the page of `crownhead serve` in headless Chromium: plays a whole game of each variant, steps
through games, and watches a run during training.

    cargo build --release && scripts/check_page.py
    scripts/check_page.py --screenshots docs --runs runs

Needs python3, chromium and chromedriver (Debian: apt-get install chromium chromium-driver).
"""

import argparse
import contextlib
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from webdriver import Browser, wait_for

ROOT = pathlib.Path(__file__).resolve().parent.parent
CROWNHEAD = ROOT / "target" / "release" / "crownhead"
GAMES = ["english", "customary", "frisian", "thai", "ringboard", "international", "russian"]
ENTER, ESCAPE, DOWN, RIGHT = "\ue007", "\ue00c", "\ue015", "\ue014"
RUN = "small"
# The window size of the screenshots.
DESKTOP = (1080, 720)

# Plays random moves by clicking squares until the game is over.
PLAY_ON = """
return (async (seed) => {
  const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let state = seed;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const status = () => document.querySelector(".status").dataset.status;
  const squares = (words) => [...document.querySelectorAll(".hit")]
    .filter((hit) => hit.getAttribute("aria-label").includes(words));
  const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const end = performance.now() + 50000;
  while (["ongoing", "thinking"].includes(status())) {
    if (performance.now() > end) throw new Error("the game does not end: " + document.body.innerText);
    const targets = squares("can be moved to");
    const pieces = squares("can move");
    const again = squares("selected").length === 0 && document.querySelector(".hint").textContent.match(/Choose (\\w+) again/);
    const choices = targets.length ? targets : pieces;
    if (again) click(document.querySelector(`[aria-label^="square ${again[1]},"]`));
    else if (choices.length) click(choices[Math.floor(random() * choices.length)]);
    await rest(2);
  }
  return status();
})(arguments[0]);
"""


class Page:
    """The page in a browser."""

    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def go(self, hash_):
        self.browser.open("about:blank")
        self.browser.open(f"{self.url}{hash_}")

    def labels(self, words):
        """The squares whose labels contain these words."""
        return self.browser.run(
            "return [...document.querySelectorAll('.hit')].filter((hit) =>"
            "hit.getAttribute('aria-label').includes(arguments[0])).map((hit) => +hit.dataset.square)",
            words,
        )

    def state(self):
        return self.browser.run("return {...document.querySelector('.status').dataset}")

    def wait_plies(self, plies):
        wait_for(f"{plies} plies", lambda: int(self.state().get("plies", -1)) >= plies)
        wait_for("our turn", lambda: self.state()["status"] != "thinking")

    def begin(self, variant, opponent, side="first", clock=""):
        self.browser.click("#main button.primary")
        self.browser.find("dialog[open]")
        choose = (
            "const field = document.querySelector(`[name=${arguments[0]}]`);"
            "field.value = arguments[1]; field.dispatchEvent(new Event('change'))"
        )
        self.browser.run(choose, "variant", variant)
        has_player = "return [...document.querySelectorAll('[name=opponent] option')].some((o) => o.value === arguments[0])"
        wait_for(opponent, lambda: self.browser.run(has_player, opponent))
        self.browser.run(choose, "opponent", opponent)
        self.browser.run(choose, "clock", clock)
        self.browser.click(f"[name=side][value={side}]")
        self.browser.click("dialog button.primary")
        is_new = (
            "const name = document.querySelector('.status .variant')?.textContent.toLowerCase();"
            "const clocks = document.querySelectorAll('.clock').length;"
            "return name === arguments[0] && clocks === arguments[1]"
        )
        clocks = 2 if clock else 0
        wait_for("the new game", lambda: self.browser.run(is_new, variant, clocks) and self.state()["plies"] == "0")

    def move_by_mouse(self):
        self.browser.click(f"[data-square='{self.labels('can move')[0]}']")
        while targets := self.labels("can be moved to"):
            self.browser.click(f"[data-square='{targets[0]}']")

    def move_by_keyboard(self):
        """Moves the focus with the arrow keys."""
        self.browser.run("document.querySelector('.hit[tabindex=\"0\"]').focus()")
        self.walk(set(self.labels("can move")))
        self.browser.keys(ENTER)
        self.browser.keys(ESCAPE)
        assert not self.labels("selected"), "Escape cancels"
        self.browser.keys(ENTER)
        while targets := self.labels("can be moved to"):
            self.walk(set(targets))
            self.browser.keys(ENTER)

    def walk(self, goals):
        lottery = random.Random(1)
        for _ in range(2000):
            if self.browser.run("return +document.activeElement.dataset.square") in goals:
                return
            self.browser.keys(lottery.choice("\ue012\ue013\ue014\ue015"))
        raise AssertionError(f"the arrow keys do not lead to {goals}")


def check_game(page, variant, seed):
    """A whole game; the first moves are entered by mouse and by keyboard."""
    page.begin(variant, "alphabeta:depth=1")
    page.move_by_mouse()
    page.wait_plies(2)
    page.move_by_keyboard()
    page.wait_plies(4)
    page.browser.keys("u")
    wait_for("the undone move", lambda: page.state()["plies"] == "2")
    result = page.browser.run(PLAY_ON, seed)
    assert result in ("white", "black", "draw"), result
    return f"{variant}: {page.browser.text('.status').splitlines()[0]}, {page.state()['plies']} plies"


def check_tools(page):
    """FEN, PDN, errors, earlier positions, flipping the board, loss on time."""
    page.begin("english", "random", side="both")
    page.browser.run("document.querySelector('details').open = true")
    load = "document.querySelector('textarea').value = arguments[0];" \
        "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Load').click()"
    page.browser.run(load, "W:W27,28:B14,23,24")
    wait_for("the position", lambda: page.labels("can move") == [27, 28])
    page.browser.run(load, "1. 11-15 23-19 2. 99-1")
    wait_for("the error", lambda: "ply 3" in page.browser.text(".hint"))
    page.browser.run(load, "1. 11-15 23-19 2. 8-11 *")
    wait_for("the game", lambda: page.state()["plies"] == "3")
    page.browser.run(load, '[White "Dan"] 1. 99-1 * [White "Ann"] 1. 11-15 * [White "Cleo"] 1. 12-16 24-19 *')
    wait_for("the first game that is legal", lambda: page.state()["plies"] == "1")
    choose = "const s = document.querySelector('.choice select'); s.value = 2; s.dispatchEvent(new Event('change'))"
    page.browser.run(choose)
    wait_for("the third game", lambda: page.state()["plies"] == "2")
    assert "3. Cleo" in page.browser.run("return document.querySelector('.choice :checked').textContent")
    page.browser.run(load, "1. 11-15 23-19 2. 8-11 *")
    wait_for("the game", lambda: page.state()["plies"] == "3")
    assert not page.browser.run("return document.querySelector('.choice select')")
    page.browser.keys("[")
    wait_for("an earlier position", lambda: "An earlier position" in page.browser.text(".looking"))
    page.browser.keys("]f")
    box = "return document.querySelector('[data-square=\"1\"]').y.baseVal.value"
    assert page.browser.run(box) == 700, "square 1 is below after a flip"
    # A double capture entered by its end.
    page.browser.run(load, "W:W27,28:B14,23,24")
    wait_for("the position", lambda: page.labels("can move") == [27, 28])
    page.browser.click("[data-square='27']")
    assert sorted(page.labels("can be moved to")) == [9, 18, 20], page.labels("can be moved to")
    page.browser.click("[data-square='9']")
    wait_for("the capture", lambda: page.browser.text(".moves").split()[-1] == "27x9")
    # The same capture square by square.
    page.browser.keys("u")
    wait_for("the undone capture", lambda: page.state()["plies"] == "0")
    page.browser.keys("e")
    wait_for("the engine's move", lambda: page.state()["plies"] == "1")
    page.browser.keys("u")
    wait_for("the start", lambda: page.state()["plies"] == "0")
    for square in (27, 18, 9):
        page.browser.click(f"[data-square='{square}']")
    wait_for("the capture", lambda: page.state()["plies"] == "1")
    page.begin("english", "random", side="both", clock="1+2")
    page.move_by_mouse()
    wait_for("White's clock", lambda: page.state()["turn"] == "white")
    page.browser.run("const now = performance.now(); performance.now = () => now + 70000")
    wait_for("the flag", lambda: "Black wins (time)" in page.browser.text(".status"))
    page.go("#/play")


def check_analysis(page):
    """The analysis of a position by the network."""
    page.begin("english", f"run:{RUN}", side="first", clock="1+2")
    page.browser.keys("a")
    wait_for("the policy", lambda: page.browser.run("return document.querySelectorAll('.policy li').length > 0"))
    wait_for("arrows", lambda: page.browser.run("return document.querySelectorAll('.arrow').length > 0"))
    page.browser.keys("a")
    page.move_by_mouse()
    page.wait_plies(2)
    assert page.browser.run("return document.querySelectorAll('.clock').length") == 2
    assert "%" in page.browser.run("return document.querySelector('.value-bar').ariaLabel")


def check_lines(page):
    """Analysis with one to five lines, by a network and by alpha-beta search."""
    choose = "const s = document.querySelector('[name=lines]'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
    rows = (
        "return [...document.querySelectorAll('.lines li')].map((row) =>"
        "['depth', 'worth', 'moves-of'].map((part) => row.querySelector('.' + part).textContent))"
    )
    for opponent in (f"run:{RUN}", "ab:bundled"):
        page.begin("english", opponent, side="both")
        page.browser.run(choose, 1)
        page.browser.keys("a")
        wait_for("one line", lambda: page.browser.run("return document.querySelector('.engine .line') !== null"))
        for n_lines in (5, 2):
            page.browser.run(choose, n_lines)
            wait_for(f"{n_lines} lines", lambda: len(page.browser.run(rows)) == n_lines)
            lines = page.browser.run(rows)
            assert all(int(depth) >= 1 and (worth == "–" or worth.endswith("%")) for depth, worth, _ in lines), lines
            assert lines[0][1] != "–", lines
            firsts = {moves.split()[0] for *_, moves in lines}
            assert len(firsts) == n_lines and all(re.fullmatch(r"\d+-\d+", move) for move in firsts), lines
        # A move goes on with the analysis of the next position.
        page.move_by_mouse()
        wait_for("the next position's lines", lambda: not firsts & {moves.split()[0] for *_, moves in page.browser.run(rows)})
        assert len(page.browser.run(rows)) == 2
        page.browser.run(choose, 1)
        page.browser.keys("a")


def check_run(page, run_dir):
    """The list of runs, the live view during training, and a game of the run."""
    page.go("#/runs")
    assert RUN in page.browser.text(".card.run h2")
    page.browser.click(".card.run")
    wait_for("curves", lambda: page.browser.run("return document.querySelectorAll('.chart').length > 5"))
    assert "Draw rate" in page.browser.text(".charts")
    assert page.browser.run("return document.querySelectorAll('.interval').length") > 0
    before = page.browser.text("td a")
    train(run_dir, 2)
    wait_for("an update of the run", lambda: page.browser.text("td a") != before)
    wait_for("the second model", lambda: "Model 2" in page.browser.text(".two"))
    page.browser.click("td a")
    page.browser.find(".game-chart")
    page.browser.run("document.activeElement.blur()")
    page.browser.keys(RIGHT * 12)
    current = "return document.querySelector('.moves [aria-current]')?.dataset.plies"
    wait_for("the twelfth ply", lambda: page.browser.run(current) == "12")
    assert "White" in page.browser.run("return document.querySelector('.value-bar').ariaLabel")
    moves = "return [...document.querySelectorAll('.policy .move')].map((move) => move.textContent)"
    shown = []
    for _ in range(20):
        shown += page.browser.run(moves)
        page.browser.keys(RIGHT)
    assert shown and all(re.fullmatch(r"\d+([-x]\d+)+", move) for move in shown), shown


def check_widths(page):
    """No view is wider than a small phone; both colour schemes have the right contrast."""
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    page.browser.resize(360, 740, 2, is_phone=True)
    for hash_ in ("#/play", "#/runs", f"#/runs/{RUN}", f"#/runs/{RUN}/1/0"):
        page.go(hash_)
        page.browser.find("h2, .card")
        time.sleep(0.2)
        content, window = page.browser.run(wide)
        assert content <= window == 360, f"{hash_}: {content} of {window} pixels"
        words = page.browser.text("main")
        assert "NaN" not in words and "undefined" not in words, words
    for scheme in ("light", "dark"):
        page.browser.scheme(scheme)
        colors = page.browser.run("const c = getComputedStyle(document.body); return [c.color, c.backgroundColor]")
        light = [sum(map(int, color[4:-1].split(", "))) for color in colors]
        assert (light[0] < light[1]) == (scheme == "light"), (scheme, colors)


def train(run_dir, generations):
    options = ["--preset", "tiny", "--run", str(run_dir), "--generations", str(generations)]
    subprocess.run([CROWNHEAD, "train", "english", *options], check=True, capture_output=True)


@contextlib.contextmanager
def serving(*arguments):
    """Runs a server, and stops it with SIGINT."""
    command = [CROWNHEAD, "--format", "json", "serve", "--port", "0", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.send_signal(signal.SIGINT)
        status = server.wait(timeout=10)
    assert status == 0, f"the server ended with status {status}"


def check():
    with tempfile.TemporaryDirectory() as runs:
        run_dir = pathlib.Path(runs) / RUN
        train(run_dir, 1)
        with serving("--runs", runs) as url, Browser() as browser:
            page = Page(browser, url)
            page.go("#/play")
            for seed, variant in enumerate(GAMES, 1):
                note(check_game(page, variant, seed))
            for step in (check_tools, check_analysis, check_lines):
                step(page)
                note(step.__doc__)
            check_run(page, run_dir)
            note(check_run.__doc__)
            check_widths(page)
            note(check_widths.__doc__)
            # The console also logs requests that fail on purpose.
            errors = [text for text in browser.errors() if "status of 400" not in text]
            assert not errors, errors


def take_screenshots(folder, runs):
    """Takes the screenshots of the README, from a trained run."""
    folder.mkdir(exist_ok=True)
    with serving("--runs", str(runs)) as url, Browser() as browser:
        page = Page(browser, url)
        browser.resize(*DESKTOP)
        page.go("#/play")
        page.begin("english", "run:english")
        for _ in range(5):
            plies = int(page.state()["plies"])
            page.move_by_mouse()
            page.wait_plies(plies + 2)
        browser.keys("a")
        wait_for("arrows", lambda: browser.run("return document.querySelectorAll('.arrow').length > 0"))
        browser.run("document.activeElement.blur()")
        time.sleep(1)
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            browser.screenshot(folder / f"play-{scheme}.png")
        browser.resize(390, 844, 1, is_phone=True)
        time.sleep(0.3)
        browser.screenshot(folder / "play-phone.png")
        browser.resize(*DESKTOP)
        browser.scheme("light")
        page.go("#/runs/english")
        browser.find(".chart")
        time.sleep(0.5)
        browser.screenshot(folder / "run-light.png")


def note(text):
    print(f"{time.monotonic() - START:5.1f} s  {text.strip().splitlines()[0]}", file=sys.stderr)


START = time.monotonic()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screenshots", type=pathlib.Path, help="take screenshots into this folder instead")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs", help="the directory of runs for the screenshots")
    arguments = parser.parse_args()
    if arguments.screenshots:
        take_screenshots(arguments.screenshots, arguments.runs)
    else:
        check()


if __name__ == "__main__":
    main()
