//! Runs: the list, the live view, the games.

use std::io::{BufRead as _, BufReader};

use rules::{Position, Variant};
use serde_json::Value;
use store::{MetricWriter, RunWriter};

use crate::support::{TestServer, runs, write_loss};

#[test]
fn a_run_is_told_with_all_that_it_has() {
    for variant in Variant::ALL {
        let dir = runs(variant);
        std::fs::create_dir(dir.path().join("no-run")).unwrap();
        let server = TestServer::start(dir);
        let (_, list) = server.get("/api/runs");
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(
            (&list[0]["name"], &list[0]["n_models"]),
            (&"small".into(), &2.into())
        );
        let (_, run) = server.get("/api/runs/small");
        assert_eq!(run["variant"], variant.name());
        assert_eq!(run["champion"], 1);
        let verdict = serde_json::json!({"word": "learning", "reason": "small gains"});
        assert_eq!((&run["verdict"], &list[0]["verdict"]), (&verdict, &verdict));
        assert_eq!(run["models"][0]["elo"], 500.0);
        assert_eq!(run["models"][1]["elo"], Value::Null);
        assert_eq!(run["curves"]["loss/policy"], serde_json::json!([[1, 0.5]]));
        assert_eq!(run["newest_games"].as_array().unwrap().len(), 3);
        assert_eq!(run["newest_games"][0]["number"], 2);
        let (_, players) = server.get(&format!("/api/players/{variant}"));
        let ids: Vec<&str> = players
            .as_array()
            .unwrap()
            .iter()
            .map(|player| player["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids[6..], ["run:small", "run:small@1", "run:small@0"]);
    }
}

#[test]
fn prometheus_reads_the_state_of_the_runs() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let (status, head, body) = server.ask(&server.request("GET", "/metrics", "", ""));
    assert_eq!(status, 200);
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    let labels = format!("run=\"small\",variant=\"{}\"", Variant::ALL[0]);
    assert!(
        body.contains(&format!("crownhead_run_live{{{labels}}} 0\n")),
        "{body}"
    );
}

#[test]
fn the_log_of_a_run_is_told() {
    let dir = runs(Variant::ALL[0]);
    let logs = dir.path().join("small/logs");
    std::fs::create_dir_all(&logs).unwrap();
    for (number, text) in [(1, "begun generation=1\n"), (2, "resumed generation=2\n")] {
        std::fs::write(logs.join(format!("{number:06}.log")), text).unwrap();
    }
    let server = TestServer::start(dir);
    let (_, log) = server.get("/api/runs/small/log");
    let lines = ["begun generation=1", "resumed generation=2"];
    assert_eq!(log, serde_json::json!({"lines": lines, "resumed": [2]}));
    let (_, puzzles) = server.get("/api/puzzles");
    assert_eq!(puzzles, serde_json::json!({"puzzles": []}));
}

#[test]
fn games_come_with_their_values() {
    let dir = runs(Variant::ALL[0]);
    let server = TestServer::start(dir);
    let (_, games) = server.get("/api/runs/small/games/1");
    assert_eq!(games.as_array().unwrap().len(), 3);
    let (status, game) = server.get("/api/runs/small/games/1/2");
    assert_eq!(status, 200);
    assert_eq!(game["has_next"], false);
    assert_eq!(server.get("/api/runs/small/games/1/1").1["has_next"], true);
    let searches = game["searches"].as_array().unwrap();
    assert_eq!(
        searches.len(),
        game["game"]["history"].as_array().unwrap().len()
    );
    // Black moves first, so its winning chances belong to the first mover.
    let value = |ply: usize, key: &str| searches[ply]["value"][key].as_f64().unwrap();
    assert!((value(0, "black") - 0.5).abs() < 0.01);
    assert!((value(1, "white") - 0.5).abs() < 0.01);
    let policy = searches[0]["policy"].as_array().unwrap();
    let legal = Position::start(Variant::ALL[0]).legal_moves().len();
    assert_eq!(policy.len(), legal);
    assert_eq!(
        (&policy[0]["notation"], &policy[0]["from"], &policy[0]["to"]),
        (&"9-13".into(), &9.into(), &13.into())
    );
}

#[test]
fn the_live_view_hears_of_changes() {
    let dir = runs(Variant::ALL[0]);
    let server = TestServer::start(dir);
    let stream = server.send(&server.request("GET", "/api/runs/small/live", "", ""));
    let mut snapshots = BufReader::new(stream).lines().filter_map(|line| {
        let line = line.unwrap();
        let json: Value = serde_json::from_str(line.strip_prefix("data: ")?).unwrap();
        Some(json["curves"]["loss/policy"].clone())
    });
    assert_eq!(snapshots.next().unwrap(), serde_json::json!([[1, 0.5]]));
    let run = RunWriter::open_unchecked(&server.runs.path().join("small"));
    // The lock is free, and the run has no state: it can be opened and written.
    let run = run.unwrap();
    let (mut metrics, _) = MetricWriter::open(&run, |line| line.step <= 1).unwrap();
    write_loss(&mut metrics, 2, 0.25);
    assert_eq!(
        snapshots.next().unwrap(),
        serde_json::json!([[1, 0.5], [2, 0.25]])
    );
}
