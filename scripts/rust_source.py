"""Rust sources for the checking scripts: the crates, and code without comments and tests."""

import json
import re
import subprocess
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|\bb?r(?P<marks>\#*)".*?"(?P=marks)|\bb?"(?:\\.|[^"\\])*"|"(?:\\.|[^"\\])*\""""
    r"""|(?:\bb)?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^'\\\n])'""",
    re.DOTALL,
)
TEST_FOLDERS = {"tests", "benches", "examples", "fuzz"}


def blank(text):
    """Spaces in place of a text; line ends stay."""
    return re.sub(r"[^\n]", " ", text)


def _without(text, kinds):
    return TOKEN.sub(lambda token: blank(token[0]) if kinds(token) else token[0], text)


def _end_of_item(code, start):
    """The end of the item that begins at `start`: its closing brace, or the semicolon of one without braces."""
    depth = 0
    for mark in re.compile(r"[{};]").finditer(code, start):
        depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
        if depth == 0:
            return mark.end()
    return len(code)


class Source:
    """One file. In `code` comments, strings and test items are blank, in `words` comments and test items."""

    def __init__(self, root, path):
        self.path = path
        text = (root / path).read_text(encoding="utf-8")
        self.n_lines = text.count("\n")
        self.code = _without(text, lambda token: True)
        self.words = _without(text, lambda token: token["comment"])
        self.n_test_lines = 0
        while item := re.search(r"#\[cfg\(test\)\]", self.code):
            start, end = item.start(), _end_of_item(self.code, item.end())
            self.n_test_lines += text.count("\n", start, end)
            self.code, self.words = (t[:start] + blank(t[start:end]) + t[end:] for t in (self.code, self.words))

    def n_code_lines(self):
        """Lines of code: neither blank nor comments nor tests."""
        return sum(1 for line in self.words.splitlines() if line.strip())


def is_test(path):
    """Returns whether a file only has tests, benchmarks or examples."""
    return bool(TEST_FOLDERS & set(path.parts[:-1])) or path.name == "tests.rs"


def tracked(root, *patterns):
    """The files of the repository that match a pattern, including new ones, as paths below its root."""
    order = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(order, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({Path(line) for line in listed.splitlines() if (root / line).is_file()})


def packages(root):
    """The packages of the workspace, as cargo describes them."""
    order = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"]
    told = subprocess.run(order, cwd=root, capture_output=True, text=True, check=True).stdout
    return json.loads(told)["packages"]


def crates(root):
    """The folders of the workspace's crates below its root, by the names that other crates use."""
    folders = {p["name"].removeprefix("crownhead-"): Path(p["manifest_path"]).parent for p in packages(root)}
    return {name: folder.relative_to(root) for name, folder in folders.items()}


def split(text):
    """The parts of a list between commas that no bracket encloses."""
    parts, depth, before = [""], 0, ""
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}" or letter == ">" and before not in "-=")
        before = letter
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]
