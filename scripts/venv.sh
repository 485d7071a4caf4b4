#!/usr/bin/env bash
# A virtual environment with the packages of a file, made again when the file changes:
#   scripts/venv.sh FOLDER REQUIREMENTS
set -euo pipefail
folder=$1 requirements=$2
cmp -s "$requirements" "$folder/requirements.txt" && exit
rm -rf "$folder"
python3 -m venv "$folder"
# A package registry may not respond for a while.
for pause in 5 20 60 0; do
    "$folder/bin/pip" install -q -r "$requirements" && cp "$requirements" "$folder/requirements.txt" && exit
    sleep "$pause"
done
exit 1
