//! Robustness of runs, and the output of `check` and `repair`.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

fn crownhead(args: &[&str], run: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command.args(args).stdin(Stdio::null());
    match args[0] {
        "train" => command.arg("--run").arg(run),
        _ => command.arg(run),
    };
    command
}

const TRAIN: [&str; 6] = ["train", "english", "--preset", "tiny", "--generations", "2"];

fn faults(command: &str, run: &Path) -> (Option<i32>, Vec<Value>) {
    let output = crownhead(&[command, "--format", "json"], run)
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let faults = document["faults"].as_array().unwrap().clone();
    (output.status.code(), faults)
}

/// `/dev/full` behaves like a full disk.
#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_error_does_not_end_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = crownhead(&TRAIN, dir.path())
        .stderr(full())
        .output()
        .unwrap()
        .status;
    assert_eq!(status.code(), Some(0));
    assert!(dir.path().join("models/000002").is_dir());
}

/// The requested report is missing, so the command fails; the run is unaffected.
#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_fails_when_everything_is_saved() {
    let dir = tempfile::tempdir().unwrap();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = crownhead(&TRAIN, dir.path()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("is complete and saved in"), "{message}");
    assert_eq!(faults("check", dir.path()), (Some(0), Vec::new()));
    let status = fs::read_to_string(dir.path().join("status.json")).unwrap();
    assert!(status.contains("\"running\": false"), "{status}");
}

#[test]
#[cfg(unix)]
fn being_ended_saves_as_ctrl_c_does() {
    for signal in ["-TERM", "-HUP"] {
        let dir = tempfile::tempdir().unwrap();
        let args = [
            "train",
            "english",
            "--preset",
            "tiny",
            "--generations",
            "5000",
        ];
        let mut child = crownhead(&args, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !dir.path().join("models/000001/model.json").exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            message.contains("The same command resumes"),
            "{signal}: {message}"
        );
        let status = fs::read_to_string(dir.path().join("status.json")).unwrap();
        assert!(status.contains("\"running\": false"), "{signal}: {status}");
    }
}

#[test]
fn faults_are_told_and_mended() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        crownhead(&TRAIN, dir.path())
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_eq!(faults("check", dir.path()), (Some(0), Vec::new()));
    let replayed = crownhead(&["check", "--replay", "3"], dir.path())
        .output()
        .unwrap();
    assert_eq!(replayed.status.code(), Some(0));
    let text = String::from_utf8(replayed.stdout).unwrap();
    assert_eq!(text, "All is well.\nGames replayed: 3.\n");

    let path = dir.path().join("train/000002/trainer.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[400_000] ^= 4;
    fs::write(&path, bytes).unwrap();
    let failed = crownhead(&TRAIN, dir.path()).output().unwrap();
    let message = String::from_utf8(failed.stderr).unwrap();
    assert!(message.contains("it is damaged: found ") && message.contains("crownhead repair"));
    let (code, found) = faults("check", dir.path());
    assert_eq!((code, found.len()), (Some(1), 1));
    for key in ["file", "what", "found", "expected", "mend"] {
        assert!(
            !found[0][key].as_str().unwrap().is_empty(),
            "{key}: {found:?}"
        );
    }
    assert_eq!(faults("repair", dir.path()).0, Some(0));
    assert_eq!(faults("check", dir.path()).0, Some(0));
    assert!(
        crownhead(&TRAIN, dir.path())
            .output()
            .unwrap()
            .status
            .success()
    );
}
