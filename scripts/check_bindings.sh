#!/usr/bin/env bash
# Checks the libraries for other languages, which are separate workspaces in bindings/. Without an
# argument all parts run, otherwise only the given ones:
#
#   lints       formatting and lints
#   web         the WebAssembly module in node (needs node and npm)
#   c           programs in C and C++ (needs cc and c++)
#   python      the wheel, its command, and the tests of the module and its types (needs python3
#               with venv); takes the program in CROWNHEAD, or builds one
#   notebook    the notebook, with the wheel of `python` (needs PyTorch; Debian: python3-torch and
#               libopenblas0)
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/target/bindings folder=$PWD/target/bindings/check agents=$PWD/$(scripts/crates.py bundled)
wheels=$folder/wheels
mkdir -p "$folder"
cd bindings

lints() {
    for place in . web; do
        (cd "$place" && cargo fmt --all --check)
        (cd "$place" && cargo clippy --all-targets --release --locked --target-dir "$target" -- -D warnings)
    done
}

# WebAssembly: the modules were built from this code; the module in node gives the same answers as
# native code.
web() {
    ../scripts/build_web.sh --check
    (cd web && cargo build --release --locked --target-dir "$target" --example native)
    if [ ! -x "$folder/node_modules/.bin/tsc" ]; then
        npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --no-save --silent typescript@5.9.3
    fi
    ln -sfn "$PWD/web/js" "$folder/node_modules/crownhead"
    cp web/tests/*.mjs web/tests/types.mts "$agents/english.safetensors" "$folder"
    (cd "$folder" && node program.mjs | tail -n 3)
    (cd "$folder" && CROWNHEAD_WEB_TEST="$target/release/examples/native:$agents" node --test test.mjs)
    (cd "$folder" && node_modules/.bin/tsc --noEmit --strict --module nodenext --target esnext --skipLibCheck types.mts)
}

# C: the header matches the code, and the examples compile without warnings and run.
c() {
    local link name
    cargo test --release --locked --target-dir "$target" -p crownhead-checkerboard
    cargo test --release --locked --target-dir "$target" -p crownhead-c
    cargo build --release --locked --target-dir "$target" -p crownhead-c
    link=(-Ic/include "-L$target/release" -lcrownhead "-Wl,-rpath,$target/release")
    for name in program errors pdn; do
        cc -std=c11 -Wall -Wextra -Werror "c/examples/$name.c" "${link[@]}" -o "$folder/$name"
        "$folder/$name" | tail -n 3
    done
    c++ -std=c++17 -Wall -Wextra -Werror -pthread c/examples/analyse.cpp "${link[@]}" -o "$folder/analyse"
    "$folder/analyse" | tail -n 2
}

# Python: the wheel, its command in an empty environment, and the tests of the module, its stubs and
# its environments.
python() {
    local python=$folder/venv/bin/python size crownhead
    ../scripts/venv.sh "$folder/venv" python/tests/requirements.txt
    rm -rf "$wheels" "$folder/fresh"
    MATURIN=$folder/venv/bin/maturin ../scripts/build_wheel.sh "$wheels"
    size=$(stat -c %s "$wheels"/*.whl)
    printf 'the wheel has %s bytes\n' "$size" >&2
    # The release profile is for short builds; --profile dist makes a smaller program.
    [ "$size" -le 22000000 ] || { printf '22 MB are the limit\n' >&2; exit 1; }
    python3 -m venv "$folder/fresh"
    "$folder/fresh/bin/pip" install -q "$wheels"/*.whl
    crownhead=$folder/fresh/bin/crownhead
    "$crownhead" --version
    "$crownhead" perft english 6 --format json | grep -F '"nodes":[7,49,302,1469,7361,36768]' >/dev/null
    printf 'hub\ninit\nlevel depth=1\ngo think\nquit\n' | "$crownhead" hub ab:bundled --variant english |
        grep '^done move=' >/dev/null

    "$folder/venv/bin/pip" install -q --force-reinstall --no-deps "$wheels"/*.whl
    (cd python/tests && "$python" -m pytest -q -p no:cacheprovider)
    (cd python/tests && "$python" -m mypy --no-incremental program.py)
    # PettingZoo has no types, and Ray is not installed.
    (cd "$folder" && "$python" -m mypy --no-incremental --strict --disable-error-code import-untyped \
        --disable-error-code import-not-found --disable-error-code misc -p crownhead)
    (cd "$folder" && "$python" -m mypy.stubtest --ignore-disjoint-bases crownhead._crownhead)
}

# The notebook, in an environment that uses the system's PyTorch.
notebook() {
    local torch
    for torch in python3 /usr/bin/python3 ''; do
        [ -z "$torch" ] || ! "$torch" -c 'import torch' 2>/dev/null || break
    done
    [ -n "$torch" ] || { printf 'the notebook needs PyTorch\n' >&2; exit 1; }
    rm -rf "$folder/notebook"
    cp -r python/examples "$folder/notebook"
    "$torch" -m venv --system-site-packages --without-pip "$folder/notebook/venv"
    "$folder/venv/bin/pip" --python "$folder/notebook/venv/bin/python" install -q \
        -r python/examples/requirements.txt "$wheels"/*.whl
    (cd "$folder/notebook" && PATH=$PWD/venv/bin:$PATH jupyter-execute --timeout=900 own_network.ipynb)
}

[ $# -gt 0 ] || set -- lints web c python notebook
for part in "$@"; do
    case $part in
    lints | web | c | python | notebook) "$part" ;;
    *) printf 'there is no part %s: the parts are lints, web, c, python and notebook\n' "$part" >&2 && exit 2 ;;
    esac
done
