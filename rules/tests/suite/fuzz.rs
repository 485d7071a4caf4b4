//! The fuzz targets on seeded inputs: mutated texts from the specification.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[expect(
    unreachable_pub,
    reason = "the file is a crate of its own when it is fuzzed"
)]
#[path = "../../fuzz/bodies.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/seeds.rs"]
mod seeds;

const N_INPUTS: usize = if cfg!(debug_assertions) {
    2_000
} else {
    20_000
};
/// Characters with a meaning to the parsers, and some without.
const ALPHABET: &[u8] = b"WBKHF+:,-x0123456789.{}()[]\"/*%;$!?\n \\\xff\xc3";

/// The FENs and move texts of the specification.
fn specified() -> Vec<Vec<u8>> {
    let positions = include_str!("../data/positions-frisian.jsonl").lines();
    let positions = positions.chain(include_str!("../data/positions-thai.jsonl").lines());
    let mut seeds = Vec::new();
    for line in positions.chain(include_str!("../data/positions-english.jsonl").lines()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let fen = case["fen"].as_str().unwrap();
        seeds.push(fen.as_bytes().to_vec());
        for text in case["notation"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|t| t.as_str())
        {
            seeds.push(format!("{fen}\n{text}").into_bytes());
            seeds.push(format!("[GameType \"40\"][FEN \"{fen}\"] 1. {text} *").into_bytes());
        }
    }
    seeds
}

/// Changes, removes, inserts and repeats some bytes.
fn mutate(input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..input.len());
        let byte = *ALPHABET.choose(rng).unwrap();
        match rng.random_range(0..4) {
            0 => input[at] = byte,
            1 => input.insert(at, byte),
            2 if input.len() > 1 => drop(input.remove(at)),
            _ => {
                let end = rng.random_range(at..input.len());
                let part = input[at..end].to_vec();
                input.extend(part);
            }
        }
    }
}

fn fuzz(body: fn(&[u8]), has_variant_byte: bool) {
    let seeds = specified();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for _ in 0..N_INPUTS {
        let mut input = seeds.choose(&mut rng).unwrap().clone();
        mutate(&mut input, &mut rng);
        if has_variant_byte {
            input.insert(0, rng.random());
        }
        body(&input);
    }
    for _ in 0..N_INPUTS {
        let length = rng.random_range(0..80);
        let input: Vec<u8> = (0..length)
            .map(|_| *ALPHABET.choose(&mut rng).unwrap())
            .collect();
        body(&input);
    }
}

#[test]
fn fen() {
    fuzz(bodies::fen, true);
}

#[test]
fn move_text() {
    fuzz(bodies::move_text, true);
}

#[test]
fn pdn() {
    fuzz(bodies::pdn, false);
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(include_str!("../../../fuzz/seeds/fen.hex"), bodies::fen);
    seeds::each(
        include_str!("../../../fuzz/seeds/move_text.hex"),
        bodies::move_text,
    );
    seeds::each(include_str!("../../../fuzz/seeds/pdn.hex"), bodies::pdn);
}
