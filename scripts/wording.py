#!/usr/bin/env python3
"""Checks how comments, messages and documents are worded: phrases to avoid, summaries without a subject, long lines.

    scripts/wording.py               fails where a file has more faults than scripts/wording.txt lists for it
    scripts/wording.py PATH..        prints the faults of these files or folders
    scripts/wording.py --update      writes the counts down; refuses if the tree has more faults than before
    scripts/wording.py --index       prints phrases in 10,000 words and headless summaries, by crate and document

The rules:

1. A summary line of a Rust doc comment is a noun phrase or a third-person verb: it begins with none of HEADLESS.
2. Comments, messages and documents use none of PHRASES: name the subject and use a plain verb.
3. Comments and prose in Markdown wrap at 100 columns; tables, code and lines of one long word are free.

scripts/wording.txt lists the faults of older files, a line each: rule 1, rule 2, rule 3, path. It may only shrink.
A file that is not in the list may have as many as the listed files that are gone: it may have been moved.
"""

import argparse
import re
import sys
from pathlib import Path

from rust_source import TOKEN, Source, is_test, tracked

HEADLESS = re.compile(r"(?:What|Who|Whose|Whoever|Which|How|Where|Those|Whether|It)\b")
PHRASES = re.compile(
    r"\bso many\b|\b(?:somebody|whoever|whoever's|hardly|anew|learnt|beside|himself|he(?! et al))\b|\b(?:goes|go|going|went|gone) on\b"
    r"|\bstands?\b(?!-)|\b(?:comes|come|came) to\b|\b(?:is|are|was|were) (?:said|told)\b|\b(?:of before|of now)\b"
    r"|\bthose (?:who|of)\b|\bnow and then\b|\bfor want of\b|\bof theirs\b|\bnothing but\b|\bhis\b"
    r"|\bof which\b|\b(?:for|with|in|by|of|to|on|from|than|as) what\b|\bwhat (?:is|are|was|were|has|have|had|there)\b"
    r"|\bby (?:itself|themselves)\b|\bthat there (?:is|are)\b|\bso much\b|\bany more\b"
    r"|\b(?:nobody|everybody|anybody)\b|\bmade of\b|\bbut (?:for|that)\b|\bmends?\b|\bstrays?\b|\bin the place of\b"
    r"|(?<=[.:;] )(?-i:[A-Z])[a-z]+(?:ed|wn|pt) (?:is|are|was|were)\b",
    re.IGNORECASE,
)
COLUMNS = 100
COMMENT = {".rs": "//", ".mjs": "//", ".js": "//", ".ts": "//", ".h": "//", ".py": "#", ".sh": "#", ".toml": "#", "": "#"}
PATTERNS = ["*.md", *(f"*{suffix}" for suffix in COMMENT if suffix), ".ci/*"]


def markdown(lines):
    """The lines of prose in a document, with their numbers."""
    is_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.lstrip().startswith(("|", "<", "[")):
            yield number, line


def faults(root, path):
    """The faults of a file, as (rule, line, text)."""
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    if path.suffix == ".md":
        prose = list(markdown(lines))
    else:
        mark = re.compile(rf"^\s*{COMMENT[path.suffix]}+!?\s?(?P<words>.*)$")
        prose = [(number, line) for number, line in enumerate(lines, 1) if mark.match(line)]
        if path.suffix == ".rs":
            yield from headless(lines)
            yield from messages(root, path)
    for number, line in prose:
        if len(line) > COLUMNS and " " in line.strip(" #/!*-")[:COLUMNS]:
            yield 3, number, line
        yield from ((2, number, line[max(0, found.start() - 40) : found.end() + 30]) for found in PHRASES.finditer(line))


def headless(lines):
    """The summaries of doc comments that begin without a subject."""
    before = ""
    for number, line in enumerate(lines, 1):
        doc = re.match(r"\s*//[/!]\s?(.*)", line)
        if doc and not re.match(r"\s*//[/!]", before) and HEADLESS.match(doc[1]):
            yield 1, number, doc[1]
        before = line


