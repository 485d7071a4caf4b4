//! The fuzz targets on seeded inputs: mutated lines of the protocol.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[expect(
    unreachable_pub,
    reason = "the file is a crate of its own when it is fuzzed"
)]
#[path = "../../../fuzz/bodies.rs"]
mod bodies;
#[path = "../../../../../fuzz/bodies/seeds.rs"]
mod seeds;

/// Characters with a meaning to the parsers, and some without.
const ALPHABET: &[u8] = b"wbWBe=\"x-0123456789. \n\t\\\xff\xc3";

const SEEDS: [&str; 10] = [
    "hub\ninit\nping\n",
    "set-param name=variant value=thai\n",
    "set-param name=english-frame value=native\n",
    "pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves=\"11-15 22x18\"\n",
    "pos pos=BeeeeeeeeeeebeeeeeeeeeewweeeBeeee\n",
    "level depth=3\nlevel nodes=9\nlevel moves=4 time=3.5 inc=-1\n",
    "go think\n",
    "go ponder\nponder-hit\n",
    "go analyze\nstop\n",
    "new-game\nquit\n",
];

fn mutate(input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..input.len());
        let byte = *ALPHABET.choose(rng).unwrap();
        match rng.random_range(0..3) {
            0 => input[at] = byte,
            1 => input.insert(at, byte),
            _ if input.len() > 1 => drop(input.remove(at)),
            _ => {}
        }
    }
}

fn fuzz(body: fn(&[u8]), n_inputs: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for _ in 0..n_inputs {
        let mut input = Vec::new();
        for _ in 0..rng.random_range(1..8) {
            input.extend_from_slice(SEEDS.choose(&mut rng).unwrap().as_bytes());
        }
        mutate(&mut input, &mut rng);
        body(&input);
    }
}

#[test]
fn lines() {
    fuzz(bodies::line, 20_000);
}

#[test]
fn sessions() {
    fuzz(bodies::session, 1_000);
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(
        include_str!("../../../../../fuzz/seeds/line.hex"),
        bodies::line,
    );
    seeds::each(
        include_str!("../../../../../fuzz/seeds/session.hex"),
        bodies::session,
    );
}
