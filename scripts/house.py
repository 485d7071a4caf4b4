#!/usr/bin/env python3
"""Measures how the code is divided: cycles between modules and files, layers and sizes of crates, tuple parameters.

    scripts/house.py                 prints the table
    scripts/house.py --list          names the cycles, the functions and the files behind the figures
    scripts/house.py --check         fails where a figure exceeds its limit
    scripts/house.py --root FOLDER   measures another checkout

Tests, benchmarks, examples and fuzz targets count in `lines of Rust` only. A module is a direct child of a crate's
root; it depends on another where it names something in it, also through a re-export of the root. A file depends on
another where it names its module; that a file and the modules below it name each other makes no cycle.
"""

import argparse
import re
import sys
from pathlib import Path

from rust_source import Source, blank, crates, is_test, packages, split, tracked

# Limits may only be lowered.
MODULE_CYCLE = 3
MODULE_CYCLE_OF = {}
FILE_CYCLES = 1
TUPLE_FUNCTIONS = 0
FILE_LINES = 500

# One kind of player and two settings, as samples of the files that a new one touches.
PLAYER_KIND = r"(?i)mcts|rollouts"
KEYS = ["gumbel_scale", "opening_plies"]

USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])[a-z_]\w*(?:::\w+)+")


class Crate:
    """The modules of a crate and what they name. A module is the tuple of its names below the root."""

    def __init__(self, root_file, sources):
        self.files, self.imports = {}, {}
        self.read((), root_file, root_file.parent, sources)

    def read(self, module, path, folder, sources):
        self.files[module] = sources[path]
        self.imports[module] = [used for tree in USE.findall(sources[path].code) for used in expand(tree)]
        for name in re.findall(r"\bmod\s+(\w+)\s*;", sources[path].code):
            for child in (folder / f"{name}.rs", folder / name / "mod.rs"):
                if child in sources:
                    self.read((*module, name), child, folder / name, sources)

    def resolve(self, module, names, follow, depth=0):
        """The module that a path leads to from a module, if it is one of this crate."""
        names = list(names)
        if names[0] == "crate":
            here = ()
        elif names[0] == "super":
            here = module[:-1]
        elif names[0] == "self":
            here = module
        elif (*module, names[0]) in self.files:
            here, names = module, ["self", *names]
        else:
            return None
        names = names[1:]
        while names and names[0] == "super":
            here, names = here[:-1], names[1:]
        while names and (*here, names[0]) in self.files:
            here, names = (*here, names[0]), names[1:]
        if follow and names and depth < 8:
            for path, name in self.imports[here]:
                if name == names[0]:
                    return self.resolve(here, [*path, *names[1:]], follow, depth + 1)
        return here

    def uses(self, follow):
        """Of each module, the others that it names."""
        uses = {}
        for module, source in self.files.items():
            rest = USE.sub(lambda used: blank(used[0]), source.code)
            paths = [path for path, _ in self.imports[module]] + [path.split("::") for path in PATH.findall(rest)]
            found = {self.resolve(module, path, follow) for path in paths if path}
            uses[module] = found - {None, module}
        return uses

    def module_cycles(self):
        uses = {}
        for module, named in self.uses(follow=True).items():
            if module:
                uses.setdefault(module[:1], set()).update(other[:1] for other in named if other)
        return [sorted(name for (name,) in cycle) for cycle in cycles(uses)]

    def file_cycles(self):
        def is_kin(one, other):
            return one[: len(other)] == other or other[: len(one)] == one

        uses = self.uses(follow=False)
        uses = {module: {other for other in named if not is_kin(module, other)} for module, named in uses.items()}
        return [sorted(str(self.files[module].path) for module in cycle) for cycle in cycles(uses)]


def expand(tree):
    """The paths of a `use`, each with the name that it gets."""
    tree = tree.strip()
    group = re.match(r"(.*?)\{(.*)\}$", tree, re.DOTALL)
    if group:
        before = [name.strip() for name in group[1].split("::") if name.strip()]
        return [([*before, *path], name) for part in split(group[2]) for path, name in expand(part)]
    path, _, name = tree.partition(" as ")
    names = [part.strip() for part in path.split("::") if part.strip()]
    names = names[:-1] if names[-1] == "self" else names
    return [(names, name.strip() or (names or [""])[-1])]


