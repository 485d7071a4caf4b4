//! CPU inference: evaluations per second, the share of the processor's peak, and both precisions.
//!
//! `cargo bench -p crownhead-model --bench inference [-- NAME..]` where a name is a part of
//! `variant/preset/instructions`. Rounds of inference and of the peak loop alternate and the best
//! of each counts, to reduce the effect of other load on the machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod support;

use std::time::Instant;

use model::cpu::peak_flops;
use model::{CpuEvaluator, InstructionSet, ModelWeights, Precision, Preset};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Position, Variant};
use search::{Batch, Evaluator};

const N_ROUNDS: usize = 150;
const BATCH_SIZES: [usize; 3] = [1, 8, 32];
/// Floating point operations per round, which takes a few milliseconds.
const ROUND_FLOPS: usize = 200_000_000;

fn main() {
    let names = support::names();
    println!(
        "{:34} {:>5} {:>9} {:>8} {:>6} {:>6}",
        "", "batch", "evals/s", "GFLOP/s", "peak", "x f32"
    );
    for variant in [Variant::English, Variant::Frisian] {
        for preset in [Preset::Nano, Preset::Small] {
            for instructions in InstructionSet::available() {
                let name = format!("{variant}/{preset}/{}", instructions.name());
                if names.is_empty() || names.iter().any(|part| name.contains(part)) {
                    measure(&name, variant, preset, instructions);
                }
            }
        }
    }
}

/// The best speed of an evaluator in each precision and of the peak loop, over alternating rounds.
fn measure(name: &str, variant: Variant, preset: Preset, instructions: InstructionSet) {
    let config = preset.for_variant(variant);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let weights = ModelWeights::initial(&config, &mut rng);
    let mut evaluators = Precision::OF_CPU.map(|precision| {
        CpuEvaluator::with_instructions(variant, &config, &weights, precision, instructions)
            .expect("valid")
    });
    let positions = support::random_positions(variant, 1024, &mut rng);
    for batch_size in BATCH_SIZES {
        let mut batches: Vec<Batch> = positions.chunks(batch_size).map(filled).collect();
        let n_batches = (ROUND_FLOPS / config.flops())
            .div_ceil(batch_size)
            .min(batches.len());
        let mut best = [0.0f64; Precision::OF_CPU.len()];
        let mut best_peak = 0.0f64;
        for round in 0..N_ROUNDS {
            let first = round * n_batches;
            for (evaluator, best) in evaluators.iter_mut().zip(&mut best) {
                let start = Instant::now();
                for index in first..first + n_batches {
                    let index = index % batches.len();
                    evaluator
                        .evaluate(&mut batches[index])
                        .expect("the right variant");
                }
                let n_evaluations = (n_batches * batch_size) as f64;
                *best = best.max(n_evaluations / start.elapsed().as_secs_f64());
            }
            let start = Instant::now();
            let n_flops = peak_flops(instructions, ROUND_FLOPS / 4);
            best_peak = best_peak.max(n_flops as f64 / start.elapsed().as_secs_f64());
        }
        for (precision, found) in Precision::OF_CPU.into_iter().zip(best) {
            let flops = found * config.flops() as f64;
            println!(
                "{name:28} {precision:5} {batch_size:>5} {found:>9.0} {:>8.1} {:>5.1}% {:>6.2}",
                flops / 1e9,
                100.0 * flops / best_peak,
                found / best[0],
            );
        }
    }
}

fn filled(positions: &[Position]) -> Batch {
    let mut batch = Batch::new();
    for position in positions {
        batch.push(position, 0, &position.legal_moves());
    }
    batch
}
