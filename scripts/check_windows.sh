#!/usr/bin/env bash
# Builds the program and the engine of CheckerBoard for Windows and runs them under Wine:
#
#  scripts/check_windows.sh            everything, in this order
#  scripts/check_windows.sh program    the program: perft, a match, signatures, a training that is
#                                      killed and resumed, engines, the page's server, files
#  scripts/check_windows.sh dll        whole games of each game of CheckerBoard, with 64 bits
#  scripts/check_windows.sh dll32      the same of english with 32 bits, as most front ends have
#
# Compares with the program of Linux in target/release, or that in $CROWNHEAD. Needs programs of
# Debian 12, among them a compiler with the sources of its library, which is built for Windows
# first; libc6:i386 and gcc-mingw-w64-i686 for 32 bits only:
# dpkg --add-architecture i386 && apt-get update
# apt-get install rustc-web cargo-web rust-web-src gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64 \
#     gcc-mingw-w64-i686 wine wine64 libc6:i386 curl procps
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD folder=$PWD/target/windows linux=${CROWNHEAD:-$PWD/target/release/crownhead}
target=x86_64-pc-windows-gnu target32=i686-pc-windows-gnu
program=$folder/$target/release/crownhead.exe
export PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$folder WINEDEBUG=-all
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_I686_PC_WINDOWS_GNU_LINKER=i686-w64-mingw32-gcc
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} HOME=$folder/home
unset RUSTUP_TOOLCHAIN
mkdir -p "$HOME"

fail() { printf 'FAILED: %s\n' "$*" >&2 && exit 1; }

# need FILE ..: fails if a program is missing.
need() {
    local file
    for file in "$@"; do
        [ -e "$file" ] || command -v "$file" >/dev/null || fail "$file is missing: see the head of $0"
    done
}

# build TARGET ARGUMENT..: as on Linux, but crates that these checks use little are not optimized.
build() {
    local settings=() crate
    for crate in analyst book distill endgame export fleet lab study; do
        settings+=(--config "profile.release.package.crownhead-$crate.opt-level=0")
    done
    /usr/bin/cargo rustc -Z build-std=std,panic_unwind --release --locked "${settings[@]}" --target "$@"
}

wine() { WINEPREFIX=$folder/home/prefix /usr/lib/wine/wine64 "$@"; }

# Wine for 32 bits, from unpacked packages: the package wine32 often cannot be installed.
wine32() {
    local place=$folder/i386
    WINEPREFIX=$folder/home/prefix32 WINEARCH=win32 WINESERVER=$place/usr/lib/wine/wineserver32 \
        WINELOADER=$place/usr/lib/wine/wine LD_LIBRARY_PATH=$place/lib/i386-linux-gnu:$place/usr/lib/i386-linux-gnu \
        "$place/usr/lib/wine/wine" "$@"
}

# prefix WINE COMPILER FOLDER: makes the files of Wine, with the library that it lacks.
prefix() {
    local library=$folder/home/$3/drive_c/windows/system32/bcryptprimitives.dll
    [ -f "$library" ] && return
    "$1" wineboot >/dev/null 2>&1 || true
    "$2" -O2 -shared -Wl,--kill-at -o "$library" scripts/windows/bcryptprimitives.c -ladvapi32
}

crownhead() { wine "$program" "$@" | tr -d '\r'; }

# same NAME EXPECTED FOUND
same() {
    [ "$2" = "$3" ] || fail "$1: expected $2, found $3"
    printf '%s: %s\n' "$1" "$3"
}

# wait_for COMMAND ..: for at most two minutes.
wait_for() {
    local tries
    for tries in $(seq 1200); do
        "$@" && return
        sleep 0.1
    done
    fail "waited for $*"
}

# end SIGNAL ARGUMENTS: ends the program with these arguments.
end() {
    local pid
    pid=$(pgrep -f "crownhead.exe $2") || fail "crownhead.exe $2 does not run"
    kill "-$1" $pid
    wait_for not_running "crownhead.exe $2"
}

