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
import shutil
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
DESKTOP = (1180, 1060)

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

    def choose(self, name, value):
        """Chooses an option of a select, as soon as it is there."""
        has = "return [...document.querySelectorAll(`[name='${arguments[0]}'] option`)].some((o) => o.value === arguments[1])"
        wait_for(f"{name} {value}", lambda: self.browser.run(has, name, str(value)))
        self.browser.run(
            "const field = document.querySelector(`[name='${arguments[0]}']`);"
            "field.value = arguments[1]; field.dispatchEvent(new Event('change', { bubbles: true }))",
            name, str(value),
        )

    def press(self, text):
        """Presses the button with this text."""
        self.browser.run(
            "[...document.querySelectorAll('button')].find((b) => b.textContent === arguments[0]).click()", text)

    def begin(self, variant, opponent, side="first", clock=""):
        self.browser.click("#main button.primary")
        self.browser.find("dialog[open]")
        self.choose("variant", variant)
        label = "return document.querySelector('dialog a').getAttribute('href')"
        wait_for("the players", lambda: self.browser.run(label) == f"#/rules/{variant}")
        person = "human"
        self.choose("first", {"first": person, "both": person}.get(side, opponent))
        self.choose("second", {"second": person, "both": person}.get(side, opponent))
        self.choose("clock", clock)
        self.browser.click("dialog button.primary")
        is_new = (
            "const name = document.querySelector('.status .variant')?.textContent.toLowerCase();"
            "const clocks = document.querySelectorAll('.clock').length;"
            "return name === arguments[0] && clocks === arguments[1]"
        )
        clocks = 2 if clock else 0
        wait_for("the new game", lambda: self.browser.run(is_new, variant, clocks) and self.state()["plies"] == "0")

    def load(self, text):
        self.browser.run(
            "document.querySelector('textarea').value = arguments[0];"
            "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Load').click()", text)

    def moves(self):
        """The moves of the list, variations included, with their marks."""
        return self.browser.run("return [...document.querySelectorAll('.moves button')].map((b) => b.textContent)")

    def look(self, move):
        """Chooses a move in the list."""
        self.browser.run("[...document.querySelectorAll('.moves button')].find((b) => b.textContent === arguments[0]).click()", move)
        here = "return document.querySelector('.moves [aria-current]')?.textContent"
        wait_for(move, lambda: self.browser.run(here) == move)

    def enter(self, *squares):
        for square in squares:
            self.browser.click(f"[data-square='{square}']")

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


def check_kept(page):
    """A game is never lost: reload, other views, the skip link, back and forward, names, links."""
    page.begin("frisian", "random", side="both")
    page.move_by_mouse()
    wait_for("a move", lambda: page.state()["plies"] == "1")
    address, moves = page.browser.run("return location.hash"), page.moves()
    assert address.startswith("#/game/"), address
    is_back = lambda: page.browser.run("return location.hash") == address and page.moves() == moves
    page.browser.run("location.reload()")
    wait_for("the game after a reload", is_back)
    page.browser.run("document.querySelector('.skip').click()")
    assert page.browser.run("return document.activeElement.id") == "main" and is_back()
    page.browser.click("nav a[href='#/runs']")
    page.browser.find(".page h1")
    page.browser.click("nav a[href='#/play']")
    wait_for("the game after a tab", is_back)
    page.browser.run("history.back()")
    page.browser.find(".page h1")
    page.browser.run("history.forward()")
    wait_for("the game after back and forward", is_back)
    # A game that is begun beside it leaves it in the list, and back leads to it.
    page.begin("thai", "random", side="both")
    page.browser.run("history.back()")
    wait_for("the first game", is_back)
    page.browser.run("document.querySelector('details.card').open = true")
    page.press("Copy link")
    link = wait_for("the link", lambda: page.browser.run("return document.querySelector('textarea').value"))
    page.browser.open("about:blank")
    page.browser.open(link)
    wait_for("the game of the link", lambda: page.moves() == moves)
    assert page.browser.run("return location.hash") != address
    page.go("#/games")
    names = "return [...document.querySelectorAll('td:first-child')].map((cell) => cell.textContent)"
    wait_for("three games", lambda: len(page.browser.run(names)) >= 3)
    page.browser.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Name').click()")
    page.browser.keys("My game" + ENTER)
    wait_for("the name", lambda: "My game" in page.browser.run(names))
    page.press("Delete")
    wait_for("the deletion", lambda: "My game" not in page.browser.run(names))
    page.press("Undo")
    wait_for("the game again", lambda: "My game" in page.browser.run(names))
    page.go(address)
    wait_for("the game", is_back)


