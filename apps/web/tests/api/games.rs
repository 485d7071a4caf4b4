//! Positions, games and their notation.

use rules::{Game, Position, Variant};
use serde_json::{Value, json};

use crate::support::{TestServer, runs};

fn server() -> TestServer {
    TestServer::start(runs(Variant::ALL[0]))
}

#[test]
fn boards_have_all_their_squares_in_dark_places() {
    let (status, variants) = server().get("/api/variants");
    assert_eq!(status, 200);
    for (variant, view) in Variant::ALL.iter().zip(variants.as_array().unwrap()) {
        assert_eq!(view["name"], variant.name());
        let size = view["size"].as_u64().unwrap();
        let squares = view["squares"].as_array().unwrap();
        assert_eq!(squares.len() as u64, size * size / 2);
        let number = |key: &str, square: &Value| square[key].as_u64().unwrap();
        // The dark corner may be on either side.
        let corner = (number("row", &squares[0]) + number("column", &squares[0])) % 2;
        for (square, index) in squares.iter().zip(1..) {
            let (row, column) = (number("row", square), number("column", square));
            assert!(row < size && column < size && (row + column) % 2 == corner);
            let place = variant.board().place(index).unwrap();
            assert_eq!((row as usize, column as usize), place, "{variant} {index}");
        }
    }
}

/// Plays a game through the server and compares each position with the rules.
#[test]
fn games_are_those_of_the_rules() {
    let server = server();
    for variant in Variant::ALL {
        let mut game = Game::new(Position::start(variant));
        let mut moves: Vec<String> = Vec::new();
        for ply in 0..40 {
            let text = json!({"variant": variant.name(), "moves": moves});
            let (status, view) = server.post("/api/game", &text);
            assert_eq!(status, 200, "{view}");
            assert_eq!(view["fen"], game.position().to_fen());
            assert_eq!(view["history"].as_array().unwrap().len(), ply);
            let listed = view["moves"].as_array().unwrap();
            if game.outcome().is_some() {
                assert!(listed.is_empty() && view["status"] != "ongoing");
                break;
            }
            let mut legal = game.legal_moves();
            legal.sort_canonical();
            assert_eq!(listed.len(), legal.len());
            let choice = (5 * ply + 2) % legal.len();
            let paths = listed[choice]["paths"].as_array().unwrap();
            assert_eq!(paths[0][0], listed[choice]["from"]);
            moves.push(listed[choice]["notation"].as_str().unwrap().to_owned());
            game.play(legal[choice]);
        }
    }
}

#[test]
fn a_game_goes_to_pdn_and_back() {
    let server = server();
    for variant in Variant::ALL {
        let mut game = Game::new(Position::start(variant));
        let mut moves = Vec::new();
        for ply in 0..12 {
            let legal = game.legal_moves();
            let mv = legal[ply % legal.len()];
            moves.push(game.position().move_text(mv));
            game.play(mv);
        }
        let line: Vec<Value> = moves.iter().map(|text| json!({"move": text})).collect();
        let order = json!({
            "variant": variant.name(), "line": line, "white": "Ann", "black": "B \"b\"",
            "ended": {"status": "black", "reason": "time"},
        });
        let (status, pdn) = server.post("/api/pdn/write", &order);
        assert_eq!(status, 200, "{pdn}");
        // Tags take precedence over the requested game.
        let read = json!({"text": pdn["text"], "variant": Variant::ALL[0].name()});
        let (status, read) = server.post("/api/pdn/read", &read);
        assert_eq!(status, 200, "{read}");
        assert_eq!(read["game"]["fen"], game.position().to_fen());
        assert_eq!(read["game"]["variant"], variant.name());
        assert_eq!(read["result"], "black");
    }
}

