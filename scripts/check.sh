#!/usr/bin/env bash
# Everything that CI runs and every change must pass. One profile for everything, so that dependencies
# are built once: the tests need optimisation anyway, because they train and search.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    printf '\n== %s\n' "$*" >&2
    "$@"
    printf '== done after %d s\n' "$SECONDS" >&2
}

step cargo fmt --all --check
if cargo deny --version >/dev/null 2>&1; then
    step cargo deny --workspace --features crownhead/cloud check bans licenses sources
else
    printf '\n== skipped: cargo deny, which is not installed\n' >&2
fi
step cargo clippy --workspace --all-targets --release --locked -- -D warnings
step cargo check -p crownhead --features wgpu --release --locked
RUSTDOCFLAGS='-D warnings' step cargo doc --workspace --no-deps --release --locked
step cargo test --workspace --release --locked
if python3 -c 'import ensurepip' 2>/dev/null; then
    # Before the build of all, which puts the usual program back in its place.
    step scripts/check_bucket.sh
else
    printf '\n== skipped: scripts/check_bucket.sh, which needs python3 with venv\n' >&2
fi
step cargo build --workspace --release --locked
if command -v npm >/dev/null && command -v chromium >/dev/null; then
    step node --test-reporter=spec scripts/check_page.mjs
else
    printf '\n== skipped: scripts/check_page.mjs, which needs node, npm and chromium\n' >&2
fi
if command -v node >/dev/null && command -v npm >/dev/null && python3 -c 'import ensurepip' 2>/dev/null; then
    step scripts/check_outside.sh
else
    printf '\n== skipped: scripts/check_outside.sh, which needs python3 with venv, node and npm\n' >&2
fi
if command -v cc >/dev/null && command -v node >/dev/null && python3 -c 'import ensurepip' 2>/dev/null; then
    step scripts/check_bindings.sh
else
    printf '\n== skipped: scripts/check_bindings.sh, which needs a C compiler, node and python3 with venv\n' >&2
fi
if cargo mutants --version >/dev/null 2>&1 && git rev-parse --quiet --verify HEAD~1 >/dev/null; then
    step scripts/mutants.sh HEAD~1
else
    printf '\n== skipped: scripts/mutants.sh, which needs cargo-mutants and a commit to compare with\n' >&2
fi
if cargo +nightly fuzz --version >/dev/null 2>&1; then
    step scripts/fuzz.sh 30
else
    printf '\n== skipped: scripts/fuzz.sh, which needs a nightly toolchain and cargo-fuzz\n' >&2
fi
