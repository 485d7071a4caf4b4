//! Games and weights are the same as in earlier versions.

use std::process::Command;

/// A change that is meant to keep behavior keeps these hashes; one that is meant to change it says
/// why and brings the new ones: `crownhead bench signature >apps/cli/tests/signature.txt`.
#[test]
#[cfg_attr(
    not(all(
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_os = "linux"
    )),
    ignore = "the last bits differ elsewhere"
)]
fn tiny_runs_come_to_the_same() {
    let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["bench", "signature"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found, include_str!("../signature.txt"));
}

#[test]
fn settings_of_its_own_are_not_mixed_with_others() {
    let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["bench", "signature", "--set", "train.optimiser=adamw"])
        .output()
        .unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("leave out --preset"), "{error}");
}