#[test]
fn variations_comments_and_marks_go_to_pdn_and_back() {
    let server = server();
    let ply = |text: &str, glyph: &str, comment: &str, variations: Value| json!({"move": text, "glyph": glyph, "comment": comment, "variations": variations});
    let none = || json!([]);
    let deep = json!([[ply("23-18", "", "sharp {", none())]]);
    let variation = json!([
        ply("12-16", "?!", "", none()),
        ply("24-20", "", "better", deep)
    ]);
    let line = json!([
        ply(
            "11-15",
            "!",
            "the old fourteenth",
            json!([variation, [ply("9-13", "", "", none())]])
        ),
        ply("23-19", "??", "", none()),
    ]);
    let order =
        json!({"variant": "english", "line": line, "comment": "a study", "white": "", "black": ""});
    let (status, pdn) = server.post("/api/pdn/write", &order);
    assert_eq!(status, 200, "{pdn}");
    let read = json!({"text": pdn["text"], "variant": "english"});
    let (_, read) = server.post("/api/pdn/read", &read);
    assert_eq!(
        (&read["line"], &read["comment"]),
        (&line, &json!("a study")),
        "{pdn}"
    );
    // The illegal part of a variation becomes a comment.
    let text = "1. 11-15 (1. 12-16 24-20 wins 1-99) 23-19 *";
    let (_, read) = server.post(
        "/api/pdn/read",
        &json!({"text": text, "variant": "english"}),
    );
    let variation = &read["line"][0]["variations"][0];
    assert_eq!(variation.as_array().unwrap().len(), 2, "{read}");
    assert_eq!(variation[1]["comment"], "wins 1-99");
}

#[test]
fn every_game_of_a_pdn_can_be_read() {
    let server = server();
    // In english, 1-0 in a PDN means that Black, who moves first, has won.
    let text = "[White \"Dan\"]\n1. 11-99 *\n\n\
                [White \"Ann\"]\n[Black \"Ben\"]\n1. 11-15 1-0\n\n\
                [White \"Cleo\"]\n1. 12-16 23-19 1/2-1/2\n";
    let read = |game: Option<usize>| {
        let content = json!({"text": text, "variant": "english", "game": game});
        server.post("/api/pdn/read", &content)
    };
    let (status, last) = read(Some(2));
    assert_eq!(status, 200, "{last}");
    assert_eq!(last["game"]["history"].as_array().unwrap().len(), 2);
    let expected = [
        (json!("Dan"), Value::Null, "ongoing"),
        (json!("Ann"), json!("Ben"), "black"),
        (json!("Cleo"), Value::Null, "draw"),
    ];
    let games = last["games"].as_array().unwrap();
    assert_eq!(games.len(), expected.len());
    for (game, (white, black, result)) in games.iter().zip(expected) {
        assert_eq!((&game["white"], &game["black"]), (&white, &black));
        assert_eq!(game["result"], result);
    }
    let error = games[0]["error"].as_str().unwrap();
    assert!(error.contains("ply 1"), "{error}");
    assert_eq!(games[1]["error"], Value::Null);

    // Without a requested game, the first readable one is returned.
    let (_, first) = read(None);
    assert_eq!(first["index"], 1);
    assert_eq!(first["game"]["history"][0]["notation"], "11-15");
    for (game, hint) in [(0, "ply 1"), (3, "no game 4 in the PDN: it has 3")] {
        let (status, problem) = read(Some(game));
        let error = problem["error"].as_str().unwrap();
        assert!(status == 400 && error.contains(hint), "{status} {error}");
    }
}