not_running() { ! pgrep -f "$1" >/dev/null; }

program() {
    need "$linux" curl pgrep /usr/lib/rustlib/src/rust/library x86_64-w64-mingw32-gcc /usr/lib/wine/wine64
    build "$target" -p crownhead --bin crownhead
    prefix wine x86_64-w64-mingw32-gcc prefix
    rm -rf "$folder/work" && mkdir "$folder/work" && cd "$folder/work"
    printf 'version: %s\n' "$(crownhead --version)"
    same 'perft 9 of english' 3963680 "$(crownhead perft english 9 | awk '$1 == 9 { print $2 }')"
    crownhead match ab:bundled random --variant english --pairs 2 --pdn match.pdn >match.txt
    "$linux" games match.pdn --check >/dev/null
    same 'games of a match' 4 "$(grep -c '^\[Event' match.pdn)"
    printf 'hub\r\ninit\r\nnew-game\r\npos\r\nlevel nodes=2000\r\ngo think\r\nquit\r\n' |
        crownhead hub --variant english > hub.txt
    same 'answers of a Hub engine' 1 "$(grep -c '^done move=' hub.txt)"
    signatures
    training
    engines
    server
    files
}

signatures() {
    local variant
    for variant in ${VARIANTS:-english frisian}; do
        same signature "$(grep "^$variant " "$root/apps/cli/tests/signature.txt")" \
            "$(crownhead bench signature --variant "$variant")"
    done
}

training() {
    local tiny=(--preset tiny --set seed=7 --set train.precision=f32 --generations 24) model n_models=0
    "$linux" train english "${tiny[@]}" --run linux > linux.txt 2>&1
    crownhead train english "${tiny[@]}" --run killed > killed.txt 2>&1 &
    wait_for [ -d killed/models/000002 ]
    crownhead train english --run killed > second.txt 2>&1 && fail 'two programs train one run'
    grep -o 'is locked by process [0-9]* on ' second.txt
    end KILL 'train english .* --run killed'
    [ ! -d killed/models/000024 ] || fail 'the training ended before it was killed'
    crownhead train english "${tiny[@]}" --run killed > resumed.txt 2>&1
    for model in linux/models/*; do
        cmp "$model/model.safetensors" "killed/models/${model##*/}/model.safetensors"
        n_models=$((n_models + 1))
    done
    same 'networks equal to those of Linux' 25 "$n_models"
    crownhead check killed
    "$linux" check killed >/dev/null
}

# The processes of an engine end with the program that has started it, even if that is killed.
engines() {
    x86_64-w64-mingw32-gcc -O2 -Wall -Wextra -Werror "$root/scripts/windows/stubborn.c" -o stubborn.exe
    crownhead match 'hub:.\stubborn.exe' random --variant english --pairs 1 >engine.txt 2>&1 &
    wait_for pgrep -f 'stubborn.exe child' >/dev/null
    end KILL 'match hub:.*stubborn'
    wait_for not_running stubborn.exe
    echo 'an engine and its child ended with a killed match'
    crownhead match "hub:Z:${program//\//\\} hub random" random --variant english --pairs 1 --pdn engine.pdn >engine.txt
    same 'games of a Hub engine' 2 "$(grep -c '^\[Event' engine.pdn)"
}

server() {
    local url
    wine "$program" serve --port 0 --runs . --format json > serve.txt 2>&1 &
    wait_for grep -q http serve.txt
    url=$(grep -o 'http://[0-9.:]*' serve.txt)
    same 'the page' '<!doctype html>' "$(curl -s "$url/" | head -n 1)"
    same 'runs on the page' 2 "$(curl -s "$url/api/runs" | grep -o '"name"' | wc -l)"
    curl -s -H 'content-type: application/json' "$url/api/think" \
        -d '{"game":{"variant":"english"},"player":"bundled:english","simulations":50}' > answer.txt
    same 'answers of the page' 1 "$(grep -c '^event: *answer' answer.txt)"
    end INT 'serve --port 0'
}

