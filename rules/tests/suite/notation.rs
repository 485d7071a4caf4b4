//! Move text: parsing, formatting, and error messages.

use rules::{Position, Variant};

const CIRCLE: &str = "W:WK6:B9,10,17,18";

fn position(variant: Variant, fen: &str) -> Position {
    Position::from_fen(variant, fen).unwrap()
}

/// Parses a move and formats it again.
fn rewritten(position: &Position, text: &str) -> String {
    position
        .parse_move(text)
        .map_or_else(|error| error.to_string(), |mv| position.move_text(mv))
}

#[test]
fn the_letter_that_sounds_like_h_is_a_column_too() {
    let start = Position::start(Variant::Russian);
    for text in ["g3-h4", "гх4", "g3-х4", "g3х4", "Г3 - Х4"] {
        assert_eq!(rewritten(&start, text), "g3-h4", "{text}");
    }
    assert_eq!(rewritten(&start, "c3хd4"), "c3-d4");
    let international = Position::start(Variant::International);
    assert_eq!(rewritten(&international, "32х28"), "32-28");
}

#[test]
fn captures_are_read_in_any_form() {
    let english = position(Variant::English, "W:W27,28:B14,23,24");
    for text in [
        "27x9",
        "27-9",
        "27:9",
        "27x18x9",
        "27-18-9",
        " 027 x 09 ",
        "27X18:9",
        "27×9",
    ] {
        assert_eq!(rewritten(&english, text), "27x9", "{text}");
    }
    for text in ["6x6", "6x13x22x15x6", "6x15x22x13x6", "6x22x6", "6x15x6"] {
        assert_eq!(
            rewritten(&position(Variant::English, CIRCLE), text),
            "6x6",
            "{text}"
        );
    }
}

#[test]
fn listed_squares_tell_captures_with_the_same_ends_apart() {
    let e7 = position(Variant::English, "W:W22:B9,10,17,18");
    assert_eq!(rewritten(&e7, "22x13x6"), "22x13x6");
    assert_eq!(rewritten(&e7, "22x15x6"), "22x15x6");
    assert_eq!(
        e7.parse_move("22x6").unwrap_err().to_string(),
        "`22x6` could be 22x13x6 or 22x15x6: write every landing square"
    );
    // C3: a complete path takes precedence over a match with part of another path.
    let c3 = position(Variant::Customary, CIRCLE);
    assert_eq!(rewritten(&c3, "6x13"), "6x13");
    assert_eq!(rewritten(&c3, "6x22x13"), "6x15x22x13");
    assert_eq!(rewritten(&c3, "6x13x22"), "6x13x22");
    assert!(rewritten(&c3, "6x22").contains("could be 6x13x22 or 6x15x22"));
}

#[test]
fn squares_that_a_king_only_crosses_are_not_on_its_path() {
    let f12 = position(Variant::Frisian, "W:WK28:B9,18,20,29");
    let text = f12.move_text(f12.parse_move("28x27").unwrap());
    assert_eq!(text, "28x27");
    let path = f12.path(f12.parse_move("28x27").unwrap());
    assert_eq!(
        (path.len(), path[0], path[4]),
        (
            5,
            f12.board().square(28).unwrap(),
            f12.board().square(27).unwrap()
        )
    );
}

#[test]
fn errors_say_what_is_wrong_and_how_to_mend_it() {
    let start = Position::start(Variant::English);
    let error = |text: &str| start.parse_move(text).unwrap_err().to_string();
    let syntax = |text: &str| {
        format!(
            "`{text}` is not a move: write squares with - or x between them, such as 11-15 or 15x22"
        )
    };
    for text in [
        "",
        "11",
        "i3-b4",
        "a2-b4",
        "3b-b4",
        "a3-b",
        "11-",
        "-15",
        "11--15",
        "11 15",
        "+11-15",
        "99999999999999999999-1",
    ] {
        assert_eq!(error(text), syntax(text), "{text}");
    }
    assert_eq!(
        error("11-33"),
        "square 33 in move `11-33` is not on the board: its squares are 1 to 32"
    );
    assert_eq!(
        error("11-11"),
        "`11-11` is not a legal move here: try 11-15, 11-16"
    );
    assert_eq!(
        error("11-15-19"),
        "`11-15-19` is not a legal move here: try 11-15, 11-16"
    );
    assert_eq!(
        error("22-18"),
        "`22-18` is not a legal move here: try 9-13, 10-14, 11-15, 12-16, 9-14, 10-15, 11-16"
    );
    let lost = position(Variant::English, "B:W25,30:B21");
    assert_eq!(
        lost.parse_move("21-25").unwrap_err().to_string(),
        "`21-25` is not a legal move here: the side to move has no move"
    );
}