def check_tree(page):
    """Variations, comments, marks, their order, undo and redo, PDN."""
    page.begin("english", "random", side="both")
    page.browser.run("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.enter(11, 15)
    wait_for("the move", lambda: page.moves() == ["11-15"])
    page.enter(23, 19)
    wait_for("the answer", lambda: page.moves() == ["11-15", "23-19"])
    # Another move in an earlier position is a variation; the game stands where it stood.
    page.look("11-15")
    page.enter(22, 17)
    wait_for("the variation", lambda: page.moves() == ["11-15", "23-19", "22-17"])
    assert page.state()["plies"] == "2"
    page.browser.click("[data-glyph='!?']")
    wait_for("the mark", lambda: "22-17!?" in page.moves())
    page.browser.click("[name=comment]")
    page.browser.keys("the dyke {" + ENTER)
    wait_for("the comment", lambda: "the dyke {" in page.browser.text(".moves"))
    page.press("Main line")
    wait_for("the new main line", lambda: page.moves() == ["11-15", "22-17!?", "23-19"])
    page.press("Copy PDN")
    read = "return document.querySelector('textarea').value"
    pdn = wait_for("the PDN", lambda: page.browser.run(read))
    assert "1. 11-15 22-17!? {the dyke {} (1... 23-19) *" in " ".join(pdn.split()), pdn
    page.press("Delete")
    wait_for("the line without it", lambda: page.moves() == ["11-15", "23-19"])
    page.browser.run("document.activeElement.blur()")
    page.browser.keys("u")
    wait_for("the deleted line", lambda: page.moves() == ["11-15", "22-17!?", "23-19"])
    page.browser.keys("r")
    wait_for("it is gone again", lambda: page.moves() == ["11-15", "23-19"])
    page.load(pdn)
    wait_for("the tree of the PDN", lambda: page.moves() == ["11-15", "22-17!?", "23-19"])
    assert "the dyke {" in page.browser.text(".moves")
    page.press("Copy link")
    link = wait_for("the link", lambda: page.browser.run(read + ".startsWith('http') && " + read.removeprefix("return ")))
    page.browser.open("about:blank")
    page.browser.open(link)
    wait_for("the tree of the link", lambda: page.moves() == ["11-15", "22-17!?", "23-19"])
    # Playing on from an earlier position keeps what was played.
    page.look("11-15")
    page.press("Play on from here")
    wait_for("the earlier position", lambda: page.state()["plies"] == "1")
    assert page.moves() == ["11-15", "22-17!?", "23-19"]


def check_tools(page):
    """FEN, PDN, errors, earlier positions, flipping the board, dragging, loss on time."""
    page.begin("english", "random", side="both")
    page.browser.run("document.querySelector('details.card').open = true")
    page.load("W:W27,28:B14,23,24")
    wait_for("the position", lambda: page.labels("can move") == [27, 28])
    page.load("1. 11-15 23-19 2. 99-1")
    wait_for("the error", lambda: "ply 3" in page.browser.text(".hint"))
    page.load("1. 11-15 23-19 2. 8-11 *")
    wait_for("the game", lambda: page.state()["plies"] == "3")
    page.load('[White "Dan"] 1. 99-1 * [White "Ann"] 1. 11-15 * [White "Cleo"] 1. 12-16 24-19 *')
    wait_for("the first game that is legal", lambda: page.state()["plies"] == "1")
    choose = "const s = document.querySelector('.choice select'); s.value = 2; s.dispatchEvent(new Event('change'))"
    page.browser.run(choose)
    wait_for("the third game", lambda: page.state()["plies"] == "2")
    wait_for("its name", lambda: "3. Cleo" in page.browser.run("return document.querySelector('.choice :checked')?.textContent ?? ''"))
    page.load("1. 11-15 23-19 2. 8-11 *")
    wait_for("the game", lambda: page.state()["plies"] == "3")
    wait_for("no choice", lambda: not page.browser.run("return document.querySelector('.choice select')"))
    page.browser.keys("[")
    wait_for("an earlier position", lambda: "Not the position" in page.browser.text(".looking"))
    page.browser.keys("]")
    wait_for("the last position", lambda: page.browser.run("return document.querySelector('.looking').hidden"))
    page.browser.keys("f")
    box = "return document.querySelector('[data-square=\"1\"]').y.baseVal.value"
    assert page.browser.run(box) == 700, "square 1 is below after a flip"
    # A double capture entered by its end.
    page.load("W:W27,28:B14,23,24")
    wait_for("the position", lambda: page.labels("can move") == [27, 28])
    page.enter(27)
    assert sorted(page.labels("can be moved to")) == [9, 18, 20], page.labels("can be moved to")
    page.enter(9)
    wait_for("the capture", lambda: page.moves() == ["27x9"])
    # The same capture square by square.
    page.browser.keys("u")
    wait_for("the undone capture", lambda: page.state()["plies"] == "0")
    page.browser.keys("e")
    wait_for("the engine's move", lambda: page.state()["plies"] == "1")
    page.browser.keys("u")
    wait_for("the start", lambda: page.state()["plies"] == "0")
    page.enter(27, 18, 9)
    wait_for("the capture", lambda: page.state()["plies"] == "1")
    page.browser.keys("u")
    wait_for("the start", lambda: page.state()["plies"] == "0")
    page.browser.drag("[data-square='28']", "[data-square='19']")
    wait_for("the move by drag and drop", lambda: page.moves() == ["28x19"])
    page.begin("english", "random", side="both", clock="1+2")
    page.move_by_mouse()
    wait_for("White's clock", lambda: page.state()["turn"] == "white")
    page.browser.run("const now = performance.now(); performance.now = () => now + 70000")
    wait_for("the flag", lambda: "Black wins (time)" in page.browser.text(".status"))
    page.go("#/play")


def check_watch(page):
    """Engine against engine: pause, step, go on; a draw that two people agree on."""
    page.begin("thai", "random", side="none")
    page.choose("pace", 1000)
    wait_for("a move", lambda: int(page.state()["plies"]) >= 1)
    page.press("Pause")
    wait_for("the pause", lambda: "Paused" in page.browser.text(".status"))
    plies = int(page.state()["plies"])
    page.press("Step")
    wait_for("one more move", lambda: int(page.state()["plies"]) == plies + 1)
    time.sleep(0.3)
    assert int(page.state()["plies"]) == plies + 1
    page.begin("thai", "random", side="both")
    page.press("Offer draw")
    page.press("Accept")
    wait_for("the draw", lambda: "Draw (agreement)" in page.browser.text(".status"))
    page.browser.keys("u")
    wait_for("the game goes on", lambda: page.state()["status"] == "ongoing")


def check_analysis(page):
    """The analysis of a position by the network, of forced moves and earlier positions; hints; a whole game."""
    page.begin("english", f"run:{RUN}", side="both")
    page.browser.run("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.choose("analyst", f"run:{RUN}")
    page.choose("lines", 1)
    page.browser.keys("a")
    wait_for("the policy", lambda: page.browser.run("return document.querySelectorAll('.policy li').length > 0"))
    wait_for("arrows", lambda: page.browser.run("return document.querySelectorAll('.arrow').length > 0"))
    # A forced move has lines too, and so has an earlier position.
    page.load("1. 11-15 22-18 *")
    wait_for("the forced move", lambda: page.labels("can move") == [15])
    first = "return document.querySelector('.lines .moves-of button')?.textContent"
    wait_for("its line", lambda: page.browser.run(first) == "15x22")
    page.look("11-15")
    wait_for("another line", lambda: page.browser.run(first) not in (None, "15x22"))
    # A line can be played on the board.
    line = page.browser.run("return [...document.querySelectorAll('.lines .moves-of button')].slice(0, 2).map((b) => b.textContent)")
    page.browser.run("document.querySelectorAll('.lines .moves-of button')[1].click()")
    wait_for("the line on the board", lambda: page.moves()[-2:] == line or page.moves()[1:] == line)
    page.browser.keys("a")
    page.browser.keys("h")
    wait_for("a hint", lambda: "Hint: " in page.browser.text(".hint"))
    # A game that is over, and a game with a blunder.
    page.load("W:WK23,K27:B18:H79")
    wait_for("the position", lambda: page.labels("can move"))
    page.choose("analyst", "ab:bundled")
    page.load("1. 11-15 22-18 2. 15x22 25x18 3. 8-11 18-14 *")
    wait_for("the game", lambda: page.state()["plies"] == "6")
    page.press("Analyse the whole game")
    marks = "return document.querySelectorAll('.moves [data-glyph]').length"
    wait_for("its marks", lambda: page.browser.run(marks) > 0 and "blunder" in page.browser.text(".tally"))
    assert page.browser.run("return document.querySelectorAll('.game-chart .area').length") == 3
    page.begin("english", f"run:{RUN}", side="first", clock="1+2")
    page.move_by_mouse()
    page.wait_plies(2)
    assert page.browser.run("return document.querySelectorAll('.clock').length") == 2


def check_lines(page):
    """Analysis with one to five lines, by a network and by alpha-beta search."""
    rows = (
        "return [...document.querySelectorAll('.lines li')].map((row) =>"
        "['depth', 'worth', 'moves-of'].map((part) => row.querySelector('.' + part).textContent))"
    )
    for analyst in (f"run:{RUN}", "ab:bundled"):
        page.begin("english", "random", side="both")
        page.choose("analyst", analyst)
        page.choose("lines", 1)
        page.browser.keys("a")
        wait_for("one line", lambda: len(page.browser.run(rows)) == 1)
        for n_lines in (5, 2):
            page.choose("lines", n_lines)
            wait_for(f"{n_lines} lines", lambda: len(page.browser.run(rows)) == n_lines)
            lines = page.browser.run(rows)
            assert all(int(depth) >= 1 and (worth == "–" or worth.endswith("%")) for depth, worth, _ in lines), lines
            assert lines[0][1] != "–", lines
            firsts = {moves.split()[0] for *_, moves in lines}
            assert len(firsts) == n_lines and all(re.fullmatch(r"\d+-\d+", move) for move in firsts), lines
        # A move goes on with the analysis of the next position.
        page.move_by_mouse()
        wait_for("the next position's lines", lambda: len(page.browser.run(rows)) == 2
            and not firsts & {moves.split()[0] for *_, moves in page.browser.run(rows)})
        page.browser.keys("a")


def check_truth(page):
    """What an endgame database knows: of every move, and of the moves that were played."""
    page.begin("english", "random", side="both")
    page.load("W:WK14,K15:BK28")
    wait_for("the position", lambda: page.labels("can move") == [14, 15])
    truths = "return [...document.querySelectorAll('.truths li')].map((row) => row.textContent)"
    assert not page.browser.run(truths), "nobody asked"
    page.browser.keys("a")
    rows = wait_for("the truth", lambda: page.browser.run(truths))
    assert re.match(r"White wins in \d+ plies", rows[0]), rows
    plies = [int(found[1]) for row in rows if (found := re.match(r"White wins in (\d+)", row))]
    assert plies == sorted(plies), rows
    page.browser.run("document.querySelector('.truths button').click()")
    mark = "return document.querySelector('.moves .truth')?.textContent"
    wait_for("the mark", lambda: page.browser.run(mark) == f"W{plies[0] - 1}")
    page.browser.keys("a")
    wait_for("no mark", lambda: page.browser.run(mark) is None)


def check_editor(page):
    """Setting up a position: what is illegal about it, and playing it."""
    page.go("#/editor/english")
    problem = "return document.querySelector('[role=alert]')?.textContent ?? ''"
    wait_for("the start", lambda: "Legal; Black has 7 moves" in page.browser.run(problem))
    page.press("Empty board")
    page.browser.click("[data-piece='w']")
    page.enter(3)
    wait_for("what is wrong", lambda: "last row" in page.browser.run(problem))
    assert page.browser.run("return [...document.querySelectorAll('button')].find((b) => b.textContent === 'Play from here').disabled")
    page.enter(3, 22)
    page.browser.click("[data-piece='b']")
    page.enter(18)
    page.choose("turn", "W")
    wait_for("the position", lambda: "Legal; White has 1 move." in page.browser.run(problem))
    page.press("Play from here")
    wait_for("the game", lambda: page.labels("can move") == [22])


def check_rules(page):
    """A card for each game; each example can be played."""
    page.go("#/rules/english")
    pills = "return [...document.querySelectorAll('.pills a')].map((link) => link.textContent.toLowerCase())"
    names = wait_for("the games", lambda: page.browser.run(pills))
    assert len(names) >= 8, names
    for name in names:
        page.go(f"#/rules/{name}")
        page.browser.find(".point button")
        assert page.browser.run("return document.querySelectorAll('.two li').length") >= 3, name
    page.browser.click(".point button")
    wait_for("the example", lambda: page.browser.run("return location.hash").startswith("#/game/"))
    wait_for("its moves", lambda: page.labels("can move"))


def check_access(page):
    """axe-core finds nothing on any view, in light and dark; numbers on squares have enough contrast."""
    script = axe_core()
    if script is None:
        return note("axe-core is not there: npm install axe-core")
    run = script + "; return axe.run().then((found) => found.violations.map((v) => v.id + ' ' + v.nodes[0].html))"
    for scheme in ("light", "dark"):
        page.browser.scheme(scheme)
        views = ("#/play", "#/games", "#/rules/frisian", "#/editor/frisian", "#/runs", f"#/runs/{RUN}", f"#/runs/{RUN}/1", f"#/runs/{RUN}/1/0")
        for hash_ in views:
            page.go(hash_)
            page.browser.find("#main h1, #main h2")
            time.sleep(0.3)
            page.browser.run("document.querySelectorAll('details').forEach((d) => (d.open = true))")
            assert not (found := page.browser.run(run)), (scheme, hash_, found)
        page.go("#/rules/ringboard")
        page.browser.find(".number.rim")
        for kind in (":not(.rim)", ".rim"):
            fill = "return getComputedStyle(document.querySelector(arguments[0])).fill"
            colors = [page.browser.run(fill, part + kind) for part in (".board .number", ".board .dark")]
            assert contrast(*colors) >= 4.5, (scheme, kind, colors)
    page.browser.scheme("light")


def contrast(*colors):
    """The ratio of the luminances of two colours `rgb(r, g, b)`, as the WCAG define it."""
    def luminance(color):
        parts = (int(part) / 255 for part in re.findall(r"\d+", color))
        return sum(weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for weight, part in zip((0.2126, 0.7152, 0.0722), parts))
    low, high = sorted(map(luminance, colors))
    return (high + 0.05) / (low + 0.05)


def axe_core():
    """The script of axe-core, fetched by npm once; none where there is no npm."""
    folder = ROOT / "target" / "axe"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-save", "axe-core@4"]
        subprocess.run(command, capture_output=True, check=False)
    return script.read_text() if script.exists() else None


def check_run(page, run_dir):
    """The list of runs, the live view during training, and a game of the run."""
    page.go("#/runs")
    page.browser.click("td input")
    wait_for("curves to compare", lambda: page.browser.run("return document.querySelectorAll('.chart').length") >= 3)
    page.press("Games")
    page.browser.find("th[aria-sort=descending]")
    assert page.browser.run("return document.querySelector('td:nth-child(8)').textContent") == "stopped"
    assert page.browser.run("return document.querySelector('td:nth-child(9)').textContent") == "unclear"
    page.browser.click(f"td a[href='#/runs/{RUN}']")
    wait_for("curves", lambda: page.browser.run("return document.querySelectorAll('.chart').length > 5"))
    assert "Draw rate" in page.browser.text(".charts")
    assert page.browser.run("return document.querySelectorAll('.interval').length") > 0
    before = page.browser.text("td a")
    train(run_dir, 2)
    wait_for("an update of the run", lambda: page.browser.text("td a") != before)
    wait_for("the second model", lambda: "Model 2" in page.browser.text(".two"))
    page.go(f"#/runs/{RUN}/1")
    page.choose("filter", "draw")
    results = "return [...document.querySelectorAll('td:nth-child(2)')].map((cell) => cell.textContent)"
    wait_for("the draws", lambda: all(text.startswith("Draw") for text in page.browser.run(results)))
    page.choose("filter", "all")
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
    page.press("Continue on the board")
    wait_for("the game on the board", lambda: page.browser.run("return location.hash").startswith("#/game/"))
    assert shown and all(re.fullmatch(r"\d+([-x]\d+)+", move) for move in shown), shown


def check_widths(page):
    """No view is wider than a small phone; both colour schemes have the right contrast."""
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    page.browser.resize(360, 740, 2, is_phone=True)
    for hash_ in ("#/play", "#/games", "#/runs", f"#/runs/{RUN}", f"#/runs/{RUN}/1", f"#/runs/{RUN}/1/0", "#/rules/ringboard", "#/editor/ringboard"):
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
            for step in (check_kept, check_tree, check_tools, check_watch, check_analysis, check_lines, check_truth, check_editor, check_rules):
                step(page)
                note(step.__doc__)
            check_run(page, run_dir)
            note(check_run.__doc__)
            for step in (check_access, check_widths):
                step(page)
                note(step.__doc__)
            # The console also logs requests that fail on purpose.
            errors = [text for text in browser.errors() if "status of 400" not in text]
            assert not errors, errors
    check_lan()
    note(check_lan.__doc__)


def check_lan():
    """A server for the network is closed without its token, and open to the browser that used it."""
    with serving("--lan=127.0.0.1") as link, Browser() as browser:
        url, _ = link.split("?")
        browser.open(url)
        assert "closed to this browser" in browser.text("body")
        browser.open(link)
        browser.find(".hit.can")
        assert browser.run("return location.href").startswith(f"{url}#/game/"), "the token stays out of sight"
        browser.open(url)
        browser.find(".hit.can")
        browser.open("about:blank")
        browser.open(link)
        assert "closed" not in browser.text("body"), "it has its cookie"


STUDY = """[Event "Two ways to answer"] [White "Ann"] [Black "Ben"]
1. 11-15 23-19 2. 8-11 22-17! {the Dyke} (2... 22-18 15x22 3. 25x18 {solid}) 3. 4-8 17-13
4. 15-18 {the main reply} 24-20 *"""


def take_screenshots(folder, runs):
    """Takes the screenshots of the README: a game that is analysed, the rules of a game, a trained run."""
    folder.mkdir(exist_ok=True)
    with serving("--runs", str(runs)) as url, Browser() as browser:
        page = Page(browser, url)
        browser.resize(*DESKTOP)
        page.go("#/play")
        browser.find(".hit.can")
        page.load(STUDY)
        wait_for("the study", lambda: "15-18" in page.moves())
        page.press("Analyse the whole game")
        wait_for("the graph", lambda: browser.run("return !document.querySelector('.tally').hidden"))
        page.look("17-13")
        browser.keys("a")
        wait_for("lines", lambda: browser.run("return document.querySelectorAll('.arrow').length > 1"))
        browser.run("document.activeElement.blur()")
        time.sleep(2)
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            browser.screenshot(folder / f"play-{scheme}.png")
        browser.resize(390, 844, 1, is_phone=True)
        time.sleep(0.3)
        browser.screenshot(folder / "play-phone.png")
        browser.resize(*DESKTOP)
        browser.scheme("light")
        page.go("#/rules/frisian")
        browser.find(".point")
        time.sleep(0.3)
        browser.screenshot(folder / "rules-light.png")
        if (runs / "english").is_dir():
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
