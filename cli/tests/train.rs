//! The whole loop on the tiny preset: repeatable, resumable, and honest about differences.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn crownhead(run: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command
        .arg("train")
        .args(args)
        .arg("--run")
        .arg(run)
        .stdin(Stdio::null());
    command
}

fn train(run: &Path, args: &[&str]) -> Output {
    crownhead(run, args).output().unwrap()
}

fn succeed(run: &Path, args: &[&str]) {
    let output = train(run, args);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn model(run: &Path, number: u32) -> Vec<u8> {
    let path = run.join(format!("models/{number:06}/model.safetensors"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const TINY: [&str; 3] = ["english", "--preset", "tiny"];

#[test]
fn threads_and_stops_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two, cut) = (
        dir.path().join("one"),
        dir.path().join("two"),
        dir.path().join("cut"),
    );
    succeed(
        &one,
        &[&TINY[..], &["--generations", "2", "--threads", "1"]].concat(),
    );
    succeed(
        &two,
        &[&TINY[..], &["--generations", "2", "--threads", "2"]].concat(),
    );
    assert_eq!(model(&one, 2), model(&two, 2));
    assert_ne!(model(&one, 1), model(&one, 2));

    // Killed at ever later moments until it gets through by itself.
    let args = [&TINY[..], &["--generations", "2"]].concat();
    for delay_ms in (20..).step_by(60) {
        let mut child: Child = crownhead(&cut, &args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay_ms));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(model(&one, 2), model(&cut, 2));
}

#[test]
fn every_ruleset_trains() {
    let dir = tempfile::tempdir().unwrap();
    for variant in rules::Variant::ALL {
        let run = dir.path().join(variant.name());
        succeed(
            &run,
            &[variant.name(), "--preset", "tiny", "--generations", "1"],
        );
        for name in [
            "run.toml",
            "status.json",
            "champion",
            "metrics.jsonl",
            "games",
            "models",
        ] {
            assert!(run.join(name).exists(), "{variant}: {name}");
        }
        assert!(!model(&run, 1).is_empty());
    }
}

#[test]
fn an_option_that_differs_from_the_run_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    succeed(
        &run,
        &[&TINY[..], &["--generations", "1", "--seed", "5"]].concat(),
    );
    let output = train(&run, &["english", "--generations", "2", "--seed", "6"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("`seed` is 5") && message.contains("6"),
        "{message}"
    );
    let output = train(&run, &["thai", "--generations", "2"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the run trains english, not thai"));
}
