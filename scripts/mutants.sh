#!/usr/bin/env bash
# Changes the code that differs from a commit (main, or the first argument) in small ways, one at a
# time, and runs the tests of its crate: a change that no test notices is a fault. Needs
# cargo-mutants (scripts/install_tools.sh deep).
#
# Changes without any effect are excluded in .cargo/mutants.toml, each with its reason; that list
# may only become shorter. `scripts/mutants.sh all CRATE 3/20` tries the fourth twentieth of a whole
# crate instead.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-main}
list=.cargo/mutants.toml
options=(--profile mutants --minimum-test-timeout 20 --output target/mutants)
if [ "$base" = all ]; then
    exec cargo mutants "${options[@]}" --package "crownhead-$2" --shard "${3:-0/1}"
fi
excluded() { grep -c '^ *"' || true; }
before=$({ git show "$base:$list" 2>/dev/null || true; } | excluded)
now=$(excluded <"$list")
if git cat-file -e "$base:$list" 2>/dev/null && ((now > before)); then
    echo "$list: $now changes are excluded, $before were: write a test for the new ones" >&2
    exit 1
fi
mkdir -p target/mutants
mapfile -t folders < <(scripts/crates.py rules store eval endgame)
formulas=("$(scripts/crates.py search)/src/formulas" "$(scripts/crates.py types)"/src/{divergence,entropy,exp,softmax}.rs)
git diff "$base" -- "${folders[@]}" "${formulas[@]}" >target/mutants/changed.diff
cargo mutants "${options[@]}" --in-diff target/mutants/changed.diff
