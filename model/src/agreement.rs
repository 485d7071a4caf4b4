//! Agreement between the answers of two evaluators.

use rand::Rng;
use rand::seq::IndexedRandom;
use rules::{Game, Position, Variant};
use search::{Batch, Evaluator, EvaluatorError};
use serde::Serialize;
use types::{Wdl, kl_divergence_f64, softmax_f64};

/// Differences between an evaluator's answers and a reference's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The number of positions compared, each with at least two legal moves.
    pub positions: usize,
    /// Difference of the probabilities of win, draw and loss.
    pub wdl: Difference,
    /// Difference of the value, win minus loss.
    pub value: Difference,
    /// KL divergence of the policy from the reference's, in nats.
    pub policy_divergence: Difference,
    /// The share of positions with the same most probable move.
    pub same_best_move: f64,
}

/// Absolute differences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub max: f64,
}

impl Agreement {
    /// Compares `evaluator` with `reference` on `n_positions` positions from games whose moves are
    /// sampled from the reference's policy.
    ///
    /// # Errors
    /// If an evaluator fails.
    pub fn measure(
        variant: Variant,
        reference: &mut impl Evaluator,
        evaluator: &mut impl Evaluator,
        n_positions: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, EvaluatorError> {
        let mut batch = positions(variant, reference, n_positions, rng)?;
        let expected = answers(reference, &mut batch)?;
        Ok(compare(&expected, &answers(evaluator, &mut batch)?))
    }
}

/// Positions with a choice of moves, from as many games as needed. Evaluates each position with
/// `evaluator` on the way.
pub(crate) fn positions(
    variant: Variant,
    evaluator: &mut impl Evaluator,
    n_positions: usize,
    rng: &mut impl Rng,
) -> Result<Batch, EvaluatorError> {
    let (mut all, mut one) = (Batch::new(), Batch::new());
    while all.len() < n_positions {
        let mut game = Game::new(Position::start(variant));
        while game.outcome().is_none() && all.len() < n_positions {
            let moves = game.legal_moves();
            one.clear();
            one.push(game.position(), game.repetitions(), &moves);
            evaluator.evaluate(&mut one)?;
            if moves.len() > 1 {
                all.push(game.position(), game.repetitions(), &moves);
            }
            let choices: Vec<_> = moves.iter().zip(softmax_f64(one.reply(0)?.1)).collect();
            let choice = choices.choose_weighted(rng, |(_, probability)| *probability);
            game.play(*choice.expect("finite logits are a distribution").0);
        }
    }
    Ok(all)
}

/// The value and the policy of a position.
type Answer = (Wdl, Vec<f64>);

fn answers(
    evaluator: &mut impl Evaluator,
    batch: &mut Batch,
) -> Result<Vec<Answer>, EvaluatorError> {
    evaluator.evaluate(batch)?;
    let answer = |index| {
        let (value, logits) = batch.reply(index)?;
        Ok((value, softmax_f64(logits)))
    };
    (0..batch.len()).map(answer).collect()
}

fn compare(expected: &[Answer], found: &[Answer]) -> Agreement {
    let pairs = || expected.iter().zip(found);
    let of_wdl = |a: Wdl, b: Wdl| [a.win - b.win, a.draw - b.draw, a.loss - b.loss];
    let is_same = |((_, a), (_, b)): &(&Answer, &Answer)| best(a) == best(b);
    Agreement {
        positions: expected.len(),
        wdl: difference(pairs().flat_map(|((a, _), (b, _))| of_wdl(*a, *b).map(f64::from))),
        value: difference(pairs().map(|((a, _), (b, _))| f64::from(a.value() - b.value()))),
        policy_divergence: difference(pairs().map(|((_, a), (_, b))| kl_divergence_f64(a, b))),
        same_best_move: pairs().filter(is_same).count() as f64 / expected.len() as f64,
    }
}

fn difference(values: impl Iterator<Item = f64>) -> Difference {
    let (mut sum, mut n_values, mut max) = (0.0, 0, 0.0f64);
    for value in values {
        sum += value.abs();
        n_values += 1;
        max = max.max(value.abs());
    }
    let mean = sum / f64::from(n_values.max(1));
    Difference { mean, max }
}

fn best(policy: &[f64]) -> Option<usize> {
    (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_the_answers() {
        let wdl = |win, draw| Wdl {
            win,
            draw,
            loss: 1.0 - win - draw,
        };
        let expected = [
            (wdl(0.5, 0.25), vec![0.75, 0.25]),
            (wdl(0.25, 0.5), vec![0.5, 0.5]),
        ];
        let found = [
            (wdl(0.25, 0.25), vec![0.25, 0.75]),
            (wdl(0.25, 0.5), vec![0.5, 0.5]),
        ];
        let Agreement {
            positions,
            wdl,
            value,
            policy_divergence,
            same_best_move,
        } = compare(&expected, &found);
        assert_eq!((positions, same_best_move), (2, 0.5));
        assert_eq!((wdl.mean, wdl.max), (0.5 / 6.0, 0.25));
        assert_eq!((value.mean, value.max), (0.25, 0.5));
        // 0.75 ln 3 - 0.25 ln 3
        assert!((policy_divergence.max - 0.5 * 3f64.ln()).abs() < 1e-12);
    }
}