def cycles(uses):
    """The groups of nodes that reach each other, by Tarjan."""
    order, low, stack, groups = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(uses.get(node, ())):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = stack.index(node)
            groups.append(stack[at:])
            del stack[at:]

    for node in sorted(uses):
        if node not in order:
            visit(node)
    return [group for group in groups if len(group) > 1]


def tuple_functions(source):
    """The functions with a parameter that is a tuple, as `NAME (PARAMETER)`."""
    found, code = [], source.code
    for function in re.finditer(r"\bfn\s+(\w+)\s*(?=[<(])", code):
        at = function.end()
        if code[at] == "<":
            at = closing(code, at, "<", ">") + 1
        for parameter in split(code[code.index("(", at) + 1 : closing(code, code.index("(", at), "(", ")")]):
            kind = re.split(r"(?<!:):(?!:)", parameter, maxsplit=1)[-1].strip()
            kind = re.sub(r"^(?:&\s*(?:'\w+\s*)?(?:mut\s+)?)+", "", kind)
            if ":" in parameter and kind.startswith("(") and len(split(kind[1:-1])) > 1:
                found.append(f"{function[1]} ({' '.join(parameter.split())})")
                break
    return found


def closing(code, start, opens, closes):
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == opens) - (code[at] == closes and code[at - 1] not in "-=")
        if depth == 0:
            return at
    return len(code)


def sizes(folders, sources):
    """Of each crate, its lines of code. A crate may have others below its folder."""
    found = dict.fromkeys(folders, 0)
    for path, source in sources.items():
        owners = [name for name, folder in folders.items() if path.is_relative_to(folder)]
        if owners:
            found[max(owners, key=lambda name: len(folders[name].parts))] += source.n_code_lines()
    return found


def layer_faults(root, packages):
    """Where ARCHITECTURE.md is wrong about the layers of the workspace's crates."""
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    layers = {crate: int(layer) for layer, crate in re.findall(r"^\|[^|]*\| (\d+) \| `(\w+)` \|", text, re.MULTILINE)}
    short = lambda name: "cli" if name == "crownhead" else name.removeprefix("crownhead-")
    for package in packages:
        name = short(package["name"])
        used = [short(other["name"]) for other in package["dependencies"] if other["kind"] is None and other.get("path")]
        if name not in layers:
            yield f"ARCHITECTURE.md does not list the crate `{name}`"
        elif wrong := [other for other in used if layers.get(other, 0) >= layers[name]]:
            yield f"ARCHITECTURE.md has `{name}` on layer {layers[name]}, not above {', '.join(wrong)}, which it uses"


