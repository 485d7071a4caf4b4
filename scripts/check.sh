#!/usr/bin/env bash
# All that CI runs, and all that a change must pass. Two builds: one that only checks types (lints,
# documentation, features) and one optimised, for the tests, which run over burn and our own search.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    printf '\n== %s\n' "$*" >&2
    "$@"
    printf '== done, %d s since the start\n' "$SECONDS" >&2
}

# A whole tiny generation, stopped and continued, in a folder of its own.
smoke() {
    local folder crownhead=${CARGO_TARGET_DIR:-target}/release/crownhead
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    "$crownhead" train english --preset tiny --run "$folder/run" --generations 1 --threads 2
    "$crownhead" train english --run "$folder/run" --generations 2 --threads 1
    "$crownhead" status "$folder/run" --format json >"$folder/status.json"
    "$crownhead" match "run:$folder/run" random --pairs 2 --sims 4
}

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
RUSTDOCFLAGS='-D warnings' step cargo doc --workspace --no-deps --document-private-items --locked
step cargo test --workspace --release --locked
