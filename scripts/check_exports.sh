#!/usr/bin/env bash
# Exports an agent of every game and checks it in the runtimes that front ends use: onnxruntime in
# Python, onnxruntime-web in node. Fetches both into target/exports on first use.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD folder=$PWD/target/exports crownhead=$PWD/target/release/crownhead

cargo build --release --locked
mkdir -p "$folder"
if [ ! -e "$folder/venv" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q -r scripts/check-export-requirements.txt
fi
if [ ! -e "$folder/node_modules" ]; then
    npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts onnxruntime-web@1.30.0
fi

agents=()
for variant in english customary frisian thai ringboard; do
    run=$folder/run-$variant
    "$crownhead" train "$variant" --preset tiny --generations 2 --run "$run"
    "$crownhead" export "run:$run" --to "$folder/$variant"
    agents+=("$folder/$variant")
done
"$folder/venv/bin/python" scripts/check_export.py "${agents[@]}"
cd "$folder" && node "$root/scripts/check_export.mjs" "${agents[@]}"
