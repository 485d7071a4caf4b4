#!/usr/bin/env python3
"""Prints the folders of crates, so that scripts need not know where they are: scripts/crates.py rules store eval"""

import sys
from pathlib import Path

from rust_source import crates

folders = crates(Path(__file__).resolve().parent.parent)
for name in sys.argv[1:] or folders:
    if name not in folders:
        sys.exit(f"there is no crate `{name}`: there are {', '.join(sorted(folders))}")
    print(folders[name])
