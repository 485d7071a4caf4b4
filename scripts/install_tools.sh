#!/usr/bin/env bash
# Installs the programs that scripts/check.sh needs into target/tools, where it finds them. With the
# argument `deep` it adds the programs of scripts/check.sh deep: cargo-fuzz, cargo-mutants (compiled
# from source, some minutes) and a nightly toolchain with Miri. Needs python3 with venv.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/target/tools

# install FILE: installs the contents of a list, unless it is already installed.
install() {
    local copy=$folder/$(basename "$1") pause
    if cmp -s "$1" "$copy"; then return; fi
    for pause in 5 20 60 0; do
        "$folder/bin/pip" install -q --disable-pip-version-check -r "$1" && cp "$1" "$copy" && return
        sleep "$pause"
    done
    return 1
}

[ -x "$folder/bin/pip" ] || python3 -m venv "$folder"
install scripts/tools/requirements.txt
if [ "${1-}" = deep ]; then
    install scripts/tools/deep.txt
    [ -x "$folder/bin/cargo-mutants" ] || cargo install --quiet --locked --root "$folder" cargo-mutants
    rustup toolchain install nightly --profile minimal --component miri,rust-src
fi
