//! The contract with other programs: the JSON of commands, their streams and exit status.

use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn crownhead(args: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_ref())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The lines of JSON that a command prints when it succeeds.
fn lines(args: &[&str]) -> Vec<Value> {
    let output = crownhead(args, "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The message of an invalid command line.
fn usage_error(args: &[&str]) -> String {
    let output = crownhead(args, "");
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert_eq!(text(&output.stdout), "");
    text(&output.stderr).to_owned()
}

/// Other programs may compare the version; the commit is for people, and missing outside of git.
#[test]
fn the_version_comes_first() {
    let output = crownhead(&["--version"], "");
    let printed = text(&output.stdout).trim_end();
    let rest = printed.strip_prefix(concat!("crownhead ", env!("CARGO_PKG_VERSION")));
    let commit = rest.expect("name and version").trim();
    let hex = commit.trim_start_matches('(').trim_end_matches(')');
    let is_commit = hex.len() >= 9 && hex.chars().all(|digit| digit.is_ascii_hexdigit());
    assert!(commit.is_empty() || is_commit, "{printed}");
}

#[test]
fn rules_explain_each_game() {
    let list = crownhead(&["rules"], "");
    let names: Vec<&str> = text(&list.stdout)
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        names.len() >= 11 && names.contains(&"frisian-plain"),
        "{names:?}"
    );
    let card = crownhead(&["rules", "frisian"], "");
    assert!(text(&card.stdout).contains("White plays 28x30. Legal: 28x30\n"));
    let card = lines(&["rules", "frisian", "--format", "json"]).remove(0);
    assert_eq!(card["points"][0]["example"]["move"], "28x30");
    assert_eq!(card["draws"].as_array().unwrap().len(), 4);
}

#[test]
fn perft_counts_every_depth() {
    let report = lines(&["perft", "frisian", "4", "--format", "json"]).remove(0);
    assert_eq!(report["variant"], "frisian");
    assert_eq!(report["nodes"], json!([9, 81, 658, 3874]));
    assert!(report["seconds"].is_f64());
    let fen = report["fen"].as_str().unwrap();
    let again = lines(&["--format", "json", "perft", "frisian", "4", "--fen", fen]).remove(0);
    assert_eq!(
        (&again["fen"], &again["nodes"]),
        (&report["fen"], &report["nodes"])
    );
}

#[test]
fn divide_adds_up() {
    let report = lines(&["perft", "english", "5", "--divide", "--format=json"]).remove(0);
    let branches = report["divide"].as_array().unwrap();
    let sum: u64 = branches
        .iter()
        .map(|branch| branch["nodes"].as_u64().unwrap())
        .sum();
    assert_eq!((branches.len(), sum), (7, 7361));
    assert_eq!(branches[0]["move"], "9-13");
}

#[test]
fn moves_tell_paths_captures_and_what_follows() {
    let fen = "W:W22:B9,10,17,18";
    let listing = lines(&["moves", "english", "--fen", fen, "--format", "json"]).remove(0);
    let expected = json!({
        "fen": "W:W22:B9,10,17,18:H0:F1",
        "status": "ongoing",
        "reason": "",
        "moves": [
            {"notation": "22x13x6", "from": 22, "to": 6, "captured": [9, 17],
             "path": [22, 13, 6], "fen_after": "B:W6:B10,18:H0:F2"},
            {"notation": "22x15x6", "from": 22, "to": 6, "captured": [10, 18],
             "path": [22, 15, 6], "fen_after": "B:W6:B9,17:H0:F2"},
        ],
    });
    assert_eq!(listing, expected);
}

#[test]
fn a_position_a_line_is_answered_by_a_line() {
    let input = b"B:W25,30:B21\r\n\nnonsense \xff\nW:WK1:BK32:H80\nstart\n";
    let output = crownhead(&["moves", "english", "--stdin", "--format", "json"], input);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(
        error.starts_with("line 3: cannot read the FEN \"nonsense \u{fffd}\": "),
        "{error}"
    );
    let listings: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listings.len(), 3);
    assert_eq!(
        (&listings[0]["status"], &listings[0]["reason"]),
        (&json!("white"), &json!("blocked"))
    );
    assert_eq!(listings[0]["moves"], json!([]));
    assert_eq!(
        (&listings[1]["status"], &listings[1]["reason"]),
        (&json!("draw"), &json!("no-progress"))
    );
    assert_eq!(listings[1]["moves"].as_array().unwrap().len(), 2);
    assert_eq!(listings[2]["moves"].as_array().unwrap().len(), 7);
}

