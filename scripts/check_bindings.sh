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

for place in . web; do
    (cd "$place" && cargo fmt --all --check)
    (cd "$place" && cargo clippy --all-targets --release --locked --target-dir "$target" -- -D warnings)
done

# WebAssembly: the modules were made of this code; the module in node answers as native code does.
../scripts/build_web.sh --check
if command -v node >/dev/null; then
    (cd web && cargo build --release --locked --target-dir "$target/native" --example native)
    if command -v npm >/dev/null && [ ! -x "$folder/node_modules/.bin/tsc" ]; then
        npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --no-save --silent typescript@5.9.3
    fi
    mkdir -p "$folder/node_modules"
    ln -sfn "$PWD/web/js" "$folder/node_modules/crownhead"
    cp web/tests/*.mjs web/tests/types.mts "$folder"
    cp ../agents/english.safetensors "$folder"
    (cd "$folder" && node program.mjs | tail -n 3)
    (cd "$folder" && CROWNHEAD_WEB_TEST="$target/native/release/examples/native:$PWD/../../../agents" node --test test.mjs)
    if command -v npm >/dev/null; then
        (cd "$folder" && "$folder/node_modules/.bin/tsc" --noEmit --strict --module nodenext --target esnext \
            --skipLibCheck types.mts)
    else
        skip "the types of the WebAssembly module, which need npm"
    fi
else
    skip "the WebAssembly module in node, which needs node"
fi

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

# Python: the wheel, its command in an environment with nothing else, and the tests of the module, its stubs and its
# environments.
# environment NAME REQUIREMENTS: a virtual environment with these packages, kept while they stay the same.
environment() {
    local place=$folder/$1 pause
    cmp -s "$2" "$place/requirements.txt" && return
    rm -rf "$place"
    python3 -m venv "$place"
    for pause in 5 20 60 0; do
        "$place/bin/pip" install -q -r "$2" && cp "$2" "$place/requirements.txt" && return
        sleep "$pause"
    done
    return 1
}
if python3 -c 'import ensurepip' 2>/dev/null; then
    environment venv python/tests/requirements.txt
    python=$folder/venv/bin/python wheels=$folder/wheels
    rm -rf "$wheels" "$folder/fresh"
    MATURIN=$folder/venv/bin/maturin ../scripts/build_wheel.sh "$wheels"
    size=$(stat -c %s "$wheels"/*.whl)
    printf 'the wheel has %s bytes\n' "$size" >&2
    [ "$size" -le 15000000 ] || { printf '15 MB are the limit\n' >&2; exit 1; }
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
    (cd "$folder" && "$python" -m mypy.stubtest --ignore-disjoint-bases crownhead._crownhead)

    # The notebook, in an environment that borrows PyTorch.
    for torch in python3 /usr/bin/python3 ''; do
        [ -z "$torch" ] || ! "$torch" -c 'import torch' 2>/dev/null || break
    done
    if [ -n "$torch" ]; then
        rm -rf "$folder/notebook"
        cp -r python/examples "$folder/notebook"
        "$torch" -m venv --system-site-packages --without-pip "$folder/notebook/venv"
        "$folder/venv/bin/pip" --python "$folder/notebook/venv/bin/python" install -q \
            -r python/examples/requirements.txt "$wheels"/*.whl
        (cd "$folder/notebook" && PATH=$PWD/venv/bin:$PATH jupyter-execute --timeout=900 own_network.ipynb)
    else
        skip "the notebook in bindings/python/examples, which needs PyTorch (Debian: python3-torch libopenblas0)"
    fi
else
    skip "the Python module, which needs python3 with venv"
fi
