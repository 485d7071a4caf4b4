#!/usr/bin/env bash
# Checks that a change must pass. scripts/install_tools.sh installs most of their tools.
#
#  scripts/check.sh            quick, test, outside and bindings, as CI does
#  scripts/check.sh quick      formatting, structure, wording, links, the book, typos, licenses,
#                              lints, documentation
#  scripts/check.sh test       all tests, and the inputs that the fuzzers have kept
#  scripts/check.sh outside    the page in Chromium and Firefox, exports in other programs, a fleet
#                              in a bucket
#  scripts/check.sh bindings   the libraries for C, Python and JavaScript
#  scripts/check.sh deep       every fault in every file of a run against every command, long
#                              commands of the book, packages, advisories, fuzzing
#                              ($FUZZ_SECONDS a target, 30), Miri, mutants of the changes since
#                              the commit $BASE (HEAD~1),
#                              the program and the DLL of Windows under Wine, fleets on Ray and
#                              Slurm, trackers, 64-bit ARM under qemu, networks on Vulkan in
#                              software, a soak of $SOAK_MINUTES (30)
#
# Several parts may be given. A step whose tools are missing is skipped and listed at the end; with
# CI=1 it is a failure. All steps use the release profile and few sets of features, so that little
# is compiled twice: the tests train and search, and need optimization anyway.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/target/tools/bin:$PATH
is_ci=false
case ${CI:-} in '' | 0 | false) ;; *) is_ci=true ;; esac

part_quick() {
    step formatting cargo -- cargo fmt --all --check
    step structure python3 git -- scripts/house.py --check
    step wording python3 git -- scripts/wording.py
    step links python3 git -- scripts/check_links.py
    step figures python3 -- scripts/figures.py --check
    step book mdbook -- mdbook build docs
    step spelling typos -- typos
    step deployment actionlint hadolint kubernetes-validate keda -- scripts/check_deploy.sh
    step licenses cargo-deny -- licenses
    step lints cargo -- cargo clippy --workspace --all-targets "${all_features[@]}" -- -D warnings
    # Examples have development dependencies. Without them some features would differ, and crates
    # would be checked again.
    step documentation cargo -- \
        env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --lib --bins --examples "${all_features[@]}"
}

part_test() {
    step tests cargo -- cargo test --workspace --release --locked
    step 'fuzz seeds' cargo git -- fuzz_seeds
}

part_outside() {
    step program cargo -- program
    step 'page in Chromium' node npm chromium -- node --test-reporter=spec scripts/check_page.mjs
    step 'page in Firefox' node npm firefox -- node --test-reporter=spec scripts/check_page.mjs --browser firefox
    step "the page's games" node npm -- node --test --test-reporter=spec apps/page/tests/state/
    step 'other programs' venv node npm -- scripts/check_outside.sh
    step bucket venv cargo -- scripts/check_bucket.sh
}

part_bindings() {
    step program cargo -- program
    step 'bindings: lints' cargo -- scripts/check_bindings.sh lints
    step 'bindings: JavaScript' cargo node npm -- scripts/check_bindings.sh web
    step 'bindings: C' cargo cc c++ -- scripts/check_bindings.sh c
    step 'bindings: Python' cargo venv -- env CROWNHEAD="$PWD/target/release/crownhead" scripts/check_bindings.sh python
    step 'bindings: notebook' venv torch -- scripts/check_bindings.sh notebook
}

part_deep() {
    step attacks cargo -- cargo test --release --locked -p crownhead --test suite -- --ignored --nocapture every_fault
    step 'commands of the book' cargo -- \
        env CROWNHEAD_BOOK=long cargo test --release --locked -p crownhead --test suite book:: -- --nocapture
    step packages cargo git python3 -- scripts/check_packages.py
    step advisories cargo-deny advisories -- cargo deny --workspace --features crownhead/cloud check advisories
    step fuzzing cargo-fuzz nightly c++ git -- scripts/fuzz.sh "${FUZZ_SECONDS:-30}"
    step mutants cargo-mutants git -- scripts/mutants.sh "${BASE:-HEAD~1}"
    step Miri miri -- scripts/miri.sh
    step Ray cargo venv -- ray_cluster
    step trackers cargo venv -- trackers
    step Slurm cargo python3 sbatch slurmctld munged -- slurm
    step soak cargo python3 -- soak
    step 'GPU in software' cargo lavapipe -- software_gpu
    step Windows debian-rust cargo x86_64-w64-mingw32-gcc wine64 curl pgrep -- windows program dll
    step 'Windows, 32 bits' debian-rust cargo i686-w64-mingw32-gcc i386 -- windows dll32
    step ARM debian-rust aarch64-linux-gnu-gcc qemu-aarch64 -- scripts/check_arm.sh
}

all_features=(--features crownhead/wgpu,crownhead/cloud --release --locked)

# The programs, together with examples so that all crates have the features that the tests need:
# after the part `test` nothing is left to compile.
program() {
    cargo build --workspace --bin crownhead --bin crownhead-gateway --examples --release --locked
}