/// A composed position in which a single king has millions of ways to capture.
#[test]
fn long_walks_end_soon() {
    let fen = "W:WK5:B4,8,10,11,13,16,19,20,21,24,27,29,30,33,35,36,38,41,42,K47";
    let position = position(Variant::Frisian, fen);
    let moves = position.legal_moves();
    assert_eq!(moves.len(), 1);
    assert_eq!(
        position.parse_move(&position.move_text_among(moves[0], &moves)),
        Ok(moves[0])
    );
}

#[test]
fn every_way_to_make_a_capture_is_listed() {
    let numbers = |fen, mv, limit| -> Vec<Vec<usize>> {
        let position = position(Variant::English, fen);
        let paths = position.paths(position.parse_move(mv).unwrap(), limit);
        let numbers = |path: Vec<rules::Square>| {
            let board = position.board();
            path.into_iter()
                .map(|square| board.number(square))
                .collect()
        };
        paths.into_iter().map(numbers).collect()
    };
    let around = [[6, 13, 22, 15, 6], [6, 15, 22, 13, 6]];
    assert_eq!(numbers(CIRCLE, "6x6", 9), around);
    assert_eq!(numbers(CIRCLE, "6x6", 1), around[..1]);
    // Both ways around continue from the same square with the same victims.
    let further = "W:WK23:B10,11,18,19,26";
    let ways = [[23, 14, 7, 16, 23, 30], [23, 16, 7, 14, 23, 30]];
    assert_eq!(numbers(further, "23-14-7-16-23-30", 9), ways);
}

/// The first path is the one used in notation; all are different and parse as the same move.
#[test]
fn listed_paths_are_the_move() {
    for variant in Variant::ALL {
        let mut game = rules::Game::new(Position::start(variant));
        for ply in 0..80 {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            let board = game.position().board();
            for &mv in &moves {
                let paths = game.position().paths(mv, 32);
                assert_eq!(paths[0], game.position().path(mv));
                assert!(paths.windows(2).all(|two| two[0] < two[1]));
                for path in paths {
                    let numbers = path.iter().map(|square| board.number(*square).to_string());
                    let text = numbers.collect::<Vec<_>>().join("-");
                    assert_eq!(
                        game.position().parse_move(&text),
                        Ok(mv),
                        "{variant} {text}"
                    );
                }
            }
            game.play(moves[(7 * ply) % moves.len()]);
        }
    }
}

#[test]
fn algebraic_squares_are_written_and_numbers_read_too() {
    let start = Position::start(Variant::Russian);
    let mut moves = start.legal_moves();
    moves.sort_canonical();
    let texts: Vec<String> = moves.iter().map(|mv| start.move_text(*mv)).collect();
    let expected = [
        "a3-b4", "c3-b4", "c3-d4", "e3-d4", "e3-f4", "g3-f4", "g3-h4",
    ];
    assert_eq!(texts, expected);
    for text in ["c3-d4", "C3-D4", "22-18", " c3 - 18 "] {
        assert_eq!(rewritten(&start, text), "c3-d4", "{text}");
    }
    let fen = "W:Wc3,Ka1:Bd4,f6,Kg1";
    let by_number = "W:W22,K29:B11,18,K32:H0:F1";
    let capture = position(Variant::Russian, fen);
    assert_eq!(capture.to_fen(), by_number);
    assert_eq!(rewritten(&capture, "c3:g7"), "c3xg7");
    assert_eq!(rewritten(&capture, "c3:e5:g7"), "c3xg7");
    for (text, what) in [("c2-d3", "not a move"), ("i1-a3", "not a move")] {
        let message = start.parse_move(text).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    // Games that are written in numbers are read in both ways.
    let english = Position::start(Variant::English);
    assert_eq!(rewritten(&english, "f6-e5"), "11-15");
}