#[test]
fn a_line_has_a_limit() {
    let fen = "W:WK1:BK32:H80";
    let line = |length: usize| format!("{fen}{}", " ".repeat(length - fen.len()));
    let input = format!("{}\n{}\n{fen}\n", line(4096), line(4097));
    let output = crownhead(&["moves", "english", "--stdin", "--format", "json"], input);
    assert_eq!(
        text(&output.stderr).lines().next(),
        Some("line 2: it is longer than the limit of 4096 bytes")
    );
    assert_eq!(text(&output.stdout).lines().count(), 2);
}

#[test]
fn answers_come_line_by_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["moves", "thai", "--stdin", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for _ in 0..2 {
        stdin.write_all(b"W:WK1:BK32\n").unwrap();
        let mut answer = [0];
        while answer != *b"\n" {
            stdout.read_exact(&mut answer).unwrap();
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn every_variant_has_a_configuration() {
    for variant in rules::Variant::ALL {
        let shown = lines(&["config", "show", variant.name(), "--format", "json"]).remove(0);
        assert_eq!(shown["variant"], variant.name());
        let config = &shown["config"];
        for (section, key) in [
            ("model", "preset"),
            ("search", "mode"),
            ("search", "simulations"),
            ("selfplay", "games_per_generation"),
            ("train", "batch_size"),
            ("train", "learning_rate"),
            ("gate", "max_pairs"),
        ] {
            assert!(!config[section][key].is_null(), "{section}.{key}");
            assert!(shown["origins"][format!("{section}.{key}")].is_string());
        }
        assert!(config["seed"].is_u64() && config["threads"].is_u64());
    }
}

#[test]
fn config_show_is_itself_a_configuration() {
    let shown = crownhead(
        &["config", "show", "thai", "--set", "search.simulations=99"],
        "",
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shown.toml");
    std::fs::write(&file, &shown.stdout).unwrap();
    let args = [
        "config",
        "show",
        "thai",
        "--config",
        file.to_str().unwrap(),
        "--format",
        "json",
    ];
    let again = lines(&args).remove(0);
    assert_eq!(again["config"]["search"]["simulations"], 99);
    let origin = again["origins"]["search.simulations"].as_str().unwrap();
    assert!(origin.contains("shown.toml:"), "{origin}");
}

#[test]
fn settings_are_explained() {
    let all = lines(&["config", "explain", "--format", "json"]);
    let section = lines(&["config", "explain", "search", "--format", "json"]);
    let one = lines(&["config", "explain", "search.mode", "--format", "json"]);
    assert!(all.len() > section.len() && section.len() > one.len());
    assert_eq!((one.len(), &one[0]["default"]), (1, &json!("gumbel")));
    assert!(
        one[0]["meaning"]
            .as_str()
            .unwrap()
            .contains("One of: gumbel, puct.")
    );
}

#[test]
fn a_plan_names_the_command_to_give() {
    let given = ["--positions-per-s", "27000", "--samples-per-s", "30000"];
    let plan = [
        &["plan", "english", "--hours", "12", "--machines", "2"],
        &given[..],
    ]
    .concat();
    let document = lines(&[&plan[..], &["--format", "json"]].concat()).remove(0);
    let train = "crownhead train english --fleet /shared/english --for 12h";
    assert_eq!(document["commands"][0], train);
    let usual = &document["outlooks"][0];
    assert_eq!(
        (&usual["preset"], &usual["simulations"]),
        (&json!("nano"), &json!(32))
    );
    assert!(usual["course"][2]["ci95"].as_f64().unwrap() > 0.0);
    let shown = crownhead(&plan, "");
    assert!(
        text(&shown.stdout).contains(train),
        "{}",
        text(&shown.stdout)
    );
}

#[test]
fn a_plan_may_be_asked_for_with_a_duration() {
    let given = ["--positions-per-s", "27000", "--samples-per-s", "30000"];
    let plan = |time: [&str; 2]| {
        let args = ["plan", "english", time[0], time[1], "--format", "json"];
        lines(&[&args[..], &given].concat()).remove(0)
    };
    assert_eq!(plan(["--for", "12h"]), plan(["--hours", "12"]));
    let short = [&["plan", "english", "--for", "1s"], &given[..]].concat();
    assert!(usage_error(&short).contains("write 36s to 100000h"));
}

#[test]
fn a_game_has_several_names_and_prints_one() {
    let count = |args: &[&str]| {
        let mut report = lines(&[args, &["--format", "json"]].concat()).remove(0);
        report["seconds"] = Value::Null;
        report
    };
    let perft = |name: &str| count(&["perft", name, "3"]);
    assert_eq!(perft("checkers"), perft("english"));
    assert_eq!(perft("Makhos")["variant"], "thai");
    let moves = ["moves", "--variant", "american", "--format", "json"];
    assert_eq!(
        lines(&moves),
        lines(&["moves", "english", "--format", "json"])
    );
    for (name, hint) in [
        ("10x10", "write frisian, ringboard, international, "),
        ("frysk", "five men a side"),
        ("chekers", "did you mean `checkers`"),
    ] {
        let message = usage_error(&["rules", name]);
        assert!(message.contains(hint), "{message}");
    }
    let message = usage_error(&["rules", "chess"]);
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn wrong_usage_is_explained() {
    for (args, hint) in [
        (&["perft", "frisan", "3"][..], "did you mean `frisian`"),
        (&["perft", "english", "0"], "0 is not in 1..=64"),
        (
            &["perft", "english", "3", "--fen", "x"],
            "cannot read the FEN",
        ),
        (
            &["config", "show", "thai", "--preset", "smal"],
            "did you mean `small`",
        ),
        (
            &["config", "show", "thai", "--set", "sede=1"],
            "did you mean `seed`",
        ),
        (&["config", "show", "thai", "--seed", "x"], "--seed"),
        (&["config", "explain", "serch"], "unknown key `serch`"),
        (
            &["plan", "english", "--hours", "0"],
            "write a number from 0.01",
        ),
        (
            &["plan", "english", "--hours", "1", "--samples-per-s", "9"],
            "--positions-per-s",
        ),
        (
            &["analyse", "games.pdn", "--lines", "3"],
            "cannot be used with",
        ),
        (
            &["book", "openings", "pool", "--drawn"],
            "no list of drawn openings of pool",
        ),
        (
            &["--format", "yaml", "perft", "english", "3"],
            "possible values: text, json",
        ),
    ] {
        let message = usage_error(args);
        assert!(message.contains(hint), "{args:?}: {message}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [
        "moves english --stdin",
        "moves english --stdin --format json",
        "rules english --format json",
        "config explain --format json",
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
            .args(args.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        // The process may end before it has read everything.
        let _ = stdin.write_all("B:W25,30:B21\n".repeat(10_000).as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let end = (output.status.code(), text(&output.stderr));
        assert_eq!(end, (Some(0), ""), "{args}");
    }
}

#[test]
fn files_are_written_although_a_reader_goes_away() {
    let dir = tempfile::tempdir().unwrap();
    let game = "[GameType \"21\"]\n1. 11-15 23-19 *\n\n";
    std::fs::write(dir.path().join("games.pdn"), game.repeat(3)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(["analyse", "games.pdn", "--nodes", "9", "--to", "to.pdn"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(dir.path().join("to.pdn")).unwrap();
    assert_eq!(written.matches("11-15").count(), 3, "{written}");
}

#[test]
fn a_page_tells_which_named_folders_are_missing() {
    let said = |args: &[&str]| {
        let output = crownhead(&[&["serve", "--puzzles", "no/puzzles"], args].concat(), "");
        text(&output.stderr).to_owned()
    };
    let named = said(&["--runs", "no/runs", "--endgames", "no/databases"]);
    for folder in ["no/runs", "no/databases"] {
        assert!(
            named.contains(&format!("there is no folder {folder}\n")),
            "{named}"
        );
    }
    assert!(!said(&[]).contains("there is no folder"));
}
