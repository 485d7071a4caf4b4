//! Leaf counts from the start positions, compared with independently computed numbers.
//!
//! `data/perft/VARIANT.json` lists them by depth, from 1. A move is (from, to, set of captured
//! squares): two paths with the same triple count once. Draw rules are ignored; a position without
//! moves has no leaves.
//!
//! The numbers for the first five games come with the rules specification. The numbers for
//! the others are published: in dctl's tests, which cite the forums where programs compared them,
//! in Aart Bik's notes on BikDam (international), and at damforum.nl, topic 2822 (russian, czech,
//! spanish, italian). Portuguese draughts is the Spanish game. Antidraughts and breakthrough have
//! the moves of international draughts, and no king appears in the first nine plies.

use std::path::Path;

use rules::{Position, Variant, perft};

/// Debug builds stop before a count of this size, release builds verify all counts.
const NODE_LIMIT: u64 = if cfg!(debug_assertions) {
    300_000
} else {
    1_000_000_000_000
};

/// The known counts; `None` for some alternative rulesets.
fn known_counts(variant: Variant) -> Option<Vec<u64>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/perft");
    let text = std::fs::read_to_string(folder.join(format!("{variant}.json"))).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn start_positions_have_the_known_leaf_counts() {
    for variant in Variant::ALL {
        let start = Position::start(variant);
        let counts = known_counts(variant).into_iter().flatten().zip(1..);
        for (expected, depth) in counts.filter(|(count, _)| *count <= NODE_LIMIT) {
            let found = perft(&start, depth);
            assert_eq!(found, expected, "{variant} depth {depth}");
        }
    }
}

#[test]
fn every_game_has_known_leaf_counts() {
    for variant in Variant::GAMES {
        let counts = known_counts(variant).unwrap_or_default();
        assert!(counts.len() >= 6, "tests/data/perft/{variant}.json");
    }
}

/// Positions with kings and priorities, which start positions reach late: Ed Gilbert's counts for
/// Italian draughts, in dctl's tests.
#[test]
fn italian_positions_have_the_published_leaf_counts() {
    for (fen, depth, leaves) in [
        (
            "W:W30,26,27,22,23,24,17,18,20:B14,15,16,9,11,5,6,1,3",
            9,
            43_686,
        ),
        ("B:W30,21,22,17,20,K6:B25,28,9,5,1,3", 7, 389_809),
        (
            "W:WK27,K28,17,20,9,K12,8:B21,24,K19,K13,14,K11,4",
            6,
            368_908,
        ),
    ] {
        let position = Position::from_fen(Variant::Italian, fen).unwrap();
        assert_eq!(perft(&position, depth), leaves, "{fen}");
    }
}

/// Positions of breakthrough from which kings appear, by pydraughts 0.6.7, whose moves count as one
/// if they have the same ends and victims. A game that is over has no leaves.
#[test]
fn breakthrough_positions_have_the_leaf_counts_of_pydraughts() {
    for (fen, leaves) in [
        ("W:W11,12,21:B35,36,40", [6, 18, 87, 242, 576, 1_200]),
        (
            "B:W13,17,22,27:B24,31,34,38",
            [8, 18, 124, 765, 4_776, 27_325],
        ),
        (
            "W:W16,17,18,24:B28,29,33,38",
            [7, 15, 92, 566, 3_027, 19_552],
        ),
    ] {
        let position = Position::from_fen(Variant::Breakthrough, fen).unwrap();
        for (leaves, depth) in leaves.into_iter().zip(1..) {
            assert_eq!(perft(&position, depth), leaves, "{fen}, depth {depth}");
        }
    }
}
