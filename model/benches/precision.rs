//! What 8 bits cost: the answers of [`Precision::Int8`] beside those of [`Precision::F32`].
//!
//! `cargo bench -p crownhead-model --bench precision -- MODEL_DIR..`. Positions are from games in
//! which the model's own policy, in f32, draws the moves. Of each measure: mean and maximum.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::error::Error;
use std::path::Path;

use model::{CpuEvaluator, Model, ModelError, Precision};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position};
use search::{Batch, Evaluator, EvaluatorError, Wdl};

const N_POSITIONS: usize = 4000;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:17} {:17} {:17} {:>7}",
        "win-draw-loss", "win less loss", "KL of the policy", "top move"
    );
    for path in std::env::args().skip(1).filter(|arg| !arg.starts_with('-')) {
        let model = Model::load(Path::new(&path))?;
        let mut exact = evaluator(&model, Precision::F32)?;
        let mut batch = positions(&model, &mut exact)?;
        let expected = answers(&mut exact, &mut batch)?;
        let found = answers(&mut evaluator(&model, Precision::Int8)?, &mut batch)?;
        println!("{} {path}", compare(&expected, &found));
    }
    Ok(())
}

fn evaluator(model: &Model, precision: Precision) -> Result<CpuEvaluator, ModelError> {
    CpuEvaluator::with_precision(model.variant, &model.config, &model.weights, precision)
}

/// Positions with a choice, of as many games as are needed.
fn positions(model: &Model, evaluator: &mut CpuEvaluator) -> Result<Batch, EvaluatorError> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut all, mut one) = (Batch::new(), Batch::new());
    while all.len() < N_POSITIONS {
        let mut game = Game::new(Position::start(model.variant));
        while game.outcome().is_none() && all.len() < N_POSITIONS {
            let moves = game.legal_moves();
            one.clear();
            one.push(game.position(), game.repetitions(), &moves);
            evaluator.evaluate(&mut one)?;
            if moves.len() > 1 {
                all.push(game.position(), game.repetitions(), &moves);
            }
            let choices: Vec<_> = moves.iter().zip(policy(one.logits(0))).collect();
            let choice = choices.choose_weighted(&mut rng, |(_, probability)| *probability);
            game.play(*choice.expect("a distribution").0);
        }
    }
    Ok(all)
}

/// The value and the policy of a position.
type Answer = (Wdl, Vec<f64>);

fn answers(evaluator: &mut CpuEvaluator, batch: &mut Batch) -> Result<Vec<Answer>, EvaluatorError> {
    evaluator.evaluate(batch)?;
    let answer = |index| (batch.wdl(index), policy(batch.logits(index)));
    Ok((0..batch.len()).map(answer).collect())
}

fn policy(logits: &[f32]) -> Vec<f64> {
    let greatest = logits.iter().copied().fold(f32::MIN, f32::max);
    let power = |logit: &f32| f64::from(logit - greatest).exp();
    let sum: f64 = logits.iter().map(power).sum();
    logits.iter().map(|logit| power(logit) / sum).collect()
}

/// One line of the table.
fn compare(expected: &[Answer], found: &[Answer]) -> String {
    let pairs = || expected.iter().zip(found);
    let wdl = summary(pairs().flat_map(|((a, _), (b, _))| {
        [a.win - b.win, a.draw - b.draw, a.loss - b.loss].map(|d| f64::from(d.abs()))
    }));
    let value = summary(pairs().map(|((a, _), (b, _))| f64::from((a.value() - b.value()).abs())));
    let divergence = |(p, q): (&f64, &f64)| p * (p / q).ln();
    let policy = summary(pairs().map(|((_, a), (_, b))| a.iter().zip(b).map(divergence).sum()));
    let is_same = |((_, a), (_, b)): &(&Answer, &Answer)| top(a) == top(b);
    let n_same = pairs().filter(is_same).count();
    let agreement = 100.0 * n_same as f64 / expected.len() as f64;
    format!("{wdl} {value} {policy} {agreement:>6.2} %")
}

fn summary(values: impl Iterator<Item = f64>) -> String {
    let (mut sum, mut n_values, mut greatest) = (0.0, 0, 0.0f64);
    for value in values {
        sum += value;
        n_values += 1;
        greatest = greatest.max(value);
    }
    format!("{:.6} {greatest:.6}", sum / f64::from(n_values))
}

fn top(policy: &[f64]) -> Option<usize> {
    (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]))
}