# Files of Windows: lines that end with two signs, paths with backslashes, names of devices.
files() {
    local here="Z:${PWD//\//\\}"
    sed -i 's/$/\r/' match.pdn
    crownhead analyse "$here\\match.pdn" --nodes 200 --to "$here\\marked.pdn" > analysis.txt
    same 'analyzed games' 4 "$(grep -c '^\[Event' marked.pdn)"
    crownhead analyse match.pdn --nodes 200 --to nul.pdn >reserved.txt 2>&1 && fail 'a device was written to'
    grep 'reserves this name' reserved.txt
    printf '[train]\r\nbatch_size = 16\r\n' > small.toml
    crownhead train english --preset tiny --config "$here\\small.toml" --generations 1 --run "$here\\shared" \
        --fleet "file:///${here//\\//}/share" >shared.txt 2>&1
    grep -q 'batch_size = 16' shared/run.toml || fail 'the settings of a file are missing'
    [ -d share/fleet ] || fail 'there is no share'
    crownhead export run:killed --to agent >export.txt
    "$linux" export run:killed --to agent-linux >export-linux.txt
    diff -r agent agent-linux
    echo 'an export has the bytes of Linux'
}

# games TARGET WINE COMPILER GAME ..: plays each game against itself with each kind of clock.
games() {
    local target=$1 wine=$2 game unit played
    need "$linux" /usr/lib/rustlib/src/rust/library "$3"
    "$3" -O2 -Wall -Wextra -Werror bindings/checkerboard/tests/host.c -o "$folder/host-$target.exe"
    for game in "${@:4}"; do
        (cd bindings && CROWNHEAD_GAME=$game build "$target" -p crownhead-checkerboard --lib -- -L "native=$folder/objects")
        for unit in 0 1 2 3; do
            played=$folder/$game-$unit.pdn
            "$wine" "$folder/host-$target.exe" "$folder/$target/release/crownhead_checkerboard.dll" 0.02 "$unit" |
                tr -d '\r' > "$played"
            "$linux" games "$played" --check >/dev/null
            printf '%s, clock %s: %s\n' "$game" "$unit" "$(tail -n 1 "$played")"
        done
    done
}

dll() {
    need /usr/lib/wine/wine64
    prefix wine x86_64-w64-mingw32-gcc prefix
    games "$target" wine x86_64-w64-mingw32-gcc english italian spanish russian brazilian czech
}

dll32() {
    local place=$folder/i386 package object
    need /lib/ld-linux.so.2 i686-w64-mingw32-gcc
    if [ ! -x "$place/usr/lib/wine/wine" ]; then
        mkdir -p "$place/packages"
        (cd "$place/packages" && apt-get -q download {libwine,wine32,libgcc-s1,libunwind8,liblzma5,zlib1g}:i386)
        for package in "$place"/packages/*.deb; do dpkg-deb -x "$package" "$place"; done
    fi
    # Every DLL of 32 bits starts and ends with these objects, which build-std does not make.
    mkdir -p "$folder/objects"
    for object in rsbegin rsend; do
        /usr/bin/rustc --target "$target32" --emit=obj -o "$folder/objects/$object.o" \
            "/usr/lib/rustlib/src/rust/library/rtstartup/$object.rs"
    done
    # Without this library of Debian nothing that needs user32.dll starts.
    mkdir -p "$folder/home/prefix32/drive_c/windows/system32"
    cp /usr/i686-w64-mingw32/lib/zlib1.dll "$folder/home/prefix32/drive_c/windows/system32/"
    prefix wine32 i686-w64-mingw32-gcc prefix32
    games "$target32" wine32 i686-w64-mingw32-gcc english
}

[ $# -gt 0 ] || set -- program dll dll32
for part in "$@"; do
    case $part in
    program | dll | dll32) (set -e; "$part") ;;
    *) fail "there is no part $part: the parts are program, dll and dll32" ;;
    esac
done