class House:
    """Everything that is measured."""

    def __init__(self, root):
        files = tracked(root, "*.rs")
        sources = {path: Source(root, path) for path in files}
        self.n_lines = sum(source.n_lines for source in sources.values())
        sources = {path: source for path, source in sources.items() if not is_test(path)}
        self.n_code_lines = sum(source.n_code_lines() for source in sources.values())
        self.module_cycles, self.file_cycles, self.n_test_programs = {}, [], 0
        self.sizes = sizes(crates(root), sources)
        listed = packages(root)
        self.layers = list(layer_faults(root, listed))
        for package in listed:
            name = package["name"].removeprefix("crownhead-")
            for target in package["targets"]:
                self.n_test_programs += target["kind"] == ["test"]
                if target["kind"] in (["lib"], ["bin"]):
                    crate = Crate(Path(target["src_path"]).relative_to(root), sources)
                    self.module_cycles.setdefault(name, []).extend(crate.module_cycles())
                    self.file_cycles += crate.file_cycles()
        self.tuples = [f"{p}: {found}" for p, source in sources.items() for found in tuple_functions(source)]
        self.long = {p: n for p, s in sources.items() if (n := s.n_lines - s.n_test_lines) > FILE_LINES}
        engine = crates(root)["engine"]  # Has the search itself, whatever uses it.
        kind = {p for p, source in sources.items() if re.search(PLAYER_KIND, source.code)}
        self.kind = sorted(p for p in kind if not p.is_relative_to(engine))
        keys = [[p for p, s in sources.items() if re.search(rf"\b{key}\b", s.words)] for key in KEYS]
        self.key = max(keys, key=len)
        self.n_folders = len({path.parts[0] for path in tracked(root) if len(path.parts) > 1 and path.parts[0][0] != "."})

    def table(self):
        largest = max((len(cycle), name) for name, found in self.module_cycles.items() for cycle in [[], *found])
        crate = max((size, name) for name, size in self.sizes.items() if name != "model")
        rows = [
            ("largest module cycle in any crate", 15, f"{largest[0]} ({largest[1]})", "≤ 3"),
            ("file cycles", 18, len(self.file_cycles), "≤ 6"),
            ("largest crate except `model`, lines of code", 13948, f"{crate[0]} ({crate[1]})", "≤ 9000"),
            ("files whose code names one kind of player, `mcts`", 4, len(self.kind), "≤ 2"),
            (f"files that name one key, {' or '.join(f'`{key}`' for key in KEYS)}", 6, len(self.key), "≤ 3"),
            ("functions with tuple parameters", 45, len(self.tuples), "≤ 5"),
            ("test programs besides unit tests", 78, self.n_test_programs, "≤ 32"),
            ("folders at the top", 26, self.n_folders, "≤ 16"),
            ("lines of Rust, everything included", 121183, self.n_lines, "≤ 112000, with the same functions"),
            ("lines of code without tests, comments and blank lines", 61976, self.n_code_lines, "fewer, with the same functions"),
        ]
        lines = ["| measure | at 9d02d32 | now | aim |", "|---|---|---|---|"]
        return "\n".join(lines + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows])

    def details(self):
        for name, found in self.module_cycles.items():
            for cycle in found:
                yield f"modules of {name}: {' '.join(cycle)}"
        yield from (f"files: {' '.join(cycle)}" for cycle in self.file_cycles)
        yield from (f"tuple parameter: {found}" for found in self.tuples)
        yield f"`mcts` is named in: {' '.join(map(str, self.kind))}"
        yield f"the key is named in: {' '.join(map(str, self.key))}"
        yield from (f"{path}: {n} lines without tests" for path, n in self.long.items())

    def slack(self):
        """The limits that are higher than necessary."""
        for name, limit in MODULE_CYCLE_OF.items():
            longest = max((len(cycle) for cycle in self.module_cycles.get(name, [])), default=0)
            if longest < limit:
                is_needed = longest > MODULE_CYCLE
                yield f"MODULE_CYCLE_OF: {name} {'can be ' + str(longest) if is_needed else 'can go'}"
        if len(self.file_cycles) < FILE_CYCLES:
            yield f"FILE_CYCLES can be {len(self.file_cycles)}"
        if len(self.tuples) < TUPLE_FUNCTIONS:
            yield f"TUPLE_FUNCTIONS can be {len(self.tuples)}"

    def faults(self):
        yield from self.layers
        for name, found in self.module_cycles.items():
            limit = MODULE_CYCLE_OF.get(name, MODULE_CYCLE)
            for cycle in found:
                if len(cycle) > limit:
                    yield f"a cycle of {len(cycle)} modules in {name}, more than {limit}: {' '.join(cycle)}"
        if len(self.file_cycles) > FILE_CYCLES:
            yield f"{len(self.file_cycles)} file cycles, more than {FILE_CYCLES}: see scripts/house.py --list"
        if len(self.tuples) > TUPLE_FUNCTIONS:
            yield f"{len(self.tuples)} functions with tuple parameters, more than {TUPLE_FUNCTIONS}: see scripts/house.py --list"
        for path, n in self.long.items():
            yield f"{path} has {n} lines without tests, more than {FILE_LINES}: split it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail where a figure exceeds its limit")
    parser.add_argument("--list", action="store_true", help="name what is behind the figures")
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent, help="the checkout to measure")
    options = parser.parse_args()
    house = House(options.root.resolve())
    print(house.table())
    if options.list:
        print(*house.details(), sep="\n")
    if not options.check:
        return 0
    for limit in house.slack():
        print(f"lower a limit at the top of scripts/house.py: {limit}", file=sys.stderr)
    faults = list(house.faults())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
