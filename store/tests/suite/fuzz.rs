//! The fuzz targets on seeded bytes: real records and segments with some bytes changed, moved or
//! cut.

#[path = "../../fuzz/bodies.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/seeds.rs"]
mod seeds;

use crate::support::{id, record};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use store::Games;

/// Changes a few bytes, or the length, as a fuzzer would.
fn mutated(bytes: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..5) {
        let place = rng.random_range(0..bytes.len());
        match rng.random_range(0..5) {
            0 => bytes[place] = rng.random(),
            1 => bytes[place] ^= 1 << rng.random_range(0..8),
            2 => drop(bytes.remove(place)),
            3 => bytes.insert(place, rng.random()),
            _ => bytes.truncate(place.max(1)),
        }
        if bytes.is_empty() {
            bytes.push(1);
        }
    }
    bytes
}

#[test]
fn records_survive_mutation() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for variant in Variant::ALL {
        let seeds: Vec<Vec<u8>> = (0..8)
            .map(|n| record(variant, id(1, n), 4, 60).encode().unwrap())
            .collect();
        for n in 0..2000 {
            bodies::record(&mutated(&seeds[n % seeds.len()], &mut rng));
        }
    }
}

#[test]
fn segments_survive_mutation() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Games::new(dir.path(), Variant::Thai).writer(1).unwrap();
    for number in 0..6 {
        writer
            .append(&record(Variant::Thai, id(1, number), 9, 10))
            .unwrap();
    }
    let bytes = std::fs::read(dir.path().join("000001-000.seg")).unwrap();
    bodies::segment(&bytes);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..20_000 {
        bodies::segment(&mutated(&bytes, &mut rng));
    }
    for _ in 0..1000 {
        let mut noise = vec![0; rng.random_range(0..200)];
        rng.fill_bytes(&mut noise);
        bodies::segment(&noise);
        bodies::record(&noise);
    }
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(
        include_str!("../../../fuzz/seeds/record.hex"),
        bodies::record,
    );
    seeds::each(
        include_str!("../../../fuzz/seeds/segment.hex"),
        bodies::segment,
    );
}
