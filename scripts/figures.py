#!/usr/bin/env python3
"""Draws the figures of the documents as SVG, for light and dark backgrounds, out of recorded figures.

    scripts/figures.py           writes docs/figures/*.svg
    scripts/figures.py --check   fails where a figure is stale

The numbers come from tables of the documents, so that none is written twice: results and benchmarks for the curves,
ARCHITECTURE.md for the map of the crates, the generated rules for the boards. docs/figures/first-run.cast is a
recorded terminal, in the format of asciinema (version 2).
"""

import argparse
import itertools
import json
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"

STYLE = """
svg { --paper: #ffffff; --ink: #24292f; --faint: #d0d7de; --soft: #6e7781; --fill: #eef2f6;
  --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #bf3989; --dark: #b58863; --light: #f0d9b5; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --faint: #30363d; --soft: #8d96a0;
  --fill: #161b22; --c0: #58a6ff; --c1: #f0883e; --c2: #3fb950; --c3: #bc8cff; --c4: #ff7b9c;
  --dark: #7d5a3f; --light: #c8a97e; } }
text { font: 13px system-ui, sans-serif; fill: var(--ink); } .soft { fill: var(--soft); } .small { font-size: 11px; }
.title { font-size: 15px; font-weight: 600; } .axis { stroke: var(--soft); } .grid { stroke: var(--faint); }
.box { fill: var(--fill); stroke: var(--soft); } line, path, polyline { fill: none; }
"""


