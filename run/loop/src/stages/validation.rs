//! Compares the network on positions it was not trained on with positions of the window.

use model::{Model, Precision};
use rules::{Move, Position};
use search::{Batch, Evaluator};
use store::{Record, ReplayWindow, Sample, WindowConfig};
use types::{Mean, entropy, softmax};

use crate::Result;
use crate::evaluators::Evaluators;
use crate::metrics::Validation;
use crate::run::Run;

/// Positions of the newest games.
const FRESH_POSITIONS: usize = 512;
/// Positions of held-out games, and of others of the same generations.
const OLDER_POSITIONS: usize = 2048;
/// Ages of these generations: their games have been learned from for some time.
const AGES: [u32; Validation::GENERATIONS] = [4, 5, 6, 7, 8];
/// Positions per batch.
const BATCH_SIZE: usize = 64;

/// Losses of the newest model on games that it has not learned from, the newest ones and those held
/// out earlier, and on games of the same earlier generations that it has learned from.
///
/// The positions depend on the seed and the generation; nothing else depends on them.
pub(super) fn validate(run: &Run, model: &Model) -> Result<Validation> {
    let generation = run.state().generation;
    let games = run.dir().games(run.variant());
    let compute = &run.hardware.compute;
    let evaluators = Evaluators::new(model, Precision::F32, compute, 1, BATCH_SIZE)?;
    let mut evaluator = evaluators.uncached();
    let seed = run.stream("validation").get();
    let mut scores = |records: &[Record], n_positions| {
        let window = every_game(run, records);
        Scores::of(
            &window.batch(seed, generation.into(), n_positions),
            &mut *evaluator,
        )
    };
    let fresh = scores(&games.read(generation)?.records, FRESH_POSITIONS)?;
    let (mut held_out, mut learned) = (Vec::new(), Vec::new());
    for generation in AGES.iter().filter_map(|age| generation.checked_sub(*age)) {
        let mut after_held_out = false;
        for record in games.read(generation)?.records {
            let is_held_out = run.config().window.holds_out(record.header.id.number);
            match (is_held_out, after_held_out) {
                (true, _) => held_out.push(record),
                // As many games as are held out, each from the same minute of the generation.
                (false, true) => learned.push(record),
                (false, false) => {}
            }
            after_held_out = is_held_out;
        }
    }
    let held_out = scores(&held_out, OLDER_POSITIONS)?;
    let learned = scores(&learned, OLDER_POSITIONS)?;
    let gap = |quarter: usize| {
        let mean = |scores: &Scores| scores.by_quarter[quarter].get();
        Some(mean(&held_out)? - mean(&learned)?)
    };
    Ok(Validation {
        fresh_policy: fresh.policy.get(),
        fresh_value: fresh.value.get(),
        fresh_policy_kl: fresh.divergence.get(),
        fresh_policy_accuracy: fresh.accuracy.get(),
        policy_entropy: fresh.entropy.get(),
        target_entropy: fresh.target_entropy.get(),
        held_out_policy: held_out.policy.get(),
        learned_policy: learned.policy.get(),
        held_out_value: held_out.value.get(),
        learned_value: learned.value.get(),
        held_out_error: held_out.error.get(),
        learned_error: learned.error.get(),
        gap_quarter_4: gap(3),
        gap_quarter_3: gap(2),
        gap_quarter_2: gap(1),
        gap_quarter_1: gap(0),
    })
}

/// A window of games, held out or not.
fn every_game(run: &Run, records: &[Record]) -> ReplayWindow {
    let mut window = ReplayWindow::new(WindowConfig {
        held_out: 0.0,
        min_samples: u64::MAX,
        max_samples: u64::MAX,
        ..run.config().window.clone()
    });
    records.iter().for_each(|record| window.push(record));
    window
}

/// Means over positions.
#[derive(Clone, Copy, Debug, Default)]
struct Scores {
    policy: Mean,
    divergence: Mean,
    accuracy: Mean,
    entropy: Mean,
    target_entropy: Mean,
    value: Mean,
    /// Squared difference between the expected and the real points, from -1 to 1.
    error: Mean,
    /// The value's loss where a quarter of the pieces are left, two, three, and more.
    by_quarter: [Mean; 4],
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
        let loss: f64 = sample.outcome.iter().zip(wdl).map(term).sum();
        let points = |[win, _, loss]: [f32; 3]| f64::from(win) - f64::from(loss);
        let error = points(wdl) - points(sample.outcome);
        let n_pieces = |position: &Position| position.occupied().count();
        let at_start = n_pieces(&Position::start(sample.position.variant()));
        let quarter = (4 * n_pieces(&sample.position))
            .div_ceil(at_start)
            .clamp(1, 4)
            - 1;
        self.value.add(loss);
        self.error.add(error * error);
        self.by_quarter[quarter as usize].add(loss);
    }

    /// `moves` is in the order of the logits; the sample's moves are in another order.
    fn add_policy(&mut self, sample: &Sample, moves: &[Move], logits: &[f32]) {
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
    use rules::Variant;
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
        let scores = Scores::of(&[sample.clone(), sample], &mut Uniform).unwrap();
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
        assert_eq!((scores.policy.n(), scores.value.n()), (2, 2));
        // A certain draw, where the game was won: the greatest loss, and an error of one point.
        assert!((mean(scores.value) + 1e-12_f64.ln()).abs() < 1e-3);
        assert!((mean(scores.error) - 1.0).abs() < 1e-6);
        assert_eq!(scores.by_quarter.map(|quarter| quarter.n()), [0, 0, 0, 2]);
    }
}
