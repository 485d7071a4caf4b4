//! Leaf counts from the start positions, compared with independently computed numbers.
//!
//! `data/perft/VARIANT.json` lists them by depth, from 1. A move is (from, to, set of captured
//! squares): two paths with the same triple count once. Draw rules are ignored; a position without
//! moves has no leaves.
//!
//! The numbers for the first five games come with the rules specification. The numbers for
//! international, russian and brazilian are published: in dctl's tests, which cite the forums where
//! programs compared them, in Aart Bik's notes on BikDam (international), and at damforum.nl, topic
//! 2822 (russian).

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
