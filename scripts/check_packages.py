#!/usr/bin/env python3
"""Packs all crates in the order of their publication, as `cargo publish --workspace --dry-run` does, and checks that
each package contains the files that it embeds. Nothing is uploaded and nothing is built.

    scripts/check_packages.py

The project has no name in a registry, and `publish = false` prevents accidents; cargo leaves such crates out. So this
works in a copy of the tracked files.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "target/packages"
# These may name files of other crates, because they are not built from a package.
NOT_BUILT = {"tests", "benches", "examples"}
EMBEDDED = re.compile(r'include(?:_str|_bytes)?!\(\s*"([^"]+)"')
FOLDER = re.compile(r'include_dir!\("\$CARGO_MANIFEST_DIR([^"]*)"')
CODE_OF_TESTS = re.compile(r"^#\[cfg\(test\)\]\s*mod tests \{", re.MULTILINE)


def copy():
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, COPY / name)
    manifest = COPY / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    assert text.count("\npublish = false\n") == 1, "Cargo.toml has no publish = false"
    manifest.write_text(text.replace("\npublish = false\n", "\npublish = true\n"), encoding="utf-8")


def missing(package):
    """The files that the code of a package embeds and the package lacks."""
    with tarfile.open(package) as archive:
        members = {PurePosixPath(member.name): member for member in archive.getmembers()}
        root = PurePosixPath(next(iter(members)).parts[0])
        for path, member in members.items():
            if path.suffix != ".rs" or path.parts[1] in NOT_BUILT:
                continue
            code = CODE_OF_TESTS.split(archive.extractfile(member).read().decode())[0]
            wanted = [path.parent / name for name in EMBEDDED.findall(code)]
            folders = [root / name.lstrip("/") for name in FOLDER.findall(code)]
            for name in wanted + folders:
                parts = []
                for part in name.parts:
                    parts = parts[:-1] if part == ".." else [*parts, part]
                found = PurePosixPath(*parts)
                if not any(other == found or found in other.parents for other in members):
                    yield f"{path} embeds {name}, which is not in the package"


def main():
    copy()
    subprocess.run(["cargo", "publish", "--workspace", "--dry-run", "--no-verify", "--quiet"], cwd=COPY, check=True)
    # Cargo may keep several copies of a package.
    found = {package.name: package for package in (COPY / "target/package").rglob("*.crate")}
    packages = [found[name] for name in sorted(found)]
    faults = [fault for package in packages for fault in missing(package)]
    size = sum(package.stat().st_size for package in packages)
    print(f"{len(packages)} packages, {size >> 10} KiB", *faults, sep="\n")
    sys.exit(1 if faults or not packages else 0)


main()
