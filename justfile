# The parts of scripts/check.sh under short names: `just quick`. scripts/install_tools.sh installs just.

# Lists the parts.
default:
    @just --list

# What every change must pass, as in CI.
all:
    scripts/check.sh

# Formatting, structure, wording, links, the book, typos, licenses, lints, documentation.
quick:
    scripts/check.sh quick

# All tests, or those of one crate: just test rules
test crate='':
    {{ if crate == '' { 'scripts/check.sh test' } else { 'cargo test --release -p crownhead-' + crate } }}

# The page in Chromium and Firefox, exports in other programs, a fleet in a bucket.
outside:
    scripts/check.sh outside

# The libraries for C, Python and JavaScript.
bindings:
    scripts/check.sh bindings

# Advisories, fuzzing, Miri, mutants.
deep:
    scripts/check.sh deep

# How the code is divided.
house *arguments:
    scripts/house.py {{ arguments }}

# The WebAssembly modules, after a change of the crates in them.
web:
    scripts/build_web.sh
