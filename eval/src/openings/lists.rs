//! Lists of openings that come with the program.

use std::collections::{BTreeMap, HashSet};

use rules::{Position, Variant};

use super::Opening;

/// Openings that tournaments exclude because one side is lost.
const EXCLUDED: &str = include_str!("../../data/excluded_openings.json");
/// Openings that are drawn with good play, or even as far as a deep search sees.
const DRAWN: &str = include_str!("../../data/drawn_openings.json");

/// Hashes of the positions after the excluded openings of a variant.
pub(super) fn excluded_positions(variant: Variant) -> HashSet<u64> {
    let openings = excluded(variant);
    let hashes = openings
        .iter()
        .map(|opening| opening.game().position().hash());
    hashes.collect()
}

/// The excluded openings of a variant; none for most.
pub(super) fn excluded(variant: Variant) -> Vec<Opening> {
    listed(EXCLUDED, variant)
}

/// The drawn openings that come with the program; none for a variant without a list.
///
/// For english they are the three-move ballots that are played. For the others the strongest
/// evaluation of the program valued all balanced openings of three moves, or two, with 20,000 nodes
/// each, and found these within 5 % of a point from an even score: `data/drawn_openings.json`.
pub fn drawn(variant: Variant) -> Vec<Opening> {
    listed(DRAWN, variant)
}

fn listed(lists: &str, variant: Variant) -> Vec<Opening> {
    let all: BTreeMap<String, Vec<String>> =
        serde_json::from_str(lists).expect("the file is part of the program and read in tests");
    let texts = all.get(variant.name()).into_iter().flatten();
    let opening = |text: &String| {
        Opening::from_text(Position::start(variant), text)
            .expect("the file is part of the program and read in tests")
    };
    texts.map(opening).collect()
}
