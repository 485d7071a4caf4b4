//! The whole loop with the tiny preset: repeatable, resumable, and explicit about differences.

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

/// Names and contents.
fn gates(run: &Path) -> Vec<(String, String)> {
    let mut gates: Vec<_> = std::fs::read_dir(run.join("gates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().display().to_string(), path))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    gates.sort();
    gates
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

    // Killed at ever later moments until it succeeds.
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
    assert_eq!(gates(&one), gates(&cut));
    assert_eq!(gates(&one).len(), 2, "one a candidate, and no log is left");
}

/// Draws two runs in one picture; tests what cannot be drawn.
#[test]
fn ratings_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (a, b, unrated) = (path("a"), path("b"), path("none"));
    for (run, seed) in [(&a, "1"), (&b, "2")] {
        let args = ["--generations", "1", "--seed", seed];
        succeed(Path::new(run), &[&TINY[..], &args].concat());
    }
    let status = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
        let output = command.arg("status").args(args).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let svg = path("two.svg");
    for axis in ["time", "games"] {
        let drawn = status(&[&a, &b, "--plot", &svg, "--axis", axis]);
        assert_eq!(drawn, (Some(0), String::new()));
        let picture = std::fs::read_to_string(&svg).unwrap();
        assert_eq!(picture.matches("<polyline ").count(), 2);
        assert!(picture.contains(&format!(">{b}</text>")), "{picture}");
    }
    let (code, error) = status(&[&a, "--plot", &path("two.png")]);
    assert_eq!(code, Some(2));
    assert!(error.contains("ends in .svg"), "{error}");
    let (code, error) = status(&[&a, &unrated, "--plot", &svg]);
    assert_eq!(code, Some(1));
    assert!(error.contains("none"), "{error}");
}

#[test]
fn a_doctor_looks_at_what_a_run_has_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let whole_games = ["--generations", "1", "--set", "selfplay.max_plies=500"];
    succeed(&run, &[&TINY[..], &whole_games].concat());
    let doctor = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
        let output = command.arg("doctor").arg(&run).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text)
    };
    let (code, text) = doctor();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("no problems found"), "{text}");
    let named = format!("run:{}", run.display());
    for args in [
        &["doctor", &named][..],
        &["status", &named],
        &["check", &named],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_crownhead"))
            .args(args)
            .output();
        assert_eq!(output.unwrap().status.code(), Some(0), "{args:?}");
    }
    let metrics = run.join("metrics.jsonl");
    let bad = r#"{"step":9,"generation":1,"time":1.0,"train/skipped":3.0,"train/steps":9.0}"#;
    std::fs::write(&metrics, format!("{bad}\n")).unwrap();
    let (code, text) = doctor();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("3 of the last 9 optimizer steps"), "{text}");
    assert!(text.contains("train.learning_rate"), "{text}");
}

#[test]
fn ctrl_c_saves_and_the_same_command_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    let args = [&TINY[..], &["--generations", "3"]].concat();
    succeed(&whole, &args);
    let mut child = crownhead(&cut, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !cut.join("models/000001/model.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("The same command resumes"), "{message}");
    succeed(&cut, &args);
    assert_eq!(model(&whole, 3), model(&cut, 3));
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
    // Generations count from the beginning, and this run has its one.
    let output = train(&run, &["english", "--generations", "1"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{message}");
    assert!(
        message.contains("Generation 1 is finished already, so --generations 1 trains nothing"),
        "{message}"
    );
}