# Nodes of a Ray cluster die, with the wheel of this program.
ray_cluster() {
    program
    scripts/venv.sh target/ray scripts/ray-requirements.txt
    rm -rf target/ray/wheels
    CROWNHEAD=target/release/crownhead MATURIN=target/ray/bin/maturin scripts/build_wheel.sh target/ray/wheels
    target/ray/bin/pip install -q --force-reinstall --no-deps target/ray/wheels/*.whl
    target/ray/bin/python scripts/check_ray.py target/release/crownhead
}

trackers() {
    program
    scripts/venv.sh target/trackers scripts/trackers-requirements.txt
    target/trackers/bin/python scripts/check_trackers.py target/release/crownhead
}

slurm() {
    program
    scripts/check_slurm.py target/release/crownhead
}

# Memory, handles and disk of everything that a run can have around it.
soak() {
    program
    scripts/soak.py target/release/crownhead --minutes "${SOAK_MINUTES:-30}"
}

# Our kernel and the choice of the fastest, on a GPU that is a processor.
software_gpu() {
    env CROWNHEAD_TEST_DEVICE=wgpu CUBECL_WGPU_DEFAULT_DEVICE=Cpu CUBECL_AUTOTUNE_LEVEL=minimal \
        cargo test --release --locked -p crownhead-model --features wgpu --test suite -- \
        --ignored --nocapture --test-threads 1 the_gpu_agrees_with_our_kernel the_way_that_a_gpu_chooses
}

# windows PART..: next to the program of this system.
windows() {
    program
    scripts/check_windows.sh "$@"
}

# Licenses, duplicates and sources of dependencies, including the bindings', which do not need every
# exception.
licenses() {
    local place
    cargo deny --workspace --features crownhead/cloud check bans licenses sources
    for place in bindings bindings/web; do
        cargo deny --manifest-path "$place/Cargo.toml" --workspace --config deny.toml \
            check -A unmatched-skip -A unmatched-skip-root -A unnecessary-skip bans licenses sources
    done
}

# Checks that each fuzz target has seeds and that a test runs them, then runs these tests.
fuzz_seeds() {
    local target name wanted passed
    for target in $(git ls-files '*/fuzz_targets/*.rs'); do
        name=$(basename "$target" .rs)
        [ -s "fuzz/seeds/$name.hex" ] && git grep -q "fuzz/seeds/$name\.hex" -- '*.rs' ||
            { echo "no test runs the seeds of the fuzz target $name: scripts/fuzz.sh keep $name" >&2; return 1; }
    done
    wanted=$(git grep -hE 'fn what_fuzzing_has_kept\(' -- '*.rs' | wc -l)
    passed=$(cargo test --workspace --tests --release --locked -- what_fuzzing_has_kept 2>&1 | tee >(cat >&2) |
        grep -c 'what_fuzzing_has_kept \.\.\. ok$') || return 1
    [ "$passed" -eq "$wanted" ] || { echo "$passed of $wanted tests of seeds passed" >&2; return 1; }
}

# has TOOL: succeeds if the tool can be used.
has() {
    case $1 in
    advisories) git ls-remote --exit-code https://github.com/RustSec/advisory-db HEAD ;;
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    debian-rust) [ -d /usr/lib/rustlib/src/rust/library ] ;;
    firefox) command -v firefox-esr || command -v firefox ;;
    keda) target/tools/bin/python -c 'import cloudcoil.models.keda' ;;
    i386) [ -e /lib/ld-linux.so.2 ] ;;
    lavapipe) ls /usr/share/vulkan/icd.d/lvp_icd.*.json ;;
    miri) cargo +nightly miri --version ;;
    nightly) cargo +nightly --version ;;
    slurmctld | munged) [ -x "/usr/sbin/$1" ] ;;
    torch) python3 -c 'import torch' || /usr/bin/python3 -c 'import torch' ;;
    venv) python3 -c 'import ensurepip' ;;
    wine64) [ -x /usr/lib/wine/wine64 ] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

names=() times=() missing=() running='' pass=''

# step NAME TOOL.. -- COMMAND..: runs a step; in the first pass only looks for its tools.
step() {
    local name=$1 start=$SECONDS tool absent=()
    shift
    while [ "$1" != -- ]; do
        has "$1" || absent+=("$1")
        shift
    done
    shift
    if [ "$pass" = look ]; then
        for tool in "${absent[@]}"; do missing+=("$name: $tool"); done
        return
    fi
    if [ ${#absent[@]} -gt 0 ]; then
        printf '\n== %s: skipped, %s is missing\n' "$name" "${absent[*]}" >&2
        return
    fi
    printf '\n== %s\n' "$name" >&2
    running=$name
    "$@"
    running=''
    names+=("$name") times+=($((SECONDS - start)))
    printf '== %s: %d s\n' "$name" $((SECONDS - start)) >&2
}

summary() {
    local i
    printf '\n   seconds  step\n' >&2
    for i in "${!names[@]}"; do printf '%10d  %s\n' "${times[$i]}" "${names[$i]}" >&2; done
    printf '%10d  in all\n' "$SECONDS" >&2
    [ ${#missing[@]} -eq 0 ] || printf 'NOT CHECKED, missing tool: %s\n' "${missing[@]}" >&2
    [ -z "$running" ] || printf 'FAILED: %s\n' "$running" >&2
}

[ $# -gt 0 ] || set -- quick test outside bindings
for part in "$@"; do
    case $part in
    quick | test | outside | bindings | deep) ;;
    *) printf 'there is no part %s: the parts are quick, test, outside, bindings and deep\n' "$part" >&2 && exit 2 ;;
    esac
done
trap summary EXIT
for pass in look run; do
    for part in "$@"; do "part_$part"; done
    if $is_ci && [ ${#missing[@]} -gt 0 ]; then exit 1; fi
done
