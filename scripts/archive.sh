#!/usr/bin/env bash
# Packs the built programs, that of the gateway included, with README, changelog and licenses.
#
#   scripts/archive.sh TARGET FOLDER [OUT]     FOLDER has the programs; OUT is dist if not given
#
# The archive is called crownhead-VERSION-TARGET.tar.gz, or .zip for Windows.
set -euo pipefail
target=${1:?the target, such as x86_64-unknown-linux-musl} built=${2:?the folder with the programs}
out=${3:-dist} ending=
cd "$(dirname "$0")/.."
case $target in *windows*) ending=.exe ;; esac
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=crownhead-$version-$target
mkdir -p "$out"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/$name"
for program in crownhead crownhead-gateway; do
    install -m 755 "$built/$program$ending" "$folder/$name/$program$ending"
done
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder/$name/"
case $target in
*windows*)
    (cd "$folder" && python3 -m zipfile -c "$name.zip" "$name") && mv "$folder/$name.zip" "$out/"
    ;;
*) tar -C "$folder" -czf "$out/$name.tar.gz" --owner 0 --group 0 "$name" ;;
esac
echo "$out/$name"
