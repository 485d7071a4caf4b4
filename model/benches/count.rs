//! Evaluations for a program that counts instructions, such as `scripts/check_arm.sh count`.
//!
//! `count VARIANT PRECISION INSTRUCTIONS N` evaluates N positions, one at a time, by a network of
//! the preset `nano`. The difference of two calls is that of their evaluations alone.

mod support;

use model::{CpuEvaluator, InstructionSet, ModelWeights, Precision, Preset};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Position, Variant};
use search::{Batch, Evaluator};

/// Positions that are made, whatever N is.
const N_POSITIONS: usize = 256;

fn main() {
    let words = support::names();
    let [variant, precision, instructions, n] = &words[..] else {
        panic!("give VARIANT PRECISION INSTRUCTIONS N");
    };
    let variant: Variant = variant.parse().expect("a game");
    let mut all = Precision::OF_CPU.into_iter();
    let precision = all.find(|known| known.to_string() == *precision);
    let precision = precision.expect("a precision of processors");
    let n: usize = n.parse().expect("a number");
    let mut sets = InstructionSet::available();
    let found = sets.find(|set| set.name() == instructions);
    let instructions = found.expect("instructions of this processor");
    let config = Preset::Nano.for_variant(variant);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let weights = ModelWeights::initial(&config, &mut rng);
    let evaluator =
        CpuEvaluator::with_instructions(variant, &config, &weights, precision, instructions);
    let mut evaluator = evaluator.expect("valid");
    let positions = support::random_positions(variant, N_POSITIONS, &mut rng);
    let mut batches: Vec<Batch> = positions.iter().map(alone).collect();
    for index in 0..n {
        let batch = &mut batches[index % N_POSITIONS];
        evaluator.evaluate(batch).expect("the right variant");
    }
}

/// A batch of one position.
fn alone(position: &Position) -> Batch {
    let mut batch = Batch::new();
    batch.push(position, 0, &position.legal_moves());
    batch
}
