#!/usr/bin/env bash
# Builds the program and the engine of CheckerBoard for Windows and runs them under Wine. Takes 20
# minutes and programs of Debian 12; a compiler with its library's sources, since build-std makes
# the library for Windows:
#   apt-get install rustc-web cargo-web rust-web-src gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64 \
#       wine wine64
#
#   scripts/check_windows.sh [dll|program]..     both if none is named
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-pc-windows-gnu folder=$PWD/target/windows compiler=x86_64-w64-mingw32-gcc
export PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$folder
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$compiler
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} HOME=$folder/home WINEDEBUG=-all WINEPREFIX=$folder/home/prefix
unset RUSTUP_TOOLCHAIN
mkdir -p "$HOME"
wine=/usr/lib/wine/wine64

build() {
    /usr/bin/cargo build -Z build-std=std,panic_unwind --target "$target" --release --locked "$@"
}

# Wine 8 lacks the library that the standard library takes random keys from; Windows 10 and 11 have
# it.
random_numbers() {
    local system=$WINEPREFIX/drive_c/windows/system32
    [ -f "$system/bcryptprimitives.dll" ] && return
    "$wine" wineboot >/dev/null 2>&1 || true
    cat > "$folder/bcryptprimitives.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    while (length) {
        ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!SystemFunction036(data, part)) return FALSE;
        data += part;
        length -= part;
    }
    return TRUE;
}
C
    "$compiler" -O2 -shared -o "$system/bcryptprimitives.dll" "$folder/bcryptprimitives.c" -ladvapi32
}

# The engine of CheckerBoard plays a game of each kind against itself, with each kind of clock.
dll() {
    local game unit
    "$compiler" -O2 -Wall -Wextra -Werror bindings/checkerboard/tests/host.c -o "$folder/host.exe"
    for game in english russian brazilian; do
        (cd bindings && CROWNHEAD_GAME=$game build -p crownhead-checkerboard)
        cp "$folder/$target/release/crownhead_checkerboard.dll" "$folder/crownhead-$game.dll"
        for unit in 0 1 2 3; do
            "$wine" "$folder/host.exe" "$folder/crownhead-$game.dll" 0.02 "$unit" > "$folder/$game-$unit.txt"
            printf '%s, clock %s: %s\n' "$game" "$unit" "$(tail -n 1 "$folder/$game-$unit.txt")"
        done
    done
}

# The program trains, is killed, resumes, and plays.
program() {
    local program run=$folder/run
    build -p crownhead
    program=$folder/$target/release/crownhead.exe
    rm -rf "$run" "$run-once"
    "$wine" "$program" perft english 7
    (cd "$folder" && "$wine" "$program" train english --preset tiny --generations 2 --run run-once)
    (cd "$folder" && timeout -s KILL 10 "$wine" "$program" train english --preset tiny --generations 2 --run run) || true
    (cd "$folder" && "$wine" "$program" train english --preset tiny --generations 2 --run run)
    cmp "$run"/models/000002/*.safetensors "$run-once"/models/000002/*.safetensors
    (cd "$folder" && "$wine" "$program" match run:run random --pairs 1)
    printf 'hub\ninit\nquit\n' | "$wine" "$program" hub english
}

[ $# -gt 0 ] || set -- dll program
random_numbers
for part in "$@"; do "$part"; done
