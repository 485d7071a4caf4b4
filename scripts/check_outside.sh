#!/usr/bin/env bash
# Checks the program's output with third-party programs: exported networks in onnxruntime (Python)
# and onnxruntime-web (node), tables of positions in polars and duckdb, the Hub engine, DXP and PDN
# with pydraughts, uploads with hf to a stand-in for the Hugging Face Hub. Uses the existing release
# binary, or the one in CROWNHEAD, and installs the other programs into target/outside if
# scripts/outside has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts=$PWD/scripts folder=$PWD/target/outside crownhead=${CROWNHEAD:-$PWD/target/release/crownhead}

# Retries when a package registry does not respond.
retry() {
    local pause
    for pause in 5 20 60; do
        "$@" && return
        printf 'failed, retrying in %s s: %s\n' "$pause" "$*" >&2
        sleep "$pause"
    done
    "$@"
}

mkdir -p "$folder"
scripts/venv.sh "$folder/venv" scripts/outside/requirements.txt
if ! cmp -s "$scripts/outside/package-lock.json" "$folder/node_modules/package-lock.json"; then
    cp "$scripts"/outside/package*.json "$folder"
    retry npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts
    cp "$folder/package-lock.json" "$folder/node_modules"
fi

python=$folder/venv/bin/python exports=() runs=()
for variant in english customary frisian thai ringboard; do
    run=$folder/run-$variant
    rm -rf "$run"
    "$crownhead" train "$variant" --preset tiny --generations 2 --run "$run" >/dev/null
    # A trained network: with an untrained one the error of 8-bit weights would be too small.
    "$crownhead" export "bundled:$variant" --to "$folder/$variant" >/dev/null
    # And one with the current default inputs.
    "$crownhead" export "run:$run" --to "$folder/new-$variant" >/dev/null
    runs+=("$run") exports+=("$folder/$variant" "$folder/new-$variant")
done
"$python" "$scripts/check_data.py" "$crownhead" "${runs[@]}"
"$python" "$scripts/check_export.py" "${exports[@]}"
(cd "$folder" && node "$scripts/check_export.mjs" "${exports[@]}")
"$python" "$scripts/check_hub.py" "$crownhead" hub mcts:rollouts=100
"$python" "$scripts/check_pdn.py" "$crownhead"
"$python" "$scripts/check_dxp.py" "$crownhead" mcts:rollouts=100
"$python" "$scripts/check_push.py" "$crownhead" "$folder"/new-*
