#!/usr/bin/env bash
# Checks the libraries for other languages, which are a workspace of their own in bindings/: formatting, lints,
# and programs of each language, run. What cannot be checked for want of a tool is said loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/target/bindings folder=$PWD/target/bindings/check
mkdir -p "$folder"
cd bindings

skip() {
    printf '\n== NOT CHECKED: %s\n' "$*" >&2
}

cargo fmt --all --check
cargo clippy --workspace --all-targets --release --locked --target-dir "$target" -- -D warnings

# C: the header is that of the code, and the examples compile without a warning and run.
cargo test --release --locked --target-dir "$target" -p crownhead-c
cargo build --release --locked --target-dir "$target" -p crownhead-c
if command -v cc >/dev/null && command -v c++ >/dev/null; then
    link=(-Ic/include "-L$target/release" -lcrownhead "-Wl,-rpath,$target/release")
    for name in program errors; do
        cc -std=c11 -Wall -Wextra -Werror "c/examples/$name.c" "${link[@]}" -o "$folder/$name"
        "$folder/$name" | tail -n 3
    done
    c++ -std=c++17 -Wall -Wextra -Werror -pthread c/examples/analyse.cpp "${link[@]}" -o "$folder/analyse"
    "$folder/analyse" | tail -n 2
else
    skip "the examples in C and C++, which need cc and c++"
fi
