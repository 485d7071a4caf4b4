#!/usr/bin/env bash
# Builds for 64-bit ARM, runs tests under qemu, and compares training and play with x86-64. Needs
# programs of Debian 12, among them a compiler with the sources of its library, which is built for
# ARM first:
# apt-get install rustc-web cargo-web rust-web-src gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
#     qemu-user
#
#  scripts/check_arm.sh            everything, in this order
#  scripts/check_arm.sh kernels    the tests of rules, of vector instructions and of evaluations
#  scripts/check_arm.sh program    the program: version, perft, a match, a tiny run
#  scripts/check_arm.sh signature  tiny runs of the games in $VARIANTS: the same games and weights
#
#  scripts/check_arm.sh count      instructions of one evaluation by each path, as a table; not a
#                                  part of everything
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu folder=$PWD/target/aarch64
export PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$folder
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
unset RUSTUP_TOOLCHAIN
program=$folder/$target/release/crownhead

# Not worth optimizing: the tests use little of these crates.
settings=()
for crate in analyst book distill endgame lab; do
    settings+=(--config "profile.release.package.crownhead-$crate.opt-level=0")
done

# emulate CPU COMMAND..: runs a program for ARM.
emulate() {
    local cpu=$1
    shift
    qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu "$cpu" "$@"
}

cargo_for_arm() {
    local command=$1
    shift
    /usr/bin/cargo "$command" -Z build-std --target "$target" --release --locked "${settings[@]}" "$@"
}

# test_crate CPUS ARGUMENT..: runs the tests that cargo's arguments name on emulated processors.
test_crate() {
    local cpus=$1 cpu
    shift
    for cpu in $cpus; do
        printf '== tests on %s: %s\n' "$cpu" "$*" >&2
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu $cpu" \
            cargo_for_arm test "$@"
    done
}

# cortex-a57 has NEON alone, neoverse-n1 also dotprod, max also i8mm.
kernels() {
    test_crate 'cortex-a57 neoverse-n1 max' --no-default-features -p crownhead-model --lib -- cpu::
    test_crate max -p crownhead-nnue -p crownhead-rules --lib --tests
}

build_program() {
    cargo_for_arm build -p crownhead --bin crownhead
}

program() {
    local runs
    build_program
    runs=$(mktemp -d)
    emulate max "$program" --version
    emulate max "$program" perft english 7
    emulate max "$program" match ab:bundled random --variant english --pairs 1
    (cd "$runs" && emulate max "$program" train english --preset tiny --generations 2 --run arm)
    emulate max "$program" check "$runs/arm"
    rm -r "$runs"
}

signature() {
    local variant wanted found
    build_program
    for variant in ${VARIANTS:-english frisian}; do
        wanted=$(grep "^$variant " apps/cli/tests/signature.txt)
        found=$(emulate max "$program" bench signature --variant "$variant")
        printf '%s\n' "$found"
        [ "$found" = "$wanted" ] || { echo "x86-64 has: $wanted" >&2; return 1; }
    done
}

# The table of docs/benchmarks.md: differences between 1 and 65 evaluations, divided by 64.
count() {
    local bench row cpu path variant cells n counted=()
    # Debian has qemu with plugins, but none that counts.
    gcc -O1 -shared -fPIC -o "$folder/count.so" scripts/arm/count.c
    bench=$(cargo_for_arm test --no-run --no-default-features -p crownhead-model --bench count 2>&1 |
        tee /dev/stderr | sed -n 's/.*Executable.*(\(.*\))$/\1/p')
    printf '| path | english | frisian |\n|---|---|---|\n'
    while read -r cpu path row; do
        cells=
        for variant in english frisian; do
            counted=()
            for n in 1 65; do
                counted+=("$(emulate "$cpu" -plugin "$folder/count.so" "$bench" "$variant" ${path/-/ } "$n" 2>&1)")
            done
            cells+=" $(((counted[1] - counted[0]) / 64)) |"
        done
        printf '| %s |%s\n' "$row" "$cells"
    done <<'END'
cortex-a57 f32-portable f32, portable
cortex-a57 f32-neon f32, NEON
cortex-a57 int8-portable int8, portable
cortex-a57 int8-neon int8, NEON
neoverse-n1 int8-neon int8, NEON with dot products
max int8-neon int8, NEON with matrix products (i8mm)
END
}

[ $# -gt 0 ] || set -- kernels program signature
for part in "$@"; do
    case $part in
    kernels | program | signature | count) "$part" ;;
    *) printf 'there is no part %s: the parts are kernels, program, signature and count\n' "$part" >&2 && exit 2 ;;
    esac
done
