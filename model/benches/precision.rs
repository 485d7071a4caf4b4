//! The accuracy lost with 8 bits: answers of [`Precision::Int8`] compared with [`Precision::F32`].
//!
//! `cargo bench -p crownhead-model --bench precision -- MODEL_DIR..`. Positions are from games
//! whose moves are sampled from the model's own policy in f32. Prints the mean and maximum of each
//! measure.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::error::Error;
use std::path::Path;

use model::{Agreement, CpuEvaluator, Difference, InstructionSet, Model, ModelError, Precision};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const N_POSITIONS: usize = 4000;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:17} {:17} {:17} {:>7}",
        "win-draw-loss", "win less loss", "KL of the policy", "top move"
    );
    for path in std::env::args().skip(1).filter(|arg| !arg.starts_with('-')) {
        let model = Model::load(Path::new(&path))?;
        let agreement = Agreement::measure(
            model.variant,
            &mut evaluator(&model, Precision::F32)?,
            &mut evaluator(&model, Precision::Int8)?,
            N_POSITIONS,
            &mut ChaCha8Rng::seed_from_u64(1),
        )?;
        println!("{} {path}", line(&agreement));
    }
    Ok(())
}

fn evaluator(model: &Model, precision: Precision) -> Result<CpuEvaluator, ModelError> {
    let best = InstructionSet::best();
    CpuEvaluator::with_instructions(
        model.variant,
        &model.config,
        &model.weights,
        precision,
        best,
    )
}

/// One line of the table.
fn line(agreement: &Agreement) -> String {
    let [wdl, value, policy] = [agreement.wdl, agreement.value, agreement.policy_divergence]
        .map(|Difference { mean, max }| format!("{mean:.6} {max:.6}"));
    let same = 100.0 * agreement.same_best_move;
    format!("{wdl} {value} {policy} {same:>6.2} %")
}
