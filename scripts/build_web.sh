#!/usr/bin/env bash
# Builds the WebAssembly module of bindings/web, with instructions for vectors and without, and puts both beside
# its JavaScript, where `crownhead export --page` finds them. The same source gives the same bytes on every
# machine. `--check` compares instead: it fails when what is there is stale.
#
# Needs the target of the toolchain: rustup target add wasm32-unknown-unknown
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD target=$PWD/target/web cargo_home=${CARGO_HOME:-$HOME/.cargo}

(cd bindings/web && [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]) ||
    rustup target add wasm32-unknown-unknown
# No path of this machine; random numbers come from seeds alone, so there is no source of them.
common="--remap-path-prefix=$root=crownhead --remap-path-prefix=$cargo_home=cargo"
common+=" --cfg getrandom_backend=\"unsupported\" -C link-arg=-zstack-size=1048576"
for kind in crownhead:+simd128,+bulk-memory crownhead-scalar:+bulk-memory; do
    name=${kind%%:*}
    (cd bindings/web && RUSTFLAGS="$common -C target-feature=${kind#*:}" cargo build --locked --quiet \
        --profile web --lib --target wasm32-unknown-unknown --target-dir "$target/$name")
    built=$target/$name/wasm32-unknown-unknown/web/crownhead_wasm.wasm
    if [ "${1-}" = --check ]; then
        cmp "$built" "bindings/web/js/$name.wasm" || {
            printf '%s.wasm is stale: run scripts/build_web.sh and commit it\n' "$name" >&2
            exit 1
        }
    else
        install -m 644 "$built" "bindings/web/js/$name.wasm"
    fi
    printf '%s.wasm: %s bytes, %s compressed\n' "$name" "$(stat -c %s "$built")" "$(gzip -9 -c "$built" | wc -c)"
done
