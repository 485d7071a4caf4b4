#!/usr/bin/env python3
"""Checks the links of all documents: files, headings, the pages of the book, and the code that they name.

    scripts/check_links.py

A link inside the repository must lead to a file, and its anchor to a heading there. Pages in docs/ link to pages in
docs/ only, since the rendered book has no others, and each of them is listed in docs/SUMMARY.md. Links to other sites
are not followed. `crate::Name` and `folder/file.rs` must exist, except in documents about earlier versions.
"""

import re
import sys
from pathlib import Path

from rust_source import crates, tracked

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|(?:src|srcset|href)=\"([^\"]+)\"|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
CODE = re.compile(r"^(\s*)```.*?^\1```\s*$|``[^`]+``|`[^`\n]+`", re.MULTILINE | re.DOTALL)

NAMED = re.compile(r"`(\w+)::(?:\w+::)*(\w+)|`((?:[\w-]+/)+[\w-]+\.(?:rs|py|sh|mjs|js))`")
HISTORY = ["CHANGELOG.md", "docs/results/archive.md"]
# What a reader writes has no fixed name.
PLACEHOLDER = "NAME"


def prose(path):
    """The text of a document with code blanked out, so that line numbers stay."""
    text = path.read_text(encoding="utf-8")
    return CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def anchors(path):
    """The anchors of a document's headings, as forges and mdBook make them."""
    found, is_code = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        is_code ^= line.lstrip().startswith("```")
        heading = re.match(r"#+\s+(.*?)\s*$", line)
        if heading and not is_code:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            while slug in found:  # A second heading of the same name.
                slug += "-1"
            found.add(slug)
    return found


def faults(path):
    """The broken links of a document, as (line, message)."""
    text = prose(path)
    for link in LINK.finditer(text):
        target = next(group for group in link.groups() if group)
        if re.match(r"[a-z]+:", target):
            continue
        line = text.count("\n", 0, link.start()) + 1
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            yield line, f"{target} does not exist"
        elif BOOK in path.parents and BOOK not in [file, *file.parents]:
            yield line, f"{target} is outside of the book: name the file instead of linking it"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield line, f"{target}: {file.name} has no such heading"


def missing(path, files, code):
    """The files and the public names that a document mentions and that do not exist, as (line, message)."""
    text = path.read_text(encoding="utf-8")
    for named in NAMED.finditer(text):
        crate, name, file = named.groups()
        line = text.count("\n", 0, named.start()) + 1
        if file and PLACEHOLDER not in file and not any(f"/{known}".endswith(f"/{file}") for known in files):
            yield line, f"{file} does not exist"
        is_defined = rf"\b(fn|struct|enum|trait|mod|const|static|type|macro_rules!)\s+{name}\b|\bpub use [^;]*\b{name}\b"
        if crate in code and not re.search(is_defined, code[crate]):
            yield line, f"the crate {crate} defines no {name}"


def main():
    documents = [ROOT / path for path in tracked(ROOT, "*.md")]
    found = [f"{path.relative_to(ROOT)}:{line}: {fault}" for path in documents for line, fault in faults(path)]
    files = [str(path) for path in tracked(ROOT)]
    code = {
        name: "".join((ROOT / path).read_text(encoding="utf-8") for path in tracked(ROOT, f"{folder}/src/*.rs"))
        for name, folder in crates(ROOT).items()
    }
    for path in documents:
        name = path.relative_to(ROOT)
        if str(name) not in HISTORY:
            found += [f"{name}:{line}: {fault}" for line, fault in missing(path, files, code)]
    summary = prose(BOOK / "SUMMARY.md")
    listed = {(BOOK / name).resolve() for name in re.findall(r"\]\(([^)]+\.md)\)", summary)}
    pages = {path for path in documents if BOOK in path.parents} - {BOOK / "SUMMARY.md"}
    found += [f"docs/SUMMARY.md does not list {path.relative_to(BOOK)}" for path in sorted(pages - listed)]
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
