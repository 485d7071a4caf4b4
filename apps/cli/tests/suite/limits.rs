//! Extreme values and environments: each works or gets a message that names it.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CROWNHEAD: &str = env!("CARGO_BIN_EXE_crownhead");
const TRAIN: &str = "train english --run run --preset tiny --generations 1 \
    --set selfplay.games_per_generation=2 --set selfplay.max_plies=12 --set endgame.pieces=0";

/// Runs a command line in a folder, in a shell with these settings before it.
fn run(settings: &str, line: &str, dir: &Path) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new("sh")
        .args(["-c", &format!("{settings} {CROWNHEAD} {line}")])
        .current_dir(dir)
        .output()
        .unwrap();
    let said = [stdout, stderr].concat();
    (status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn numbers_out_of_range_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for (line, named) in [
        (
            "train english --set train.learning_rate=nan",
            "train.learning_rate",
        ),
        (
            "train english --set train.learning_rate=inf",
            "train.learning_rate",
        ),
        (
            "train english --set=train.learning_rate=-1",
            "train.learning_rate",
        ),
        ("train english --set gate.nelo0=1e999", "gate.nelo0"),
        (
            "train english --set selfplay.games_per_generation=0",
            "selfplay.games_per_generation",
        ),
        (
            "train english --set window.max_samples=0",
            "window.max_samples",
        ),
        ("train english --seed=-1", "--seed"),
        ("train english --seed 9223372036854775808", "--seed"),
        ("train english --seed 18446744073709551616", "--seed"),
        ("train english --threads 1000000", "threads"),
        ("train english --for 0s", "--for"),
        ("train english --for infs", "--for"),
        ("match random random --variant english --pairs 0", "--pairs"),
        ("match random random --variant english --sims 0", "--sims"),
        ("match random random --variant english --elo0 nan", "--elo0"),
        ("match random random --variant english --elo1 inf", "--elo1"),
        ("rate games.pdn --prior nan", "--prior"),
        ("rate games.pdn --prior inf", "--prior"),
    ] {
        let (ending, said) = run("", line, dir.path());
        assert_eq!(ending, Some(2), "{line}: {said}");
        assert!(said.contains(named), "{line}: {said}");
        assert!(!dir.path().join("runs").exists(), "{line}");
    }
}

#[test]
fn extreme_settings_train() {
    for more in [
        "--seed 9223372036854775807",
        "--seed 0",
        "--threads 1024",
        "--set window.min_samples=100 --set window.max_samples=100",
        "--set train.batch_size=1",
        "--set selfplay.games_per_generation=1",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (ending, said) = run("", &format!("{TRAIN} {more}"), dir.path());
        assert_eq!(ending, Some(0), "{more}: {said}");
        let (ending, said) = run("", "check run", dir.path());
        assert_eq!(ending, Some(0), "{more}: {said}");
    }
}

#[test]
fn unusual_environments_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let line = "match alphabeta:depth=2 random --variant english --pairs 2 --threads 1";
    let expected = run("", line, dir.path());
    assert_eq!(expected.0, Some(0), "{}", expected.1);
    let score = |said: &str| {
        said.lines()
            .find(|line| line.contains('%'))
            .map(str::to_owned)
    };
    for settings in [
        "env -i",
        "HOME= ",
        "HOME=/proc",
        "LC_ALL=tr_TR.UTF-8",
        "LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8",
        "LANG=no_such_locale",
        "TERM=",
        "COLUMNS=1",
        "TZ=no/such/zone",
    ] {
        let found = run(settings, line, dir.path());
        assert_eq!(found.0, Some(0), "{settings}: {}", found.1);
        assert_eq!(score(&found.1), score(&expected.1), "{settings}");
    }
}

/// A network with a weight that is no number.
#[test]
fn weights_that_are_no_numbers_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (ending, said) = run(
        "",
        "export bundled:thai --to net --formats safetensors",
        dir.path(),
    );
    assert_eq!(ending, Some(0), "{said}");
    let path = dir.path().join("net/model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let (ending, said) = run("", "match model:net random --pairs 1", dir.path());
    assert_eq!(ending, Some(1), "{said}");
    assert!(said.contains("is not finite"), "{said}");
}

/// Less memory than a search wants.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let line = "match ab:bundled,hash=4096 random --variant english --pairs 1 --threads 1";
    let (ending, said) = run("ulimit -v 1000000;", line, dir.path());
    assert_eq!(ending, Some(2), "{said}");
    let expected = "the system refuses 4096 MB of memory";
    assert!(said.contains(expected), "{said}");
}