class Svg:
    """A picture under construction."""

    def __init__(self, width, height, title):
        self.width, self.height, self.parts = width, height, []
        self.title = title

    def add(self, name, content=None, **attributes):
        words = "".join(f' {key.rstrip("_").replace("_", "-")}="{value}"' for key, value in attributes.items())
        self.parts.append(f"<{name}{words}/>" if content is None else f"<{name}{words}>{escape(content)}</{name}>")

    def text(self, x, y, content, anchor="start", class_=""):
        self.add("text", content, x=number(x), y=number(y), text_anchor=anchor, **({"class": class_} if class_ else {}))

    def line(self, x1, y1, x2, y2, **attributes):
        self.add("line", x1=number(x1), y1=number(y1), x2=number(x2), y2=number(y2), **attributes)

    def __str__(self):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" role="img">'
        paper = f'<rect width="{self.width}" height="{self.height}" rx="6" style="fill: var(--paper)"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", f"<style>{STYLE}</style>", paper, *self.parts, "</svg>\n"])


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def table(path, heading, first):
    """The rows of the first table below a heading whose first column is called so."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index(f"# {heading}\n") :]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text[text.index(f"| {first} |") :].splitlines()]
    end = next(at for at, row in enumerate(rows) if len(row) < 2)
    return rows[2:end]


def minutes(text):
    found = re.fullmatch(r"(?:(\d+)m)?(\d+)s", text)
    return int(found[1] or 0) + int(found[2]) / 60


def with_interval(text):
    """Value and half width of `2020 ±79`."""
    value, _, half = text.partition(" ±")
    return float(value.replace("+", "")), float(half)


def ratings(page, heading):
    """The ratings of a run over time, as (minutes, Elo, half of the interval)."""
    return [(minutes(row[0]), *with_interval(row[-1])) for row in table(RESULTS / page, heading, "time")]


class Chart(Svg):
    """Points over two axes."""

    def __init__(self, title, x_label, y_label, x_range, y_range, is_log=False):
        super().__init__(720, 380, title)
        self.x_range, self.y_range, self.is_log = x_range, y_range, is_log
        self.text(60, 24, title, class_="title")
        self.text(390, 372, x_label, "middle", "soft")
        self.text(60, 44, y_label, class_="soft small")

    def x(self, value):
        low, high = self.x_range
        part = math.log(value / low) / math.log(high / low) if self.is_log else (value - low) / (high - low)
        return 60 + 640 * part

    def y(self, value):
        low, high = self.y_range
        return 335 - 280 * (value - low) / (high - low)

    def axes(self, x_marks, y_marks):
        for mark in y_marks:
            self.line(60, self.y(mark), 700, self.y(mark), class_="grid")
            self.text(54, self.y(mark) + 4, f"{mark:,}", "end", "soft small")
        for mark in x_marks:
            self.line(self.x(mark), 335, self.x(mark), 340, class_="axis")
            self.text(self.x(mark), 354, f"{mark:g}", "middle", "soft small")
        self.line(60, 335, 700, 335, class_="axis")

    def curve(self, points, color, is_dashed=False, bars=True):
        for x, y, half in points if bars else []:
            self.line(self.x(x), self.y(y - half), self.x(x), self.y(y + half), style=f"stroke: var(--c{color})", opacity="0.45", stroke_width=3)
        path = " ".join(f"{number(self.x(x))},{number(self.y(y))}" for x, y, _ in points)
        dash = {"stroke_dasharray": "6 4"} if is_dashed else {}
        self.add("polyline", points=path, style=f"stroke: var(--c{color})", stroke_width=2, **dash)
        for x, y, _ in points:
            self.add("circle", cx=number(self.x(x)), cy=number(self.y(y)), r=3, style=f"fill: var(--c{color})")

    def key(self, names, x=440, y=240):
        for at, (name, color) in enumerate(names):
            self.add("rect", x=x, y=y + 18 * at, width=12, height=12, style=f"fill: var(--c{color})")
            self.text(x + 18, y + 11 + 18 * at, name, class_="small")


def learning():
    chart = Chart("english: rating in the first half hour of two cores", "minutes of training", "Elo above random, with 95 % intervals", (0, 31), (1600, 2600))
    chart.axes(range(0, 31, 5), range(1600, 2601, 200))
    chart.line(60, chart.y(1582 + 18), 700, chart.y(1600), class_="axis")
    chart.curve(ratings("english.md", "Half an hour of training"), 0)
    return chart


def five_games():
    chart = Chart("Rating over training time, five games, two cores", "minutes of training", "Elo above random of each game; scales of games cannot be compared", (0, 62), (1200, 3200))
    chart.axes(range(0, 61, 10), range(1200, 3201, 400))
    runs = [
        ("customary, 2026-11-27", "archive.md", "customary, 75,000 games", False),
        ("english, 2026-11-30", "english.md", "Half an hour of training", False),
        ("frisian, 2026-11-27", "frisian.md", "The hour of training", False),
        ("ringboard, 2026-11-22, networks that see pieces alone", "archive.md", "ringboard, 27 minutes on two cores", True),
        ("thai, 2026-11-22, networks that see pieces alone", "archive.md", "thai, 28 minutes on two cores", True),
    ]
    for color, (_, page, heading, is_older) in enumerate(runs):
        chart.curve(ratings(page, heading), color, is_older)
    chart.key([(name, color) for color, (name, *_) in enumerate(runs)], 372, 222)
    return chart


def thinking():
    rows = table(RESULTS / "engine.md", "Against other programs, and against the tree search", "positions")
    chart = Chart("The engine against GuiNN Checkers 2.06, with more time", "milliseconds a move of ab:bundled; GuiNN always has 31 to 36", "Elo difference, with 95 % intervals", (2, 100), (-200, 100), True)
    chart.axes([2, 5, 10, 20, 50, 100], range(-200, 101, 50))
    chart.line(60, chart.y(0), 700, chart.y(0), class_="axis")
    points = []
    for row in rows:
        elo, low, high = (float(found) for found in re.findall(r"[+-]?\d+", row[-1]))
        points.append((float(row[1]), elo, (high - low) / 2))
    chart.curve(points, 0)
    return chart


def runtimes():
    rows = table(DOCS / "benchmarks.md", "Against PyTorch, onnxruntime and tract", "evaluations/s, batch 32, one thread")
    names = ["Crownhead, 8 bits", "Crownhead, f32", "onnxruntime, f32", "PyTorch, f32", "tract, f32"]
    svg = Svg(720, 56 + 112 * len(rows), "Network evaluations a second on one thread")
    svg.text(20, 26, svg.title, class_="title")
    most = max(float(row[1].replace(",", "")) for row in rows)
    for at, row in enumerate(rows):
        top = 48 + 112 * at
        svg.text(20, top + 10, row[0], class_="soft")
        for bar, (name, cell) in enumerate(zip(names, row[1:])):
            y, width = top + 18 + 16 * bar, 420 * float(cell.replace(",", "")) / most
            svg.text(150, y + 11, name, "end", "small")
            svg.add("rect", x=158, y=y, width=number(width), height=12, style=f"fill: var(--c{bar})")
            svg.text(164 + width, y + 11, cell, class_="small")
    return svg


def scale():
    row = next(row for row in table(RESULTS / "measures.md", "The scale has a bottom", "game") if row[0] == "english")
    marks = [("random", 0, 0)]
    for name, at in (("alphabeta:depth=1", 2), ("alphabeta:depth=6", 4), ("learned:depth=6", 6)):
        marks.append((name, *with_interval(row[at])))
    run = ratings("english.md", "Half an hour of training")
    marks += [("1 minute" if point[0] < 1.5 else f"{point[0]:.0f} minutes", *point[1:]) for point in (run[0], run[-1])]
    svg = Svg(720, 190, "The rating scale of english")
    svg.text(20, 26, svg.title, class_="title")
    svg.text(500, 152, "an agent after", "end", "small soft")
    place = lambda elo: 40 + 640 * elo / 2600
    svg.line(40, 110, 690, 110, class_="axis")
    for at, (name, elo, half) in enumerate(marks):
        is_agent, x = at > 3, place(elo)
        y = 152 if is_agent else 72
        svg.line(place(elo - half), 110, place(elo + half), 110, style=f"stroke: var(--c{int(is_agent)})", stroke_width=8, opacity="0.45")
        svg.add("circle", cx=number(x), cy=110, r=5, style=f"fill: var(--c{int(is_agent)})")
        anchor = "middle" if elo else "start"
        svg.text(x, y, name, anchor, "small")
        svg.text(x, y + 15, f"{elo:.0f} ±{half:.0f}" if half else f"{elo:.0f}", anchor, "small soft")
    return svg


def architecture():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    layers = {}
    for layer, crate in re.findall(r"^\|[^|]*\| (\d+) \| `(\w+)` \|", text, re.MULTILINE):
        layers.setdefault(int(layer), []).append(crate)
    svg = Svg(720, 60 + 46 * len(layers), "The crates in layers: each uses lower ones only")
    svg.text(20, 26, svg.title, class_="title")
    for at, layer in enumerate(sorted(layers, reverse=True)):
        y, crates = 44 + 46 * at, layers[layer]
        svg.text(20, y + 21, f"layer {layer}", class_="soft small")
        for number_, crate in enumerate(crates):
            x = 80 + 104 * number_
            svg.add("rect", x=x, y=y, width=96, height=34, rx=5, class_="box")
            svg.text(x + 48, y + 21, crate, "middle", "small")
    return svg


def generation():
    svg = Svg(720, 210, "A generation")
    svg.text(20, 26, svg.title, class_="title")
    stages = [("Self-play", "the newest network", "plays 1,000 games"), ("Training", "on a window of", "recent positions"),
              ("Gate", "new network against", "the champion"), ("Rating", "of the champion by", "fixed baselines")]
    for at, (name, *words) in enumerate(stages):
        x = 20 + 175 * at
        svg.add("rect", x=x, y=50, width=150, height=84, rx=6, class_="box")
        svg.text(x + 75, 74, name, "middle", "title")
        for row, word in enumerate(words):
            svg.text(x + 75, 98 + 17 * row, word, "middle", "small")
        if at < 3:
            svg.add("path", d=f"M{x + 152} 92h18m-6 -5l6 5l-6 5", style="stroke: var(--soft)", stroke_width=2)
    svg.add("path", d="M620 136v36H95v-34m-5 6l5 -6l5 6", style="stroke: var(--soft)", stroke_width=2)
    svg.text(357, 190, "the new network plays the next games", "middle", "soft small")
    return svg


def search():
    svg = Svg(720, 250, "A simulation of the search")
    svg.text(20, 26, svg.title, class_="title")
    places = {"root": (250, 60), "a": (150, 125), "b": (250, 125), "c": (350, 125), "d": (310, 190), "e": (390, 190)}
    way = ["root", "c", "e"]
    for parent, child in (("root", "a"), ("root", "b"), ("root", "c"), ("c", "d"), ("c", "e")):
        is_way = parent in way and child in way
        style = f"stroke: var(--{'c0' if is_way else 'faint'})"
        svg.line(*places[parent], *places[child], style=style, stroke_width=3 if is_way else 2)
    for name, (x, y) in places.items():
        svg.add("circle", cx=x, cy=y, r=12, style=f"fill: var(--{'c0' if name in way else 'fill'}); stroke: var(--soft)")
    for row, words in enumerate(["1. Follow the moves with the best sum of", "value and policy, to a new position.", "2. The network answers: a value, and a", "probability for each legal move.", "3. The value is added to every position", "on the way back; the next simulation", "chooses with it."]):
        svg.text(450, 62 + 20 * row, words, class_="small")
    svg.text(250, 225, "the filled way is one simulation", "middle", "soft small")
    return svg


def gate():
    rows = table(RESULTS / "measures.md", "The gate decides", "rule, 100 pairs at most")
    svg = Svg(720, 60 + 44 * len(rows), "How often a rule of the gate promotes")
    svg.text(20, 26, svg.title, class_="title")
    for at, (name, *cells) in enumerate(rows):
        top = 44 + 44 * at
        svg.text(20, top + 20, name.replace("*", "").split(":")[-1].strip()[:48], class_="small")
        for bar, (label, cell) in enumerate(zip(("an equal network", "one 40 normalized Elo stronger"), cells)):
            y, width = top + 4 + 16 * bar, 200 * float(cell)
            svg.add("rect", x=320, y=y, width=number(width), height=12, style=f"fill: var(--c{bar})")
            svg.text(326 + width, y + 10, f"{float(cell):.0%}" + (f" {label}" if at == 0 else ""), class_="small")
    return svg


def board(game):
    """The start position, by the first diagram of the generated rules."""
    text = (DOCS / f"reference/rules/{game}.md").read_text(encoding="utf-8")
    diagram = text[text.index("```text") :].split("```")[1].splitlines()[1:]
    rows = [re.findall(r"...", line.strip().strip("|")[:-1].ljust(3 * len(diagram))) for line in diagram]
    size, cell = len(rows), 36
    svg = Svg(size * cell + 20, size * cell + 20, f"The start position of {game}")
    for at, row in enumerate(rows):
        for column, mark in enumerate(row):
            x, y, mark = 10 + cell * column, 10 + cell * at, mark.strip()
            svg.add("rect", x=x, y=y, width=cell, height=cell, style=f"fill: var(--{'dark' if mark else 'light'})")
            if mark in ("w", "b"):
                fill, edge = ("#fdfdfd", "#444") if mark == "w" else ("#222", "#ccc")
                svg.add("circle", cx=x + cell / 2, cy=y + cell / 2, r=13, fill=fill, stroke=edge)
            elif mark:
                svg.add("text", mark, x=x + 3, y=y + 11, style="font-size: 9px; fill: #fff; opacity: 0.75")
    return svg


TERMINAL = """
@media (prefers-reduced-motion: reduce) { g { animation: none !important; } }
text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; } g { opacity: 0; }
.b { font-weight: 700; } .d { fill: var(--soft); } .c { fill: var(--c0); } .y { fill: var(--c1); }
.g { fill: var(--c2); } .r { fill: var(--c4); }
"""
# The codes of a terminal for a style, as classes.
STYLES = {"0": "", "1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "36": "c"}


class Screen:
    """The lines that a program has printed. A line is a list of cells, a cell a letter with its style."""

    def __init__(self, width):
        self.lines, self.width, self.column, self.style = [[]], width, 0, ""

    def write(self, text):
        for code, letter in re.findall("\x1b\\[([0-9;]*[A-Za-z])|([^\x1b])", text):
            if code.endswith("m"):
                style = STYLES[code[:-1]]
                self.style = f"{self.style} {style}".strip() if style else ""
            elif code:
                self.lines[-1] = {"2K": [], "K": self.lines[-1][: self.column]}[code]
            elif letter == "\r":
                self.column = 0
            elif letter == "\n":
                self.lines.append([])
            else:
                if self.column == self.width:
                    self.lines.append([])
                    self.column = 0
                line = self.lines[-1]
                line.extend([(" ", "")] * (self.column + 1 - len(line)))
                line[self.column] = (letter, self.style)
                self.column += 1


def stripped(line):
    """A line as a tuple, without the spaces at its end."""
    end = max((at + 1 for at, (letter, _) in enumerate(line) if letter != " "), default=0)
    return tuple(line[:end])


def recording(name, speed=6, hold=8):
    """A recorded terminal that repeats itself: programs run faster than they did, typing and the pauses do not."""
    head, *events = map(json.loads, (DOCS / f"figures/{name}.cast").read_text(encoding="utf-8").splitlines())
    rows, row_height, letter_width = head["height"], 17, 7.2
    screen, now, before, shown, scrolls = Screen(head["width"]), 0, 0, {}, {}
    spans = []
    for at, _, text in events:
        now += (at - before) / (1 if len(text) == 1 else speed)
        before = at
        screen.write(text)
        if now - max(scrolls, default=-1) < 0.1 and "\n" not in text:
            continue
        scrolls[now] = max(0, len(screen.lines) - rows)
        for row, line in enumerate(map(stripped, screen.lines)):
            if row in shown and shown[row][0] != line:
                spans.append((row, *shown.pop(row), now))
            if line:
                shown.setdefault(row, (line, now))
    now += hold
    spans += [(row, *state, now) for row, state in shown.items()]

    width, height = head["width"] * letter_width + 24, rows * row_height + 60
    svg = Svg(round(width), height, head["title"])
    percent = lambda at: number(100 * at / now) + "%"
    moves = "".join(f"{percent(at)}{{transform:translateY({-row_height * top}px)}}" for at, top in scrolls.items())
    rules = [TERMINAL, f"@keyframes s{{{moves}}}", f"g{{animation:{number(now)}s step-end infinite}}"]
    last = -row_height * scrolls[max(scrolls)]
    rules.append(f".s{{animation-name:s;opacity:1;transform:translateY({last}px)}}.e{{opacity:1}}")
    svg.text(12, 22, f"{head['title']}, {speed} times as fast", class_="d")
    svg.parts.append(f'<svg y="34" width="{round(width)}" height="{rows * row_height + 10}"><g class="s">')
    spans.sort(key=lambda span: span[2:])
    for at, (times, group) in enumerate(itertools.groupby(spans, key=lambda span: span[2:])):
        start, end = times
        rules.append(f"@keyframes k{at}{{0%{{opacity:0}}{percent(start)}{{opacity:1}}{'' if end == now else percent(end) + '{opacity:0}'}}}")
        svg.parts.append(f'<g style="animation-name:k{at}"{" class=%se%s" % (chr(34), chr(34)) if end == now else ""}>')
        for row, line, *_ in group:
            runs = [(style, "".join(letter for letter, _ in cells)) for style, cells in itertools.groupby(line, key=lambda cell: cell[1])]
            words = "".join(f'<tspan class="{style}">{escape(text)}</tspan>' if style else escape(text) for style, text in runs)
            length = number(letter_width * len(line))
            svg.parts.append(f'<text x="12" y="{row_height * (row + 1)}" textLength="{length}" xml:space="preserve">{words}</text>')
        svg.parts.append("</g>")
    svg.parts += ["</g></svg>", f"<style>{''.join(rules)}</style>"]
    return svg


def figures():
    games = sorted(path.stem for path in (DOCS / "reference/rules").glob("*.md") if path.stem != "README")
    yield from (("learning-english", learning()), ("time-five-games", five_games()), ("thinking-time", thinking()))
    yield from (("runtimes", runtimes()), ("scale-english", scale()), ("architecture", architecture()), ("generation", generation()))
    yield from (("search", search()), ("gate", gate()), ("first-run", recording("first-run")))
    yield from ((f"board-{game}", board(game)) for game in games)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail where a figure is stale")
    options = parser.parse_args()
    is_stale = False
    for name, svg in figures():
        path = DOCS / f"figures/{name}.svg"
        if not options.check:
            path.write_text(str(svg), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != str(svg):
            is_stale = True
            print(f"{path.relative_to(ROOT)} is stale: run scripts/figures.py", file=sys.stderr)
    return 1 if is_stale else 0


if __name__ == "__main__":
    sys.exit(main())
