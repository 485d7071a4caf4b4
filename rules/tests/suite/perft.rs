//! Leaf counts from the start positions against independently computed numbers.

use std::collections::BTreeMap;

use rules::{Position, Variant, perft};

/// Debug builds stop before a count of this size, release builds count everything there is.
const NODE_LIMIT: u64 = if cfg!(debug_assertions) {
    300_000
} else {
    1_000_000_000_000
};

#[test]
fn start_positions_have_the_known_leaf_counts() {
    let text = include_str!("../data/perft.json");
    let mut tables: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).unwrap();
    tables.remove("about");
    assert_eq!(tables.len(), 6);
    for (name, counts) in tables {
        let start = Position::start(name.parse::<Variant>().unwrap());
        let counts: Vec<u64> = serde_json::from_value(counts).unwrap();
        for (depth, &expected) in counts.iter().enumerate().filter(|(_, n)| **n <= NODE_LIMIT) {
            assert_eq!(
                perft(&start, depth + 1),
                expected,
                "{name} depth {}",
                depth + 1
            );
        }
    }
}
