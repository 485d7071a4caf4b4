//! Searches: their events, and how they end.

use std::io::Read as _;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rules::Variant;
use serde_json::{Value, json};

use crate::support::{TestServer, runs};

fn question(player: &str) -> Value {
    json!({"game": {"variant": "english"}, "player": player, "seconds": 600})
}

/// The events of a response: kinds and contents.
fn events(body: &str) -> Vec<(String, Value)> {
    let field = |event: &str, name: &str| {
        // The chunks of the transfer have their lengths on separate lines.
        let found = |line: &str| Some(line.strip_prefix(name)?.trim().to_owned());
        event.lines().find_map(found)
    };
    let event = |event| {
        let content = serde_json::from_str(&field(event, "data:")?).unwrap();
        Some((field(event, "event:")?, content))
    };
    body.split("\n\n").filter_map(event).collect()
}

/// Waits until this many endless searches are active.
fn wait_for(server: &TestServer, searches: usize) {
    let start = Instant::now();
    while server.at_work.load(Ordering::SeqCst) != searches {
        assert!(start.elapsed() < Duration::from_secs(20), "{searches}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn begin_endless(server: &TestServer) -> TcpStream {
    server.send(&server.post_text("/api/think", &question("endless").to_string()))
}

#[test]
fn intermediate_results_come_before_the_answer() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    for player in ["first", "run:small", "run:small@1"] {
        let request = server.post_text("/api/think", &question(player).to_string());
        let (status, head, body) = server.ask(&request);
        assert_eq!(status, 200, "{body}");
        assert!(head.contains("text/event-stream"));
        let events = events(&body);
        let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds, ["info", "answer"], "{body}");
        let answer = &events[1].1;
        assert_eq!(answer["lines"].as_array().unwrap().len(), 1);
        let best = &answer["lines"][0];
        assert_eq!(best["moves"].as_array().unwrap().len(), 1);
        assert_eq!(answer["policy"].as_array().unwrap().len(), 7);
        // Black moves first and expects to win.
        assert_eq!(
            best["value"],
            json!({"white": 0.0, "draw": 0.0, "black": 1.0})
        );
    }
}

#[test]
fn endless_analysis_looks_past_forced_moves() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let answer = |moves: &[&str], fen: Option<&str>| {
        let game = json!({"variant": "english", "fen": fen, "moves": moves});
        let question = json!({"game": game, "player": "several", "endless": true, "lines": 2});
        let (_, _, body) = server.ask(&server.post_text("/api/think", &question.to_string()));
        events(&body).pop().unwrap().1
    };
    // Black must capture, and White then has two ways to recapture.
    let found = answer(&["11-15", "22-18"], None);
    let lines = found["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2, "{found}");
    for line in lines {
        assert_eq!(line["moves"][0], "15x22");
        assert_eq!(line["moves"].as_array().unwrap().len(), 2);
        // The player reports each move as a win for the side that has a choice.
        assert_eq!(
            (&line["depth"], &line["proof"]),
            (&json!(6), &json!("white wins within 4 plies"))
        );
        assert_eq!(line["value"]["white"], 1.0);
    }
    // The only move ends the game.
    let found = answer(&[], Some("W:W22:B18"));
    assert_eq!(found["lines"][0]["moves"], json!(["22x15"]));
    assert_eq!(found["lines"][0]["proof"], "white wins within 1 ply");
}

#[test]
fn lines_come_as_asked_for() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    for lines in [None, Some(1), Some(5), Some(10)] {
        let mut question = question("several");
        if let Some(lines) = lines {
            question["lines"] = json!(lines);
        }
        let (_, _, body) = server.ask(&server.post_text("/api/think", &question.to_string()));
        let answer = &events(&body)[1].1;
        let found = answer["lines"].as_array().unwrap();
        // There are 7 legal moves.
        assert_eq!(found.len(), lines.unwrap_or(1).min(7), "{body}");
        for (visits, line) in found.iter().enumerate() {
            assert_eq!(
                (&line["depth"], &line["visits"]),
                (&json!(5), &json!(visits))
            );
            assert_eq!(line["proof"], "black wins within 3 plies");
        }
    }
}

#[test]
fn a_player_that_fails_says_why() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    for player in ["broken", "run:small@0"] {
        let request = server.post_text("/api/think", &question(player).to_string());
        let (_, _, body) = server.ask(&request);
        let failure = ("failure".to_owned(), json!({"error": "it is broken"}));
        assert_eq!(events(&body), [failure], "{player}: {body}");
    }
}

#[test]
fn analysis_without_end_has_all_threads() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let limits = [("simulations", json!(4), 1), ("endless", json!(true), 2)];
    for (key, value, threads) in limits {
        let mut asked = json!({"game": {"variant": Variant::ALL[0].name()}, "player": "threads"});
        asked[key] = value;
        let (_, _, body) = server.ask(&server.post_text("/api/think", &asked.to_string()));
        let failure = json!({"error": format!("it has {threads}")});
        assert_eq!(events(&body), [("failure".to_owned(), failure)], "{body}");
    }
}

