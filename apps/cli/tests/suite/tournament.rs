//! Tests of `crownhead tournament`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const THREE: [&str; 3] = ["random", "alphabeta:depth=1", "alphabeta:depth=2"];

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command
        .args(["tournament", "--variant", "thai", "--format", "json"])
        .args(args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn play(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn report(args: &[&str]) -> Value {
    let output = play(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn with<'a>(players: &[&'a str], args: &[&'a str]) -> Vec<&'a str> {
    [players, args].concat()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_game_is_written_and_rates_as_reported() {
    let folder = tempfile::tempdir().unwrap();
    let pdn = folder.path().join("games.pdn");
    let pdn = pdn.to_str().unwrap();
    let played = report(&with(&THREE, &["--pairs", "3", "--pdn", pdn]));
    assert_eq!(played["tournament"]["pairs"], 9);
    assert_eq!(played["tournament"]["complete"], true);
    assert_eq!(played["players"][2]["name"], "random");
    assert_eq!(played["players"][2]["elo"], 0.0);
    assert_eq!(read(Path::new(pdn)).matches("[Event ").count(), 18);
    let rated = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["rate", pdn, "--anchor", "random", "--format", "json"])
        .output()
        .unwrap();
    let rated: Value = serde_json::from_slice(&rated.stdout).unwrap();
    assert_eq!(rated["cross_table"], played["cross_table"]);
    let elo = |report: &Value, line: usize| report["players"][line]["elo"].as_f64().unwrap();
    assert!((0..3).all(|line| (elo(&rated, line) - elo(&played, line)).abs() < 1e-6));
}

#[test]
fn a_killed_tournament_goes_on_and_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let args = ["--schedule", "gauntlet", "--pairs", "12", "--threads"];
    let (whole_dir, cut_dir) = (whole.to_str().unwrap(), cut.to_str().unwrap());
    let expected = report(&with(
        &THREE,
        &[&args[..], &["1", "--to", whole_dir]].concat(),
    ));
    // Killed at ever later moments until it succeeds.
    let args = with(&THREE, &[&args[..], &["2", "--to", cut_dir]].concat());
    for delay_ms in (10..).step_by(20) {
        let mut child = command(&args).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay_ms));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(report(&args), expected);
    for name in ["games.pdn", "tournament.json"] {
        assert!(read(&whole.join(name)) == read(&cut.join(name)), "{name}");
    }
}

#[test]
fn ctrl_c_saves_and_reports_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let args = with(&THREE, &["--pairs", "5000", "--to", dir]);
    let mut child = command(&args).spawn().unwrap();
    while !folder.path().join("tournament.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("The same command resumes."), "{message}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["tournament"]["complete"], false);
    let games = read(&folder.path().join("games.pdn"))
        .matches("[Event ")
        .count() as u64;
    assert_eq!(Some(games / 2), report["tournament"]["pairs"].as_u64());
    assert!(games > 0);
}

#[test]
fn a_newcomer_keeps_the_games_played() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let args = ["--pairs", "2", "--to", dir];
    report(&with(&THREE[..2], &args));
    let before = read(&folder.path().join("games.pdn"));
    let pdn = folder.path().join("copy.pdn");
    let after = report(&with(
        &THREE,
        &[&args[..], &["--pdn", pdn.to_str().unwrap()]].concat(),
    ));
    assert_eq!(after["tournament"]["pairs"], 6);
    let games = read(&folder.path().join("games.pdn"));
    assert!(games.starts_with(&before) && games == read(&pdn));
}

#[test]
fn contradictions_are_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    report(&with(&THREE[..2], &["--pairs", "1", "--dir", dir]));
    for (args, hint) in [
        (
            with(&THREE[..2], &["--seed", "9", "--to", dir]),
            "the tournament has seed 1",
        ),
        (vec!["random", "random"], "random is listed twice"),
        (
            with(&THREE[..2], &["--schedule", "swiss"]),
            "[possible values: round-robin, gauntlet]",
        ),
        (vec!["random"], "2"),
    ] {
        let output = play(&args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn openings_come_from_a_file_and_are_terms() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (deck, other, dir, pdn) = (path("a.fen"), path("b.fen"), path("dir"), path("games.pdn"));
    std::fs::write(&deck, "W:W30,31,32:B1,2,3\nW:W29,30,31,32:B1,2,3,4\n").unwrap();
    std::fs::write(&other, "W:W30,31,32:B1,2,3\n").unwrap();
    let from = |deck, pairs| {
        let args = [
            "--openings",
            deck,
            "--to",
            &dir,
            "--pdn",
            &pdn,
            "--pairs",
            pairs,
        ];
        play(&with(&THREE, &args))
    };
    assert_eq!(from(&deck, "2").status.code(), Some(0));
    let games = read(Path::new(&pdn));
    assert_eq!(games.matches("[FEN \"W:W30,31,32:B1,2,3").count(), 6);
    assert_eq!(games.matches("[FEN \"W:W29,30,31,32:B1,2,3,4").count(), 6);
    for (deck, pairs, expected) in [
        (&deck, "3", "the file has 2 different openings"),
        (&other, "1", "the tournament has openings"),
    ] {
        let output = from(deck, pairs);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn killed_machines_of_a_fleet_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [alone, together, cut, share] = ["alone", "together", "cut", "share"].map(path);
    let players = ["random", "alphabeta:depth=1", "bundled,sims=2"];
    let pairs = |pairs, rest: &[&str]| command(&[&players[..], &["--pairs", pairs], rest].concat());
    let succeed = |output: Output| {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    };
    succeed(pairs("3", &["--to", &alone]).output().unwrap());

    // A tournament that would continue for a long time.
    let mut leader = pairs("1000", &["--to", &cut, "--fleet", &share])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !Path::new(&share).join("fleet/assignment.json").exists() {
        assert!(
            leader.try_wait().unwrap().is_none(),
            "the leader has failed"
        );
        std::thread::yield_now();
    }
    // Machines that play.
    let join = || {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_crownhead"))
            .args(["worker", "--join", &share, "--threads", "1"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(worker.stderr.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("A tournament of 3 players")));
        worker
    };
    let (mut mortal, steady) = (join(), join());
    for process in [&mut mortal, &mut leader] {
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let fleet = ["--to", &together, "--fleet", &share];
    succeed(pairs("3", &fleet).output().unwrap());
    succeed(steady.wait_with_output().unwrap());
    for file in ["tournament.json", "games.pdn"] {
        let read = |dir: &str| std::fs::read(Path::new(dir).join(file)).unwrap();
        assert!(read(&alone) == read(&together), "{file}");
    }
}
