#!/usr/bin/env bash
# Builds the WebAssembly module of bindings/web, with and without vector instructions, and puts both
# next to its JavaScript, where `crownhead export --page` finds them. The bytes depend on the
# folder, because cargo's crate names depend on paths. `--check`, which reports whether the modules
# are stale, therefore compares a hash of their sources and builds nothing.
#
# Needs python3, and the target of the toolchain: rustup target add wasm32-unknown-unknown
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD target=$PWD/target/web cargo_home=${CARGO_HOME:-$HOME/.cargo}

# The folders of the crates in the modules.
crates() {
    cargo metadata --format-version 1 --locked --manifest-path bindings/web/Cargo.toml | python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["source"] is None:
        print(os.path.relpath(os.path.dirname(package["manifest_path"])))'
}

# A hash of all sources of the modules.
sources() {
    {
        for crate in $(crates | LC_ALL=C sort); do
            find "$crate/src" "$crate/Cargo.toml" -type f | LC_ALL=C sort
        done
        printf '%s\n' bindings/web/Cargo.lock rust-toolchain.toml scripts/build_web.sh
    } | xargs sha256sum | sha256sum | cut -d' ' -f1
}

if [ "${1-}" = --check ]; then
    [ "$(sources)" = "$(cat bindings/web/js/SOURCES)" ] && exit
    printf 'bindings/web/js/*.wasm are stale: run scripts/build_web.sh and commit them\n' >&2
    exit 1
fi
(cd bindings/web && [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]) ||
    rustup target add wasm32-unknown-unknown
# No paths of this machine; random numbers only come from seeds, so no entropy source is needed.
common="--remap-path-prefix=$root=crownhead --remap-path-prefix=$cargo_home=cargo"
common+=" --cfg getrandom_backend=\"unsupported\" -C link-arg=-zstack-size=1048576"
for kind in crownhead:+simd128,+bulk-memory crownhead-scalar:+bulk-memory; do
    name=${kind%%:*}
    (cd bindings/web && RUSTFLAGS="$common -C target-feature=${kind#*:}" cargo build --locked --quiet \
        --profile web --lib --target wasm32-unknown-unknown --target-dir "$target/$name")
    built=$target/$name/wasm32-unknown-unknown/web/crownhead_wasm.wasm
    install -m 644 "$built" "bindings/web/js/$name.wasm"
    printf '%s.wasm: %s bytes, %s compressed\n' "$name" "$(stat -c %s "$built")" "$(gzip -9 -c "$built" | wc -c)"
done
sources >bindings/web/js/SOURCES
