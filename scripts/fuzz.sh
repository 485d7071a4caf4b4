#!/usr/bin/env bash
# Runs every fuzz target for some seconds (30, or the first argument), or the targets given after
# it. Needs a nightly toolchain and cargo-fuzz (scripts/install_tools.sh deep). New inputs are kept
# in the corpus of each crate's fuzz folder, failing inputs in its artifacts.
#
# With `keep` as the first argument nothing runs: each corpus is minimized, and its shortest inputs
# become fuzz/seeds/TARGET.hex, the initial corpora, which the tests also run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
shift || true
export RUSTUP_TOOLCHAIN=nightly
# Leaks are not checked: a scope of threads ends before std frees its data for each of them.
export ASAN_OPTIONS=detect_leaks=0
# Maximum number of hexadecimal digits in a target's seeds.
max_digits=16000

# An initial input for the corpus of a target of the root folder.
seed() {
    mkdir -p "fuzz/corpus/$1"
    cat >"fuzz/corpus/$1/$2"
}
agents=$(scripts/crates.py bundled) endings=$(scripts/crates.py endgame)/tests/fixtures
seed model network <"$agents/english.safetensors"
seed model evaluation <"$agents/evaluations/english.safetensors"
# The first byte selects the game: thai is the fourth, and the checksums are kept or corrected.
{ printf '\3' && cat "$endings/thai-v1.egd"; } | seed endgame thai
{ printf '\203' && cat "$endings/thai-v1.egd"; } | seed endgame mended
printf '\0{"variant": "english", "moves": ["11-15", "22-18"]}' | seed page game
printf '\1{"game": {"variant": "thai"}, "player": "x", "seconds": 0.5, "lines": 3}' | seed page question
printf '\2{"variant": "english", "white": "", "black": "", "line": [{"move": "11-15"}]}' | seed page order
printf '\4[White "a"]\n1. 11-15 {b} (1. 9-13 !) 22-18 *' | seed page pdn
seed config base <configs/base.toml

# Adds the seeds in a file to a corpus.
unpack() {
    local n=0 line
    mkdir -p "$2"
    while read -r line; do
        n=$((n + 1))
        printf '%b' "$(sed 's/../\\x&/g' <<<"$line")" >"$2/seed-$n"
    done <"$1"
}

# The inputs of a corpus as seeds, the shortest first.
pack() {
    local file
    for file in "$1"/*; do
        od -An -v -tx1 "$file" | tr -d ' \n'
        echo
    done | awk '{ print length, $0 }' | sort -n | awk -v max="$max_digits" '$1 > 0 && (n += $1) <= max { print $2 }'
}

for file in $(git ls-files '*/fuzz_targets/*.rs'); do
    target=$(basename "$file" .rs) fuzz=${file%/fuzz_targets/*}
    if (($# > 0)) && [[ " $* " != *" $target "* ]]; then continue; fi
    printf '\n== %s\n' "$target" >&2
    seeds=fuzz/seeds/$target.hex corpus=$fuzz/corpus/$target
    if [ -e "$seeds" ]; then unpack "$seeds" "$corpus"; fi
    if [ "$seconds" = keep ]; then
        cargo fuzz cmin --fuzz-dir "$fuzz" "$target"
        pack "$corpus" >"$seeds"
        continue
    fi
    cargo fuzz run --fuzz-dir "$fuzz" "$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=1024 -print_final_stats=1
done
