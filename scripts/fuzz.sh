#!/usr/bin/env bash
# Runs every fuzz target for some seconds (30, or the first argument), or those named after it. Needs a nightly
# toolchain and cargo-fuzz (cargo install cargo-fuzz). What is found stays in the corpus of each crate's fuzz
# folder, inputs that fail in its artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
shift || true
export RUSTUP_TOOLCHAIN=nightly

# The corpus of a target of the root folder begins with these.
seed() {
    mkdir -p "fuzz/corpus/$1"
    cat >"fuzz/corpus/$1/$2"
}
seed model network <agents/english.safetensors
seed model evaluation <agents/evaluations/english.safetensors
# The first byte says which game: thai is the fourth.
{ printf '\3' && cat endgame/tests/fixtures/thai-v1.egd; } | seed endgame thai
printf '\0{"variant": "english", "moves": ["11-15", "22-18"]}' | seed page game
printf '\1{"game": {"variant": "thai"}, "player": "x", "seconds": 0.5, "lines": 3}' | seed page question
printf '\2{"variant": "english", "white": "", "black": "", "line": [{"move": "11-15"}]}' | seed page order
printf '\4[White "a"]\n1. 11-15 {b} (1. 9-13 !) 22-18 *' | seed page pdn
seed config base <configs/base.toml

for dir in rules engine store .; do
    for file in "$dir"/fuzz/fuzz_targets/*.rs; do
        target=$(basename "$file" .rs)
        if (($# > 0)) && [[ " $* " != *" $target "* ]]; then continue; fi
        features=()
        if [ "$target" = config ]; then features=(--features config); fi
        printf '\n== %s\n' "$target" >&2
        (cd "$dir" && cargo fuzz run "${features[@]}" "$target" -- -max_total_time="$seconds" -rss_limit_mb=1024 -print_final_stats=1)
    done
done
