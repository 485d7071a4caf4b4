#!/usr/bin/env python3
"""Records a command in a terminal as an asciicast (version 2); scripts/figures.py draws it as an animated SVG.

    scripts/recording.py docs/figures/first-run.cast target/release/crownhead train english --for 2m
"""

import json
import os
import pty
import re
import select
import struct
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

COLUMNS, ROWS = 80, 24
# Escape sequences and the text between them.
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b.|[\r\n\b]|[^\x1b\r\n\b]+")


def record(path, command):
    """Runs a command in a terminal of 80 x 24 and keeps what it writes, with the seconds."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execvp(command[0], command)
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    shown = " ".join([Path(command[0]).name, *command[1:]])
    began, text = time.monotonic(), b""
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"version": 2, "width": COLUMNS, "height": ROWS, "title": shown}) + "\n")
        while True:
            select.select([terminal], [], [])
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
            # A character may be cut in two.
            whole = text.decode("utf-8", errors="ignore")
            text = text[len(whole.encode()):]
            file.write(json.dumps([round(time.monotonic() - began, 2), "o", whole], ensure_ascii=False) + "\n")
    os.waitpid(child, 0)


class Screen:
    """The lines of a terminal: cells of a character and a style. It scrolls; a program that fills a screen is not understood."""

    def __init__(self):
        self.lines, self.row, self.column, self.style = [[]], 0, 0, ""

    def write(self, text):
        for token in TOKEN.finditer(text):
            word, (parameters, command) = token.group(), token.groups()
            if command:
                self.control(command, [int(part) for part in parameters.lstrip("?").split(";") if part])
            elif word == "\r":
                self.column = 0
            elif word == "\n":
                self.row += 1
            elif word == "\b":
                self.column = max(0, self.column - 1)
            elif not word.startswith("\x1b"):
                for character in word:
                    self.put(character)
            while len(self.lines) <= self.row:
                self.lines.append([])

    def control(self, command, numbers):
        n = numbers[0] if numbers else 0
        line = self.lines[self.row]
        if command == "A":
            self.row = max(0, self.row - max(1, n))
        elif command == "B":
            self.row += max(1, n)
        elif command == "C":
            self.column += max(1, n)
        elif command == "D":
            self.column = max(0, self.column - max(1, n))
        elif command == "G":
            self.column = max(1, n) - 1
        elif command == "K":
            self.lines[self.row] = [] if n == 2 else line[: self.column]
        elif command == "J" and n == 0:
            self.lines[self.row] = line[: self.column]
            del self.lines[self.row + 1 :]
        elif command == "m":
            for style in numbers or [0]:
                self.style = "" if style in (0, 22, 39) else f"t{style}"

    def put(self, character):
        if self.column >= COLUMNS:
            self.row, self.column = self.row + 1, 0
            while len(self.lines) <= self.row:
                self.lines.append([])
        line = self.lines[self.row]
        line.extend([(" ", "")] * (self.column + 1 - len(line)))
        line[self.column] = (character, self.style)
        self.column += 1

    def view(self):
        """The last lines, each a tuple of (text, style)."""
        rows = []
        for line in self.lines[-ROWS:]:
            runs = []
            for character, style in line:
                if runs and runs[-1][1] == style:
                    runs[-1][0] += character
                else:
                    runs.append([character, style])
            rows.append(tuple((text, style) for text, style in runs))
        return tuple(rows)


def frames(path, step):
    """The title of a recording, and (second, lines) where the picture changes, at most one each `step` seconds."""
    first, *events = Path(path).read_text(encoding="utf-8").splitlines()
    screen, pictures = Screen(), []
    for second, _, text in map(json.loads, events):
        screen.write(text)
        view = screen.view()
        if pictures and second // step == pictures[-1][0] // step:
            pictures[-1] = (pictures[-1][0], view)
        elif not pictures or view != pictures[-1][1]:
            pictures.append((second, view))
    return json.loads(first)["title"], pictures


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    record(sys.argv[1], sys.argv[2:])
