//! The program.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use share::{Objects, Share as _};

fn gateway(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead-gateway"));
    command.args(args).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn invite(file: &str, name: &str) -> Output {
    let args = ["invite", name, "--volunteers", file, "--format", "json"];
    gateway(&args).output().unwrap()
}

#[test]
fn invited_machines_are_served() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, place) = (path("volunteers"), path("share"));
    std::fs::create_dir(&place).unwrap();
    let share = Objects::open(&place, &[]).unwrap();
    share.put("fleet/protocol.json", b"{}".to_vec()).unwrap();
    let invitation: Value = serde_json::from_slice(&invite(&file, "ada").stdout).unwrap();
    assert_eq!(invitation["name"], "ada");
    for (name, fault) in [("ada", "ada is already in"), ("a b", "is not a valid name")] {
        let output = invite(&file, name);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = text(&output.stderr);
        assert!(
            said.starts_with("error: ") && said.contains(fault),
            "{said}"
        );
    }
    let args = ["serve", &place, "--volunteers", &file, "--format", "json"];
    let mut server = gateway(&[&args[..], &["--address", "127.0.0.1:0"]].concat())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(server.stdout.as_mut().unwrap());
    said.read_line(&mut line).unwrap();
    let line: Value = serde_json::from_str(&line).unwrap();
    let join = invitation["join"].as_str().unwrap();
    let join = join.replace("HOST:PORT", line["address"].as_str().unwrap());
    let joined = share::open(&join, &[]).unwrap();
    let found = joined.get("fleet/protocol.json").unwrap();
    let same = ["--address", line["address"].as_str().unwrap()];
    let busy = gateway(&[&args[..], &same].concat()).output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(found.as_deref(), Some(&b"{}"[..]));
    assert_eq!(busy.status.code(), Some(1));
    let said = text(&busy.stderr);
    assert!(
        said.contains("is in use") && said.contains("--port N"),
        "{said}"
    );
}

#[test]
fn results_are_for_people_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("volunteers");
    let args = ["invite", "ada", "--volunteers", file.to_str().unwrap()];
    let said = text(&gateway(&args).output().unwrap().stdout);
    assert!(
        said.contains("\ncrownhead worker --join http://ada:"),
        "{said}"
    );
}

/// As files of volunteers.
#[cfg(unix)]
#[test]
fn devices_pipes_and_folders_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pi\u{1b}[2Jpe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    for place in [Path::new("/dev/zero"), &pipe, dir.path()] {
        let place = place.to_str().unwrap();
        for command in [["serve", "."], ["invite", "ada"]] {
            let begun = Instant::now();
            let args = [&command[..], &["--volunteers", place]].concat();
            let output = gateway(&args).current_dir(dir.path()).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{place}: {said}");
            assert!(said.contains("the file of volunteers"), "{said}");
            assert!(!said.contains('\u{1b}'), "{}", said.escape_debug());
            assert!(begun.elapsed() < Duration::from_secs(30), "{place}");
        }
    }
}
