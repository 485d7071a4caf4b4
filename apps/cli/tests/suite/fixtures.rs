//! Files of every released format can still be used. `fixtures/v1.tar.zst` holds the output of the
//! commands [`WRITTEN`]; each kind is read and continued. `cargo test --release -p crownhead --test
//! suite fixtures:: -- --ignored` writes a new one; do that only for an unreleased format.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use zstd::stream::{read::Decoder, write::Encoder};

/// The smallest run, export, tournament, distillation and endgame database.
const WRITTEN: [&str; 5] = [
    "train english --run run --preset tiny --generations 2 --seed 1 --set threads=1 --set model.blocks=1 \
     --set model.policy_dim=1 --set model.value_channels=1 --set model.value_hidden=1 \
     --set selfplay.games_per_generation=3 --set selfplay.max_plies=20",
    "export run:run --to export",
    "tournament random alphabeta:depth=1 --variant english --pairs 2 --dir tournament",
    "distill english --to distill --rounds 1 --games 40 --nodes 10 --steps 20 --threads 1",
    "endgame build english --pieces 2 --dir endgames",
];

/// Files that would block other processes or name the machine.
const LEFT_OUT: [&str; 3] = ["lock", "logs", "tensorboard"];

/// The output of a command, which must succeed or be a distillation that keeps no round.
fn crownhead(dir: &Path, command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .current_dir(dir)
        .args(command.split_whitespace())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    let is_complete = output.status.success() || message.contains("has no evaluation");
    assert!(is_complete, "crownhead {command}: {message}");
    String::from_utf8(output.stdout).unwrap()
}

fn archive() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1.tar.zst")
}

/// The files of the first version in a new directory.
fn first_version() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let bytes = Decoder::new(File::open(archive()).unwrap()).unwrap();
    tar::Archive::new(bytes).unpack(dir.path()).unwrap();
    dir
}

#[test]
fn a_run_goes_on() {
    let dir = first_version();
    let check = || crownhead(dir.path(), "check run --format json");
    assert_eq!(check().trim(), r#"{"faults":[],"replayed":0}"#);
    crownhead(dir.path(), "data check run");
    let status = crownhead(dir.path(), "status run");
    assert!(status.contains("selfplay of generation 3"), "{status}");
    crownhead(dir.path(), "train english --run run --generations 3");
    assert!(dir.path().join("run/models/000003").is_dir());
    assert!(!dir.path().join("run/set-aside").exists());
    assert_eq!(check().trim(), r#"{"faults":[],"replayed":0}"#);
}

#[test]
fn games_are_learned_from() {
    let dir = first_version();
    crownhead(dir.path(), "retrain ./run --to learned");
    crownhead(dir.path(), "fork ./run@1 --to forked");
    let pdn = crownhead(dir.path(), "data export run --to games.pdn");
    assert!(
        fs::read_to_string(dir.path().join("games.pdn"))
            .unwrap()
            .contains("[Event "),
        "{pdn}"
    );
}

#[test]
fn players_play() {
    let dir = first_version();
    for player in [
        "model:export",
        "run:run@1",
        "ab:distill/rounds/000001",
        "ab:distill/rounds/000001,endgames=endgames",
    ] {
        crownhead(
            dir.path(),
            &format!("match {player} random --variant english --pairs 1 --sims 2"),
        );
    }
    crownhead(
        dir.path(),
        "endgame probe english --fen W:WK14:BK1 --dir endgames",
    );
}

#[test]
fn tournaments_and_distillations_go_on() {
    let dir = first_version();
    crownhead(
        dir.path(),
        "tournament random alphabeta:depth=1 --variant english --pairs 3 --dir tournament",
    );
    let games = fs::read_to_string(dir.path().join("tournament/games.pdn")).unwrap();
    assert_eq!(games.matches("[Event ").count(), 6);
    crownhead(
        dir.path(),
        "distill english --to distill --rounds 2 --games 40 --nodes 10 --steps 20 --threads 1",
    );
    assert!(
        dir.path()
            .join("distill/rounds/000002/manifest.json")
            .exists()
    );
}

#[test]
#[ignore = "writes the fixtures"]
fn write_fixtures() {
    let dir = tempfile::tempdir().unwrap();
    for command in WRITTEN {
        crownhead(dir.path(), command);
    }
    leave_out(dir.path());
    let file = Encoder::new(File::create(archive()).unwrap(), 19).unwrap();
    let mut tar = tar::Builder::new(file);
    tar.mode(tar::HeaderMode::Deterministic);
    tar.append_dir_all("", dir.path()).unwrap();
    tar.into_inner().unwrap().finish().unwrap();
}

fn leave_out(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let is_left_out = LEFT_OUT.iter().any(|name| path.ends_with(name));
        match (path.is_dir(), is_left_out) {
            (true, true) => fs::remove_dir_all(path).unwrap(),
            (true, false) => leave_out(&path),
            (false, true) => fs::remove_file(path).unwrap(),
            (false, false) => {}
        }
    }
}
