#!/usr/bin/env bash
# All that CI runs, and all that a change must pass. One profile for everything, so that build scripts
# and macros are built once: tests run over burn and our own search, which need optimisation anyway.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    printf '\n== %s\n' "$*" >&2
    "$@"
    printf '== done, %d s since the start\n' "$SECONDS" >&2
}

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --release --locked -- -D warnings
step cargo check -p crownhead --features wgpu --release --locked
RUSTDOCFLAGS='-D warnings' step cargo doc --workspace --no-deps --release --locked
step cargo test --workspace --release --locked
step cargo build --workspace --release --locked
if command -v python3 >/dev/null && command -v chromedriver >/dev/null; then
    step scripts/check_page.py
else
    printf '\n== left out: scripts/check_page.py, which needs python3, chromium and chromedriver\n' >&2
fi
if command -v node >/dev/null && command -v npm >/dev/null && python3 -c 'import ensurepip' 2>/dev/null; then
    step scripts/check_outside.sh
else
    printf '\n== left out: scripts/check_outside.sh, which needs python3 with venv, node and npm\n' >&2
fi
