//! Requests that the page would never send: seeds of the fuzz target `page`, each also with every
//! byte changed.

#[path = "../../../fuzz/bodies/page.rs"]
mod body;
#[path = "../../../fuzz/bodies/seeds.rs"]
mod seeds;

/// Characters with a meaning in JSON, PDN or FEN.
const ALPHABET: &[u8] = b"\"\\{}[](),:-0x$;*eE\xff\0";

/// The kind of request, and its text.
const SEEDS: [(u8, &str); 11] = [
    (
        0,
        r#"{"variant": "english", "moves": ["11-15", "22-18", "15x22"]}"#,
    ),
    (
        0,
        r#"{"variant": "frisian", "fen": "W:WK28,30:BK2:H3:F7", "moves": ["28-33"]}"#,
    ),
    (
        1,
        r#"{"game": {"variant": "thai"}, "player": "x", "seconds": 0.5, "lines": 3, "seed": 7}"#,
    ),
    (
        1,
        r#"{"game": {"variant": "english"}, "player": "x", "clock": {"left_s": 1e3, "increment_s": 0, "moves": 40}}"#,
    ),
    (
        1,
        r#"{"game": {"variant": "english"}, "player": "x", "endless": true, "simulations": 64}"#,
    ),
    (
        1,
        r#"{"game": {"variant": "english"}, "player": "x", "ponder": true, "seed": 64}"#,
    ),
    (
        2,
        r#"{"variant": "english", "white": "a", "black": "b", "line": [{"move": "11-15", "glyph": "!",
        "variations": [[{"move": "9-13", "comment": "c"}]]}], "ended": {"status": "white", "reason": "time"}}"#,
    ),
    (
        3,
        r#"{"variant": "english", "game": 1, "text": "1. 11-15 * [White \"a\"] 1. 9-13 (1. 10-14 $1 {c}) *"}"#,
    ),
    (
        4,
        "[White \"a\"]\n[FEN \"W:W22:B18\"]\n1. 22x15 {c} (1. 22x15 ! (1. x)) / s / 1-0",
    ),
    (
        5,
        r#"{"variant": "english", "text": "1. 11-15 *", "games": [{"fen": "W:W22:B18", "moves": ["22x15"], "result": "white"}]}"#,
    ),
    (
        4,
        "[GameType \"25\"] 1. c3-d4 d6-c5 2. b4xd6 e7xc5 2-0 ; rest\n% rest",
    ),
];

fn check(kind: u8, text: &[u8]) {
    body::page(&[&[kind], text].concat());
}

#[test]
fn every_byte_may_be_another_one() {
    for (kind, text) in SEEDS {
        check(kind, text.as_bytes());
        for at in 0..text.len() {
            check(kind, &text.as_bytes()[..at]);
            for byte in ALPHABET {
                let mut changed = text.as_bytes().to_vec();
                changed[at] = *byte;
                check(kind, &changed);
                changed.insert(at, text.as_bytes()[at]);
                check(kind, &changed);
            }
        }
    }
}

/// As much of everything as fits into a request.
#[test]
fn depth_and_length_are_no_matter() {
    const SIZE: usize = 60_000;
    let fill = |text: &str| text.repeat(SIZE / text.len());
    let deep = fill(r#"[{"move":"11-15","variations":["#);
    let long = fill(r#"{"move":"11-15"},"#);
    for line in [deep, fill("["), long] {
        check(
            2,
            format!(r#"{{"variant":"english","white":"","black":"","line":[{line}"#).as_bytes(),
        );
    }
    for number in [
        fill("9"),
        format!("1e{}", fill("9")),
        "-0".into(),
        "1e309".into(),
        "NaN".into(),
    ] {
        for name in ["seconds", "simulations", "lines", "seed"] {
            let text = format!(r#"{{"game":{{"variant":"thai"}},"player":"","{name}":{number}}}"#);
            check(1, text.as_bytes());
        }
    }
    for fen in [
        fill("W"),
        format!("W:W{}", fill("1,")),
        format!("W:W1:B2:H{}", fill("9")),
    ] {
        check(
            0,
            format!(r#"{{"variant":"english","fen":"{fen}"}}"#).as_bytes(),
        );
    }
    for text in [
        "(",
        "1. 11-15 (",
        "{",
        "/",
        "[",
        "[a \"",
        "$",
        "1.",
        "*",
        "11-15 ",
        "\u{feff}",
    ] {
        check(4, fill(text).as_bytes());
    }
    let there_and_back = "1. 11-15 22-18 2. 15-11 18-22 ".repeat(SIZE / 30);
    check(
        4,
        format!("[FEN \"W:WK1,K11:BK32,K22\"] {there_and_back}").as_bytes(),
    );
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(include_str!("../../../fuzz/seeds/page.hex"), body::page);
}

#[test]
fn games_are_limited() {
    let error = |n: usize| {
        let text = serde_json::json!({"variant": "english", "moves": vec!["x"; n]});
        let game: page::GameText = serde_json::from_value(text).expect("it has this form");
        game.replay().err().expect("no game").0
    };
    assert!(error(2000).starts_with("move 1: "), "{}", error(2000));
    assert_eq!(error(2001), "the game has 2001 moves: the maximum is 2000");
}
