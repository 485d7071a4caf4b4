//! Tests of `crownhead hub`, and matches with engines in other processes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

const CROWNHEAD: &str = env!("CARGO_BIN_EXE_crownhead");

fn crownhead(args: &[&str]) -> Output {
    Command::new(CROWNHEAD)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The report of a match that was played to the end.
fn play(args: &[&str]) -> Value {
    let output = crownhead(&[&["match", "--format", "json", "--threads", "1"], args].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The grandchild ignores polite signals. If it lived longer than the match, its file would show
/// it.
#[cfg(unix)]
#[test]
fn engines_end_with_their_children_when_the_match_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let engine = format!(
        "hub:sh -c '(trap \"\" HUP TERM; sleep 20; echo alive) > {} & echo wait; echo ready; \
         while read line; do :; done'",
        pipe.display()
    );
    let mut child = Command::new(CROWNHEAD)
        .args(["match", &engine, "random", "--variant", "frisian"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut grandchild = std::fs::File::open(&pipe).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut grandchild, &mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn every_player_is_an_engine() {
    for (source, variant, offered) in [
        ("random", "ringboard", &[][..]),
        ("alphabeta:depth=3", "customary", &["book"]),
        ("mcts:rollouts=20", "thai", &["book"]),
        (
            "bundled,sims=20",
            "frisian",
            &["threads", "hash", "elo", "endgames", "book"],
        ),
        (
            "ab:bundled,nodes=2000",
            "english",
            &["threads", "hash", "elo", "endgames", "book"],
        ),
    ] {
        let mut child = Command::new(CROWNHEAD)
            .args(["hub", source, "--variant", variant])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        stdin.write_all(b"hub\ninit\nnonsense\ngo think\n").unwrap();
        let mut heard = Vec::new();
        while heard
            .last()
            .is_none_or(|line: &String| !line.starts_with("done"))
        {
            heard.push(lines.next().unwrap().unwrap());
        }
        assert!(heard[0].starts_with("id name=\"Crownhead "), "{}", heard[0]);
        let parameter = format!("param name=variant value={variant} type=enum values=");
        assert!(heard[1].starts_with(&parameter), "{}", heard[1]);
        assert_eq!(heard[3], "param name=lines value=1 type=int min=1 max=10");
        let mut rest = heard[4..].iter();
        for name in offered {
            let line = rest.next().unwrap();
            assert!(line.starts_with(&format!("param name={name} ")), "{line}");
        }
        assert_eq!(
            [rest.next().unwrap(), rest.next().unwrap()],
            ["wait", "ready"]
        );
        let is_protocol =
            |line: &String| ["info ", "done "].iter().any(|word| line.starts_with(word));
        assert!(rest.all(is_protocol), "{heard:?}");
        stdin.write_all(b"quit\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
    }
}

#[test]
fn other_engines_judge_evaluations() {
    let dir = tempfile::tempdir().unwrap();
    let [games, judged] = ["games.pdn", "judged"].map(|name| {
        let path = dir.path().join(name);
        path.to_str().unwrap().to_owned()
    });
    play(&[
        "random",
        "random",
        "--variant",
        "english",
        "--pairs",
        "4",
        "--pdn",
        &games,
    ]);
    let judge = format!("hub:{CROWNHEAD} hub material:english");
    let effort = ["--judge-nodes", "300", "--nodes", "300", "--positions", "4"];
    let measure = [
        "bench",
        "evaluation",
        &games,
        "--judge",
        &judge,
        "--judged",
        &judged,
    ];
    let output = crownhead(&[&measure, &effort[..], &["--variant", "english"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with(&format!("judge: {judge}, 300 nodes a position\n")),
        "{text}"
    );
    assert!(text.lines().count() > 3, "{text}");
}

#[test]
fn wrong_usage_is_explained() {
    for (args, hint) in [
        (&["hub", "hub:scan"][..], "is a Hub engine already"),
        (&["hub", "random", "--format", "json"], "its own protocol"),
        (&["hub", "random,time=5"], "remove time=5"),
        (&["hub", "dxp:localhost"], "not analyze"),
        (&["dxp", "random"], "choose one with --variant"),
        (
            &["dxp", "random", "--variant", "thai"],
            "boards of 50 squares",
        ),
        (
            &[
                "match",
                "random",
                "dxp:localhost:1",
                "--variant",
                "frisian",
                "--time",
                "5",
            ],
            "write time=300+0",
        ),
        (
            &["hub", "random", "--english-frame", "up"],
            "pydraughts or native",
        ),
        (
            &[
                "match",
                "random",
                "random",
                "--variant",
                "thai",
                "--time",
                "5",
                "--sims",
                "4",
            ],
            "--sims",
        ),
        (
            &[
                "match",
                "random",
                "random",
                "--variant",
                "thai",
                "--time",
                "5x",
            ],
            "60+1",
        ),
    ] {
        let output = crownhead(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(output.stdout.is_empty());
        assert!(error.contains(hint), "{error}");
    }
}

/// A process that is killed at the end of the test.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Both sides of DXP: one process waits, another asks it for games.
#[test]
fn a_partner_in_another_process() {
    let player = "alphabeta:depth=2";
    let follower = Command::new(CROWNHEAD)
        .args([
            "dxp",
            player,
            "--variant",
            "frisian",
            "--port",
            "0",
            "--once",
        ])
        .args(["--format", "json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut follower = Follower(follower);
    let mut lines = BufReader::new(follower.0.stdout.take().unwrap()).lines();
    let waiting: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let dxp = format!("dxp:{}", waiting["address"].as_str().unwrap());
    let rest = ["random", "--variant", "frisian", "--pairs", "2"];
    let report = play(&[&[dxp.as_str()][..], &rest].concat());
    assert_eq!(report["forfeits"], json!({"a": 0, "b": 0, "games": []}));
    assert_eq!((&report["wins"], &report["losses"]), (&json!(4), &json!(0)));
    let games: Vec<Value> = lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    assert_eq!(
        (games.len(), &games[0]["opponent"]),
        (4, &json!("Crownhead"))
    );
    assert_eq!(follower.0.wait().unwrap().code(), Some(0));
}

/// Through pipes to another process nothing is lost: the match is the same.
#[test]
fn an_engine_in_another_process_plays_the_same() {
    let hub = format!("hub:'{CROWNHEAD}' hub alphabeta:depth=2,nodes=100000");
    let report = play(&[&hub, "random", "--variant", "frisian", "--pairs", "3"]);
    assert_eq!(report["forfeits"], json!({"a": 0, "b": 0, "games": []}));
    assert_eq!((&report["wins"], &report["losses"]), (&json!(6), &json!(0)));
    let again = play(&[&hub, "random", "--variant", "frisian", "--pairs", "3"]);
    assert_eq!(report["mean_plies"], again["mean_plies"]);
}

/// The same in version 1, from openings of a game in which Black moves first.
#[test]
fn an_engine_of_version_1_in_another_process() {
    let hub = format!("hub1:'{CROWNHEAD}' hub alphabeta:depth=2 --protocol 1");
    let report = play(&[&hub, "random", "--variant", "english", "--pairs", "2"]);
    assert_eq!(report["forfeits"], json!({"a": 0, "b": 0, "games": []}));
    assert_eq!((&report["wins"], &report["a"]), (&json!(4), &json!(hub)));
}

#[test]
fn games_with_clocks() {
    let hub = format!("hub:'{CROWNHEAD}' hub mcts:rollouts=10");
    let args = [&hub, "mcts:rollouts=10,time=40/300", "--variant", "english"];
    let report = play(&[&args[..], &["--pairs", "1", "--time", "60+1"]].concat());
    assert_eq!(report["b"], "mcts:rollouts=10,time=40/300");
    assert_eq!(report["forfeits"], json!({"a": 0, "b": 0, "games": []}));
}

/// An engine that sleeps longer than it may uses no processor time. One that computes does; it ends
/// its search near the limit, so that it keeps it in some of the games.
#[cfg(target_os = "linux")]
#[test]
fn engines_are_charged_their_processor_time() {
    let forfeits = |hub: &str, time, pairs| {
        let clock = ["--clock", "cpu", "--variant", "english", "--pairs", pairs];
        let report = play(&[&[hub, "random", "--time", time][..], &clock].concat());
        report["forfeits"]["a"].clone()
    };
    let slowly = "while read line; do case $line in go*) sleep 0.05;; esac; echo $line; done";
    let asleep = format!("hub:sh -c \"{slowly} | '{CROWNHEAD}' hub random\"");
    assert_eq!(forfeits(&asleep, "40ms", "1"), 0);
    let computing = format!("hub:'{CROWNHEAD}' hub alphabeta:depth=9");
    assert_ne!(forfeits(&computing, "1ms", "10"), 0);
}

#[cfg(unix)]
#[test]
fn an_engine_that_cheats_loses_and_the_match_goes_on() {
    let script = "read hub; echo wait; read init; echo ready; \
                  while read line; do case \"$line\" in go*) echo done move=1-2;; esac; done";
    let hub = format!("hub:sh -c '{script}'");
    let report = play(&[&hub, "random", "--variant", "english", "--pairs", "2"]);
    assert_eq!(report["losses"], 4);
    assert_eq!(report["forfeits"]["a"], 4);
    assert_eq!(report["score_without_forfeits"], Value::Null);
    assert_eq!(report["verdict"], "not a measure of strength");
    let forfeits = report["forfeits"]["games"].as_array().unwrap();
    assert_eq!(forfeits.len(), 4);
    assert_eq!(forfeits[0]["round"], "1.1");
    assert_eq!(forfeits[0]["loser"], hub.as_str());
    let fault = forfeits[0]["fault"].as_str().unwrap();
    assert!(fault.starts_with("illegal move `1-2` in "), "{fault}");
}

#[cfg(unix)]
#[test]
fn a_tournament_counts_forfeits_also_those_of_earlier_calls() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read hub; echo wait; read init; echo ready; \
                  while read line; do case \"$line\" in go*) echo done move=1-2;; esac; done";
    let hub = format!("hub:sh -c '{script}'");
    let tournament = |pairs, format| {
        let output = Command::new(CROWNHEAD)
            .args(["tournament", &hub, "random", "--variant", "english"])
            .args(["--pairs", pairs, "--format", format, "--to"])
            .arg(folder.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    tournament("1", "json");
    let report: Value = serde_json::from_str(&tournament("2", "json")).unwrap();
    assert_eq!(report["tournament"]["forfeits"], json!({ hub.as_str(): 4 }));
    let text = tournament("2", "text");
    let headline = format!("4 of 4 games were forfeited: 4 by {hub}.");
    assert!(text.starts_with(&headline), "{text}");
    assert!(text.contains("The ratings are not a measure of strength."));
}

#[cfg(unix)]
#[test]
fn an_engine_that_forfeits_has_no_strength() {
    let script = "read hub; echo wait; read init; echo ready; \
                  while read line; do case \"$line\" in go*) echo done move=1-2;; esac; done";
    let hub = format!("hub:sh -c '{script}'");
    let output = Command::new(CROWNHEAD)
        .args(["strength", &hub, "--variant", "english", "--pairs", "40"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && output.stdout.is_empty(),
        "{error}"
    );
    assert!(error.contains("is not a measure of strength"), "{error}");
}

#[test]
fn an_engine_that_is_not_there_ends_the_match() {
    let args = [
        "match",
        "hub:/no/such/engine",
        "random",
        "--variant",
        "english",
    ];
    let output = crownhead(&args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.contains("failed to start `/no/such/engine`"),
        "{error}"
    );
}
