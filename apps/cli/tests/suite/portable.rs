//! Games and weights are the same on every x86-64 processor with FMA, on 64-bit ARM, and with every
//! mathematical library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that games and weights depend on.
const ON_THE_PATH: [&str; 18] = [
    "base/types/src",
    "eval/ratings/src/gate_rule.rs",
    "eval/ratings/src/pentanomial.rs",
    "eval/ratings/src/sprt.rs",
    "eval/src",
    "model/src",
    "players/engine/src",
    "players/roster/src",
    "rules/src",
    "search/alphabeta/src",
    "search/book/src",
    "search/endgame/src",
    "search/nnue/src",
    "search/tree/src",
    "selfplay/src",
    "store/src",
    "trainer/distill/src",
    "trainer/src",
];

/// Functions whose last bits depend on the system's library.
const LEFT_TO_THE_SYSTEM: [&str; 27] = [
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt",
    "hypot", "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "gamma",
];

/// Calls of these functions in a line: methods, and paths such as `f64::exp`.
fn calls(line: &str) -> impl Iterator<Item = &'static str> + '_ {
    LEFT_TO_THE_SYSTEM.into_iter().filter(move |name| {
        let method = format!(".{name}(");
        line.contains(&method)
            || ["f32::", "f64::"].iter().any(|of| {
                let path = format!("{of}{name}");
                let mut after = line.split(&path).skip(1).map(|rest| rest.chars().next());
                after.any(|next| next.is_none_or(|next| !next.is_alphanumeric() && next != '_'))
            })
    })
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries
        .flat_map(|entry| sources(&entry.unwrap().path()))
        .collect()
}

#[test]
fn the_system_is_not_asked_for_transcendentals() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let mut found = Vec::new();
    for source in ON_THE_PATH
        .iter()
        .flat_map(|part| sources(&root.join(part)))
    {
        // Devices differ in the last bits anyway.
        let place = source.strip_prefix(root).unwrap();
        let exempt = ["tests", "tests.rs", "device"];
        if place
            .iter()
            .any(|part| exempt.iter().any(|name| part == *name))
        {
            continue;
        }
        let text = fs::read_to_string(&source).unwrap();
        let code = text.split("mod tests {").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap();
            let shown = || format!("{}:{}", place.display(), number + 1);
            found.extend(calls(line).map(|name| format!("{}: {name}", shown())));
        }
    }
    assert!(
        found.is_empty(),
        "ask `libm` instead, which is the same everywhere:\n{}",
        found.join("\n")
    );
}

#[test]
fn calls_are_found() {
    assert_eq!(
        calls("let y = x.exp() + map(f64::ln);").collect::<Vec<_>>(),
        ["exp", "ln"]
    );
    assert_eq!(calls("libm::exp(x).sqrt() + x.expect(f64::lnx)").count(), 0);
}

/// A game on small boards and one on large ones.
const VARIANTS: [&str; 2] = ["english", "frisian"];

/// The signature of a variant from a process with these arguments and variables.
fn signature(variant: &str, args: &[&str], variables: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["bench", "signature", "--variant", variant])
        .args(args)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[cfg_attr(
    not(target_arch = "x86_64"),
    ignore = "the last bits may differ elsewhere"
)]
fn libraries_and_instructions_change_nothing() {
    // glibc has two versions of its functions, which differ in the last bits.
    let plain = [("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4")];
    for variant in VARIANTS {
        let usual = signature(variant, &[], &[]);
        assert_eq!(signature(variant, &[], &plain), usual);
        for instructions in model::InstructionSet::available().map(|set| set.name()) {
            // Without FMA, products and sums are rounded separately.
            if instructions != "portable" {
                assert_eq!(
                    signature(variant, &["--instructions", instructions], &[]),
                    usual
                );
            }
        }
    }
}
