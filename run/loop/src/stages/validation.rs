//! Compares the network on positions it was not trained on with positions of the window.

use model::Model;
use rules::Move;
use search::{Batch, Evaluator};
use store::{ReplayWindow, Sample};
use types::{Mean, entropy, softmax};

use crate::Result;
use crate::metrics::Validation;
use crate::run::Run;

/// Positions of each kind.
const POSITIONS: usize = 512;
/// Positions per batch.
const BATCH_SIZE: usize = 64;

/// Losses of the newest model on the newest generation's games and on the whole window, which
/// includes them.
///
/// The positions depend on the seed and the generation; nothing else depends on them.
pub(super) fn validate(run: &Run, model: &Model) -> Result<Validation> {
    let generation = run.state().generation;
    let games = run.dir().games(run.variant());
    let mut fresh = ReplayWindow::new(run.config().window.clone());
    for record in &games.read(generation)?.records {
        fresh.push(record);
    }
    let seed = run.stream("validation").get();
    let draw = |window: &ReplayWindow| window.batch(seed, generation.into(), POSITIONS);
    let mut evaluator = run.exact_evaluator(model, BATCH_SIZE)?;
    let fresh = Scores::of(&draw(&fresh), &mut *evaluator)?;
    let window = Scores::of(&draw(run.window()), &mut *evaluator)?;
    Ok(Validation {
        fresh_policy: fresh.policy.get(),
        window_policy: window.policy.get(),
        fresh_value: fresh.value.get(),
        window_value: window.value.get(),
        fresh_policy_kl: fresh.divergence.get(),
        fresh_policy_accuracy: fresh.accuracy.get(),
        policy_entropy: fresh.entropy.get(),
        target_entropy: fresh.target_entropy.get(),
    })
}

/// Means over positions. Only positions with a policy target count for the policy.
#[derive(Clone, Copy, Debug, Default)]
struct Scores {
    policy: Mean,
    divergence: Mean,
    accuracy: Mean,
    entropy: Mean,
    target_entropy: Mean,
    value: Mean,
}

impl Scores {
    fn of(samples: &[Sample], evaluator: &mut dyn Evaluator) -> Result<Scores> {
        let mut scores = Scores::default();
        let mut batch = Batch::new();
        for samples in samples.chunks(BATCH_SIZE) {
            batch.clear();
            for sample in samples {
                let moves = sample.position.legal_moves();
                batch.push(&sample.position, sample.repetitions.into(), &moves);
            }
            evaluator.evaluate(&mut batch)?;
            for (index, sample) in samples.iter().enumerate() {
                let (wdl, logits) = batch.reply(index)?;
                scores.add_value(sample, [wdl.win, wdl.draw, wdl.loss]);
                scores.add_policy(sample, batch.request(index).moves, logits);
            }
        }
        Ok(scores)
    }

    /// -sum over results r of outcome(r) ln p(r).
    fn add_value(&mut self, sample: &Sample, wdl: [f32; 3]) {
        let term = |(target, p): (&f32, f32)| -f64::from(*target) * f64::from(p.max(1e-12)).ln();
        self.value
            .add(sample.outcome.iter().zip(wdl).map(term).sum());
    }

    /// `moves` is in the order of the logits; the sample's moves are in another order.
    fn add_policy(&mut self, sample: &Sample, moves: &[Move], logits: &[f32]) {
        if sample.policy.is_empty() {
            return;
        }
        let mut policy = logits.to_vec();
        softmax(&mut policy);
        let of = |mv: &Move| {
            moves
                .iter()
                .position(|other| other == mv)
                .map_or(0.0, |i| policy[i])
        };
        let policy: Vec<f32> = sample.moves.iter().map(of).collect();
        let term = |(target, p): (&f32, &f32)| -f64::from(*target) * f64::from(p.max(1e-12)).ln();
        let loss: f64 = sample.policy.iter().zip(&policy).map(term).sum();
        let target_entropy = entropy(&sample.policy);
        self.policy.add(loss);
        self.divergence.add(loss - target_entropy);
        self.entropy.add(entropy(&policy));
        self.target_entropy.add(target_entropy);
        let agrees = largest(&policy) == largest(&sample.policy);
        self.accuracy.add(f64::from(u8::from(agrees)));
    }
}

/// Index of the largest number; the first one in a tie.
fn largest(numbers: &[f32]) -> usize {
    let better = |best: usize, i: usize| if numbers[i] > numbers[best] { i } else { best };
    (0..numbers.len()).fold(0, better)
}

#[cfg(test)]
mod tests {
    use rules::{Position, Variant};
    use search::Uniform;

    use super::*;

    #[test]
    fn losses_by_hand() {
        let position = Position::start(Variant::ALL[0]);
        let mut moves = position.legal_moves();
        moves.sort_canonical();
        let n = moves.len();
        let mut policy = vec![0.0; n];
        (policy[0], policy[n - 1]) = (0.5, 0.5);
        let sample = Sample {
            position,
            repetitions: 0,
            moves: moves.to_vec(),
            policy,
            outcome: [1.0, 0.0, 0.0],
            root: [1.0, 0.0, 0.0],
        };
        let mut unlearned = sample.clone();
        unlearned.policy.clear();
        let scores = Scores::of(&[sample, unlearned], &mut Uniform).unwrap();
        let mean = |mean: Mean| mean.get().unwrap();
        // Uniform over n moves against half and half: ln n nats, including ln 2, the target's
        // entropy.
        let (all, two) = ((n as f64).ln(), 2f64.ln());
        for (found, expected) in [
            (mean(scores.policy), all),
            (mean(scores.divergence), all - two),
            (mean(scores.entropy), all),
            (mean(scores.target_entropy), two),
            (mean(scores.accuracy), 1.0),
        ] {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
        assert_eq!((scores.policy.n(), scores.value.n()), (1, 2));
        assert!(mean(scores.value) > 0.0);
    }
}
