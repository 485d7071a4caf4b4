#!/usr/bin/env bash
# Builds the engine of CheckerBoard for Windows and plays games with it under Wine. Needs programs
# of Debian 12, among them a compiler with the sources of its library, which is built for Windows
# first: apt-get install rustc-web cargo-web rust-web-src gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64
# \ wine wine64
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

# Plays each game against itself with each kind of clock.
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

random_numbers
dll
