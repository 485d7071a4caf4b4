//! Openings that tournaments exclude because one side is lost.

use std::collections::{BTreeMap, HashSet};

use rules::{Position, Variant};

use super::Opening;

/// Hashes of the positions after the excluded openings of a variant.
pub(super) fn positions(variant: Variant) -> HashSet<u64> {
    let openings = openings(variant);
    let hashes = openings
        .iter()
        .map(|opening| opening.game().position().hash());
    hashes.collect()
}

/// The excluded openings of a variant; none for most.
pub(super) fn openings(variant: Variant) -> Vec<Opening> {
    let all: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("../../data/excluded_openings.json"))
            .expect("the file is part of the program and read in tests");
    let texts = all.get(variant.name()).into_iter().flatten();
    texts.map(|text| opening(variant, text)).collect()
}

fn opening(variant: Variant, text: &str) -> Opening {
    let start = Position::start(variant);
    let mut position = start;
    let moves = text
        .split(' ')
        .map(|word| {
            let mv = position.parse_move(word);
            let mv = mv.expect("the file is part of the program and read in tests");
            position = position.play(mv);
            mv
        })
        .collect();
    Opening { start, moves }
}