def messages(root, path):
    """The phrases in texts of the program; tests compare messages, and are left out."""
    if is_test(path):
        return
    words = Source(root, path).words
    for token in TOKEN.finditer(words):
        for found in PHRASES.finditer(token[0]):
            start = token.start() + found.start()
            yield 2, words.count("\n", 0, start) + 1, words[max(token.start(), start - 40) : start + 40].replace("\n", " ")


def counts(root):
    """How many faults each file has, by rule."""
    counted = {}
    for path in tracked(root, *PATTERNS):
        by_rule = [0, 0, 0]
        for rule, _, _ in faults(root, path):
            by_rule[rule - 1] += 1
        if any(by_rule):
            counted[str(path)] = by_rule
    return counted


def index(root):
    """Prints phrases in 10,000 words and the share of headless summaries, by crate (its comments) and document."""
    tallies = {}
    for path in tracked(root, "*.rs", "*.md"):
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        is_rust = path.suffix == ".rs"
        place = next(up for up in path.parents if up == Path() or (root / up / "Cargo.toml").exists()) if is_rust else path
        tally = tallies.setdefault(str(place), [0, 0, 0, 0])
        before = ""
        for line in lines if is_rust else (line for _, line in markdown(lines)):
            comment = re.match(r"\s*//([/!]?)(.*)", line) if is_rust else re.match("()(.*)", line)
            if comment:
                tally[0] += len(re.findall(r"[\w'-]*[A-Za-z][\w'-]*", comment[2]))
                tally[1] += len(PHRASES.findall(comment[2]))
                tally[2] += bool(comment[1]) and not re.match(r"\s*//[/!]", before)
            before = line
        tally[3] += sum(1 for _ in headless(lines)) if is_rust else 0
    print(f"{'words':>7} {'index':>7} {'headless':>9}")
    for place, (words, phrases, summaries, without) in sorted(tallies.items()):
        print(f"{words:7} {phrases / max(words, 1) * 1e4:7.1f} {without / max(summaries, 1):9.1%}  {place}")


def listed(file):
    """The counts in the list."""
    rows = (line.split(maxsplit=3) for line in file.read_text().splitlines()) if file.exists() else []
    return {path: [int(count) for count in by_rule] for *by_rule, path in rows}


def exceeds(by_rule, limits):
    return any(n > limit for n, limit in zip(by_rule, limits))


def total(counted):
    return [sum(column) for column in zip([0, 0, 0], *counted.values())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the counts down, if there are not more")
    parser.add_argument("--index", action="store_true", help="print phrases in 10,000 words, by crate and document")
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders whose faults to print")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    file = root / "scripts/wording.txt"
    if options.index:
        index(root)
        return 0
    if options.paths:
        chosen = [path.resolve().relative_to(root) for path in options.paths]
        for path in tracked(root, *PATTERNS):
            if any(path.is_relative_to(other) for other in chosen):
                for rule, line, text in faults(root, path):
                    print(f"{path}:{line}: rule {rule}: {text.strip()}")
        return 0
    now, before = counts(root), listed(file)
    print("faults by rule:", *total(now), "listed:", *total(before))
    if options.update:
        if before and exceeds(total(now), total(before)):
            print("the tree has more faults than are listed: run scripts/wording.py to see where", file=sys.stderr)
            return 1
        file.write_text("".join(f"{' '.join(map(str, by_rule))} {path}\n" for path, by_rule in now.items()))
        return 0
    more = [path for path in now if path in before and exceeds(now[path], before[path])]
    new = {path: by_rule for path, by_rule in now.items() if path not in before}
    gone = {path: by_rule for path, by_rule in before.items() if not (root / path).exists()}
    if exceeds(total(new), total(gone)):
        more += new
    for path in more:
        print(f"{path} has {now[path]} faults by rule, {before.get(path, [0, 0, 0])} are listed", file=sys.stderr)
    if more:
        print("scripts/wording.py PATH prints them", file=sys.stderr)
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
