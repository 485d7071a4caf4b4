//! Tests of `crownhead distill` and the players it creates.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn crownhead(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command.current_dir(dir).args(args).output().unwrap()
}

/// The JSON of a command that succeeds.
fn answer(dir: &Path, args: &[&str]) -> Value {
    let output = crownhead(dir, &[&["--format", "json"], args].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The status and message of a command that fails.
fn failure(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = crownhead(dir, args);
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), message)
}

#[test]
fn a_run_becomes_a_player() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let train = ["train", "thai", "--preset", "tiny", "--generations", "1"];
    let games = ["--set", "selfplay.games_per_generation=60", "--run", "run"];
    let output = crownhead(dir, &[&train[..], &games].concat());
    assert!(output.status.success());

    let distill = |to: &str, more: &[&str]| {
        let args = ["distill", "run", "--to", to, "--steps", "30"];
        answer(dir, &[&args[..], more].concat())
    };
    let report = distill("ab", &["--threads", "1"]);
    assert_eq!(report["settings"]["variant"], "thai");
    let round = &report["rounds"][0];
    let examples = &round["examples"];
    assert!(examples["held_out"].as_u64() > Some(0), "{examples}");
    assert!(round["held_out"]["result"].as_f64().unwrap() < 0.3);
    distill("again", &["--threads", "2"]);
    let bytes = |to: &str| fs::read(dir.join(to).join("evaluation.safetensors")).unwrap();
    assert_eq!(bytes("ab"), bytes("again"), "threads change nothing");
    let manifest = fs::read(dir.join("ab/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    for count in ["games", "positions", "training", "held_out", "by_bucket"] {
        assert_eq!(
            manifest["training"]["round"]["examples"][count],
            examples[count]
        );
    }

    let play = |a: &str, b: &str| answer(dir, &["match", a, b, "--pairs", "2", "--threads", "1"]);
    let result = play("ab:ab,depth=2", "ab:ab,nodes=3000,hash=1");
    assert_eq!(result["variant"], "thai");
    assert_eq!(result["b"], "ab:ab,nodes=3000,hash=1");
    assert_eq!(
        result["wins"],
        play("ab:ab,depth=2", "ab:ab,nodes=3000,hash=1")["wins"]
    );

    let (status, message) = failure(dir, &["distill", "run", "--to", "ab", "--seed", "2"]);
    assert_eq!(status, Some(2));
    assert!(message.contains("other settings"), "{message}");
    let (status, message) = failure(dir, &["match", "ab:run", "ab:ab"]);
    assert_eq!(status, Some(1));
    assert!(
        message.contains("crownhead distill RUN --to DIR"),
        "{message}"
    );
    let (status, message) = failure(dir, &["match", "ab:ab", "random", "--variant", "english"]);
    assert_eq!(status, Some(2));
    assert!(message.contains("plays thai, not english"), "{message}");
}

#[test]
fn an_engine_learns_from_its_own_games_and_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let distill = |to: &str, more: &[&str]| {
        let games = ["--games", "60", "--nodes", "60", "--steps", "40"];
        let args = ["--format", "json", "distill", "thai", "--to", to];
        let output = crownhead(dir, &[&args, &games[..], more].concat());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        // So few games may teach less than counting material does: that is a failure.
        let mut rounds = document["rounds"].as_array().unwrap().iter();
        let is_kept = rounds.any(|round| round["kept"] == true);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_kept, "{message}");
        assert_eq!(message.contains("with more --games"), !is_kept, "{message}");
        document
    };
    let first = distill("thai", &["--rounds", "1", "--threads", "2"]);
    assert_eq!(first["rounds"][0]["round"], 1);
    let contest = &first["rounds"][0]["contest"];
    assert_eq!(contest["against"], "material");
    let evaluation = |to: &str, round: &str| {
        let path = dir.join(to).join("rounds").join(round);
        fs::read(path.join("evaluation.safetensors")).unwrap()
    };
    // More rounds continue; existing ones stay. The directory `thai` is not taken for a run.
    let more = distill("thai", &["--rounds", "2", "--threads", "1"]);
    assert_eq!(more["rounds"][0], first["rounds"][0]);
    assert_eq!(more["rounds"][1]["round"], 2);
    assert_eq!(more, distill("again", &["--rounds", "2"]));
    for round in ["000001", "000002"] {
        assert_eq!(evaluation("thai", round), evaluation("again", round));
    }
    let player = "ab:thai/rounds/000002";
    answer(dir, &["match", player, "random", "--pairs", "1"]);

    let (status, message) = failure(dir, &["distill", "thai", "--to", "x", "--rounds", "0"]);
    assert_eq!(status, Some(2));
    assert!(message.contains("--rounds"), "{message}");
    for depth in ["0", "21"] {
        let args = ["distill", "thai", "--to", "x", "--relabel", depth];
        let (status, message) = failure(dir, &args);
        assert_eq!(status, Some(2));
        assert!(message.contains("1..=20"), "{message}");
    }
    let args = ["distill", "thai", "--to", "x", "--relabel", "4"];
    let (status, message) = failure(dir, &[&args[..], &["--rounds", "1"]].concat());
    assert_eq!(status, Some(2));
    assert!(message.contains("round 1 cannot relabel"), "{message}");
    assert!(!dir.join("x").exists());
    let teacher = ["--teacher", "bundled"];
    let (status, message) = failure(
        dir,
        &[&["distill", "frisian-plain", "--to", "y"][..], &teacher].concat(),
    );
    assert_eq!(status, Some(2));
    assert!(
        message.contains("no evaluation of frisian-plain"),
        "{message}"
    );
}
