//! Tests of `crownhead rate`.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const GAMES: &str = "\
[GameType \"21\"]
[White \"b\"]
[Black \"a\"]
[Result \"1-0\"]

1. 11-15 23-19 *

[White \"a\"]
[Black \"b\"]
[Result \"1/2-1/2\"]

[White \"a\"]
[Black \"?\"]
[Result \"1-0\"]

[White \"c\"]
[Black \"d\"]
[Result \"1-0\"]
";

/// Rates games from standard input.
fn rate(games: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["rate", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // After a usage error the program does not read the games.
    let _ = stdin.write_all(games.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn json_keeps_its_promises() {
    let output = rate(GAMES, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stderr),
        "-: games with an unnamed player, not counted: 1 (the first at line 12)\n"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let players = report["players"].as_array().unwrap();
    let names: Vec<&str> = players
        .iter()
        .map(|player| player["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    for key in ["elo", "ci95", "score", "draws"] {
        assert!(players.iter().all(|player| player[key].is_f64()), "{key}");
    }
    assert_eq!(
        (&players[0]["games"], &players[0]["score"]),
        (&Value::from(2), &Value::from(0.75))
    );
    assert!(players[0]["los_next"].as_f64().unwrap() > 0.5 && players[1]["los_next"].is_null());
    assert!(report["advantage"].is_f64() && report["draw_elo"].is_f64());
    let components = report["components"].as_array().unwrap();
    assert_eq!(components.len(), 2);
    assert_eq!(components[1]["bounded"], false);
    assert_eq!(report["left_out"]["unnamed"], 1);
}

#[test]
fn csv_and_text_rate_the_same_games() {
    let output = rate(GAMES, &["--format", "csv", "--anchor", "b", "--prior", "0"]);
    let csv = text(&output.stdout);
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.contains("\r\n1,2,b,0.00,0.00,2,"), "{csv}");
    let output = rate(GAMES, &["--model", "davidson"]);
    let table = text(&output.stdout);
    assert!(
        table.contains("Component 2 of 2") && table.contains("Davidson"),
        "{table}"
    );
}

#[test]
fn mistakes_are_located() {
    for (games, args, code, hint) in [
        (
            "[White \"a\"]\n[Black a]\n",
            &[][..],
            1,
            "the first: line 2: `[Black a]` is not a tag",
        ),
        (
            "[White \"a\"]\n[Black \"b\"]\n*\n",
            &[],
            1,
            "there is nothing to rate",
        ),
        (
            GAMES,
            &["--anchor", "e"],
            2,
            "the anchor \"e\" has no rated game",
        ),
        (GAMES, &["--prior", "-1"], 2, "from 0 to 1000000"),
        (
            GAMES,
            &["no-such-file.pdn"],
            1,
            "failed to read no-such-file.pdn",
        ),
    ] {
        let output = rate(games, args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(
            text(&output.stderr).contains(hint),
            "{}",
            text(&output.stderr)
        );
        assert_eq!(text(&output.stdout), "");
    }
}