#[test]
fn questions_are_checked() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let changed = |key: &str, value: Value| {
        let mut question = question("first");
        question[key] = value;
        question
    };
    for (content, status, hint) in [
        (changed("player", json!("hub:sh -c x")), 404, "no player"),
        (changed("player", json!("model:/etc")), 404, "no player"),
        (changed("player", json!("run:/etc")), 404, "no run"),
        (changed("player", json!("run:small@7")), 404, "000007"),
        (changed("player", json!("run:small@x")), 404, "no player"),
        (changed("game", json!({"variant": "frisian"})), 400, ""),
        (changed("seconds", json!(1e9)), 400, "the maximum is 600"),
        (changed("seconds", json!(-1)), 400, "number of seconds"),
        (changed("simulations", json!(0)), 400, "1 to 65536"),
        (changed("lines", json!(0)), 400, "lines is 0: send 1 to 10"),
        (
            changed("lines", json!(11)),
            400,
            "lines is 11: send 1 to 10",
        ),
        (
            changed("clock", json!({"left_s": 1, "increment_s": 1})),
            400,
            "not both",
        ),
        (changed("ponder", json!(true)), 400, "ponder has no limits"),
        (
            changed("game", json!({"variant": "english", "fen": "B:WK1:B"})),
            400,
            "is over",
        ),
    ] {
        let mut content = content;
        if hint.is_empty() {
            content["player"] = json!("run:small");
        }
        let error = server.refusal("/api/think", &content, status);
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn a_search_ends_when_its_client_goes_away() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let stream = begin_endless(&server);
    wait_for(&server, 1);
    drop(stream);
    wait_for(&server, 0);
}

#[test]
fn searches_are_limited() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let busy = [begin_endless(&server), begin_endless(&server)];
    wait_for(&server, 2);
    let error = server.refusal("/api/think", &question("first"), 503);
    assert!(error.contains("2 searches"), "{error}");
    drop(busy);
    wait_for(&server, 0);
    assert_eq!(
        server
            .ask(&server.post_text("/api/think", &question("first").to_string()))
            .0,
        200
    );
}

#[test]
fn a_search_in_the_time_of_the_other_side_gives_way() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let ahead = |seed: u64| {
        let game = json!({"variant": "english", "moves": ["11-15"]});
        json!({"game": game, "player": "endless", "ponder": true, "seed": seed})
    };
    // The slot of a search that has just ended may take a moment to become free.
    let begin = |seed| {
        let start = Instant::now();
        loop {
            let request = server.post_text("/api/think", &ahead(seed).to_string());
            let mut stream = server.send(&request);
            let mut status = [0; 12];
            stream.read_exact(&mut status).unwrap();
            if &status == b"HTTP/1.1 200" {
                return stream;
            }
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut streams = vec![begin(1), begin(2)];
    wait_for(&server, 2);
    // Pondering does not wait for other searches.
    let error = server.refusal("/api/think", &ahead(3), 503);
    assert!(error.contains("2 searches"), "{error}");
    // The player moves, in the same game.
    let mut asked = question("endless");
    (asked["seed"], asked["seconds"]) = (json!(1), json!(0.02));
    let answer = |asked: &Value| {
        let request = server.post_text("/api/think", &asked.to_string());
        server.ask(&request).0
    };
    assert_eq!(answer(&asked), 200);
    wait_for(&server, 1);
    // Another search starts, and there is no free slot.
    streams.push(begin(1));
    wait_for(&server, 2);
    assert_eq!(answer(&question("first")), 200);
    wait_for(&server, 0);
}

#[test]
fn a_server_that_stops_ends_its_searches() {
    let mut server = TestServer::start(runs(Variant::ALL[0]));
    let mut stream = begin_endless(&server);
    wait_for(&server, 1);
    server.stop();
    wait_for(&server, 0);
    let mut rest = Vec::new();
    // However the connection ends, it does.
    let _ = stream.read_to_end(&mut rest);
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err());
}

#[test]
fn a_move_is_compared_with_the_best_one() {
    let server = TestServer::start(runs(Variant::ALL[0]));
    let ask = |extra: Value| {
        let mut question = question("first");
        question
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let (status, _, body) = server.ask(&server.post_text("/api/think", &question.to_string()));
        (status, body)
    };
    let (status, body) = ask(json!({"played": "9-14"}));
    assert_eq!(status, 200, "{body}");
    let judged = &events(&body).pop().unwrap().1["judged"];
    assert!(
        judged["loss"].is_f64() && judged["value"]["white"].is_f64(),
        "{judged}"
    );
    assert!(
        judged["mark"].is_string() && judged["better"][0].is_string(),
        "{judged}"
    );
    let (status, body) = ask(json!({"played": "9-18"}));
    assert!(status == 400 && body.contains("played: "), "{body}");
    let (status, body) = ask(json!({"played": "9-14", "seconds": null, "endless": true}));
    assert!(status == 400 && body.contains("no endless"), "{body}");
}
