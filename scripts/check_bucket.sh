#!/usr/bin/env bash
# Trains a fleet through a bucket on a local S3 server: moto, which is installed into target/bucket.
# Uses the program in CROWNHEAD, or builds one with the feature `cloud`, which is kept in
# target/bucket.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/target/bucket crownhead=${CROWNHEAD:-}
mkdir -p "$folder"
scripts/venv.sh "$folder/venv" scripts/bucket-requirements.txt
if [ -z "$crownhead" ]; then
    # With the features of the tests, whose crates are already built.
    cargo build --workspace --bin crownhead --examples --features crownhead/cloud --release --locked
    crownhead=$folder/crownhead
    cp target/release/crownhead "$crownhead"
fi
"$folder/venv/bin/python" scripts/check_bucket.py "$crownhead" "$folder/venv/bin/moto_server"
