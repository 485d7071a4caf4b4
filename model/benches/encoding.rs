//! The cost of encoding a position, compared with a complete evaluation.
//!
//! `cargo bench -p crownhead-model --bench encoding [-- VARIANT..]`. Rounds of all measurements
//! alternate and the best of each counts, to reduce the effect of other load on the machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod support;

use std::hint::black_box;
use std::time::Instant;

use model::encoding::Features;
use model::{CpuEvaluator, Inputs, ModelConfig, ModelWeights, Precision, Preset};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use search::{Batch, Evaluator};

const N_ROUNDS: usize = 100;
const N_POSITIONS: usize = 256;

fn main() {
    let asked = support::names();
    println!(
        "{:18} {:>20} {:>20}",
        "ns a position", "pieces, of all", "exchanges, of all"
    );
    for variant in Variant::ALL {
        if asked.is_empty() || asked.iter().any(|name| name == variant.name()) {
            measure(variant);
        }
    }
}

/// Measures encoding alone, and evaluations by a nano network in 8 bits, with both kinds of inputs.
fn measure(variant: Variant) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions = support::random_positions(variant, N_POSITIONS, &mut rng);
    let mut batch = Batch::new();
    for position in &positions {
        batch.push(position, 0, &position.legal_moves());
    }
    let both = [Inputs::Pieces, Inputs::Exchanges];
    let mut evaluators = both.map(|inputs| {
        let config = ModelConfig {
            inputs,
            ..Preset::Nano.for_variant(variant)
        };
        let weights = ModelWeights::initial(&config, &mut rng);
        CpuEvaluator::with_precision(variant, &config, &weights, Precision::Int8).expect("valid")
    });
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..N_ROUNDS {
        for ((inputs, evaluator), best) in both.iter().zip(&mut evaluators).zip(&mut best) {
            let start = Instant::now();
            for position in &positions {
                black_box(Features::new(*inputs, position, 0));
            }
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            evaluator.evaluate(&mut batch).expect("the right variant");
            best[1] = best[1].min(start.elapsed().as_secs_f64());
        }
    }
    let text = best.map(|times| {
        let [encoding, all] = times.map(|time| time * 1e9 / N_POSITIONS as f64);
        format!("{encoding:.0} of {all:.0}")
    });
    println!("{:18} {:>20} {:>20}", variant.name(), text[0], text[1]);
}