#[test]
fn mistakes_are_explained() {
    let server = server();
    for (content, hint) in [
        (json!({"variant": "chess"}), "unknown variant"),
        (json!({"variant": "english", "fen": "W:W1"}), "FEN"),
        (
            json!({"variant": "english", "moves": ["11-15", "11-15"]}),
            "move 2: ",
        ),
        (
            json!({"variant": "english", "moves": ["11"]}),
            "move 1: `11` is not a move",
        ),
        (
            json!({"variant": "english", "fen": "B:WK1:B", "moves": ["1-5"]}),
            "move 1: ",
        ),
        (
            json!({"variant": "english", "moves": vec!["1-5"; 3000]}),
            "the maximum is 2000",
        ),
    ] {
        let error = server.refusal("/api/game", &content, 400);
        assert!(error.contains(hint), "{error}");
    }
    for (text, hint) in [("", "no game"), ("1. 11-99", "ply 1"), ("[White", "line 1")] {
        let content = json!({"text": text, "variant": "english"});
        let error = server.refusal("/api/pdn/read", &content, 400);
        assert!(error.contains(hint), "{error}");
    }
    let order = json!({
        "variant": "english", "line": [], "white": "", "black": "",
        "ended": {"status": "red", "reason": "time"},
    });
    let error = server.refusal("/api/pdn/write", &order, 400);
    assert!(error.contains("write white, black or draw"), "{error}");
}

#[test]
fn a_database_says_what_moves_are_worth() {
    let server = server();
    let show = |fen: &str| {
        let text = json!({"variant": "english", "fen": fen});
        server.post("/api/game", &text).1
    };
    // Two kings against one: some moves win, and one of them is the fastest.
    let view = show("W:WK14,K15:BK28");
    let truth = |view: &Value| {
        (
            view["truth"]["result"].clone(),
            view["truth"]["plies"].as_u64(),
        )
    };
    let (result, plies) = truth(&view);
    assert_eq!(result, "white");
    let moves = view["moves"].as_array().unwrap();
    let winning = moves
        .iter()
        .map(truth)
        .filter(|(result, _)| result == "white");
    let quickest = winning.filter_map(|(_, plies)| plies).min();
    assert!(plies.is_some() && plies == quickest, "{view}");
    assert_eq!(view["truth"]["is_bound"], false);
    assert_eq!(view["truth"]["is_settled"], true);
    // A capture leads to a known position; one with more pieces is not.
    let view = show("W:WK14,32:B18,K4");
    let known = |view: &Value| view["moves"][0]["truth"]["result"].clone();
    assert!(view["truth"].is_null());
    assert_eq!(known(&view), "white", "{view}");
    let view = show("W:WK14,32,31:B2,K4");
    assert!(known(&view).is_null(), "{view}");
    let (view, over) = (show("W:WK23:BK32"), show("B:WK1:B"));
    assert_eq!(truth(&view), (json!("draw"), None));
    assert!(over["truth"].is_null());
}

#[test]
fn a_book_and_games_tell_how_games_continued() {
    let server = server();
    let english = Variant::ALL[0].name();
    let ask = |moves: &[&str]| {
        let (status, book) = server.post("/api/book", &json!({"variant": english, "moves": moves}));
        assert_eq!(status, 200, "{book}");
        book
    };
    let played = |notation: &str| {
        let counts = json!({"white": 0, "draw": 0, "black": 1, "open": 0});
        let mut moves = json!([counts]);
        moves[0]["notation"] = json!(notation);
        moves
    };
    assert_eq!(ask(&[])["name"], "test.book");
    assert_eq!(ask(&[])["moves"], played("11-15"));
    assert_eq!(ask(&["11-15"])["moves"], played("23-19"));
    assert_eq!(ask(&["11-16"])["moves"], json!([]));
    let other = json!({"variant": Variant::ALL[1].name()});
    assert_eq!(server.post("/api/book", &other).1, json!(null));

    let text = "[Result \"1-0\"]\n1. 11-15 23-19 1-0\n";
    let order = json!({"variant": english, "text": text});
    let (status, counted) = server.post("/api/openings", &order);
    assert_eq!((status, &counted["games"]), (200, &json!(1)), "{counted}");
    let start = format!("b{}{}{}", "b".repeat(12), ".".repeat(8), "w".repeat(12));
    assert_eq!(counted["positions"][start], played("11-15"));
    let unknown = json!({"variant": "none"});
    assert!(
        server
            .refusal("/api/openings", &unknown, 400)
            .contains("none")
    );
}
