#!/usr/bin/env bash
# Builds the Python wheel: the module and the program, so that `pip install` also installs the
# command `crownhead`. Needs maturin (pip install maturin), or its name in MATURIN. The wheel is for
# machines whose C library is at least as new as the one here.
#
#   scripts/build_wheel.sh [FOLDER]     target/wheels if none is given
#
# Uses the program in CROWNHEAD, or builds one.
set -euo pipefail
cd "$(dirname "$0")/.."
# maturin takes scripts from this folder; without it the wheel contains only the module.
out=${1:-target/wheels} scripts=bindings/python/crownhead._crownhead.data/scripts
trap 'rm -rf bindings/python/crownhead._crownhead.data' EXIT

if [ -z "${CROWNHEAD:-}" ]; then cargo build --release --locked -p crownhead; fi
crownhead=${CROWNHEAD:-target/release/crownhead}
mkdir -p "$scripts" "$out"
install -m 755 "$crownhead" "$scripts/crownhead"

# maturin only inspects the module, but the program may need a newer C library.
options=(--compression-level 9)
glibc=$(grep -ao 'GLIBC_2\.[0-9]*' "$crownhead" | sort -Vu | tail -n 1) || true
[ -z "$glibc" ] || options+=(--compatibility "manylinux_2_${glibc#GLIBC_2.}")
"${MATURIN:-maturin}" build --release --locked --manifest-path bindings/python/Cargo.toml \
    --target-dir target/bindings --out "$out" "${options[@]}"
