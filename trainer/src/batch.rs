//! What one step learns from, as plain numbers.

use std::ops::Range;

use model::encoding::{MoveTokens, encode, move_tokens};
use model::{GLOBALS, ModelConfig, PLANES};
use store::Sample;

use crate::{TrainConfig, TrainError};

/// Samples as the network sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrainBatch {
    /// `[sample][square][plane]`
    pub(crate) planes: Vec<f32>,
    /// `[sample][global]`
    pub(crate) globals: Vec<f32>,
    /// Legal moves, one sample after the other.
    pub(crate) moves: Vec<MoveTokens>,
    /// [sample] index of its first move; one more entry at the end.
    starts: Vec<usize>,
    /// One for each of `moves`: they sum to 1 in a sample that has a policy target, otherwise they
    /// are 0.
    pub(crate) policy: Vec<f32>,
    /// [sample] whether it has a policy target.
    pub(crate) has_policy: Vec<bool>,
    /// [sample] win, draw and loss of the side to move.
    pub(crate) value: Vec<[f32; 3]>,
    /// `[sample][horizon]` the same within a few plies.
    pub(crate) short_value: Vec<[f32; 3]>,
}

impl TrainBatch {
    /// Encodes samples.
    ///
    /// # Errors
    /// [`TrainError::Sample`] for one from another board or with a target for other moves.
    pub(crate) fn new(
        samples: &[Sample],
        model: &ModelConfig,
        config: &TrainConfig,
    ) -> Result<Self, TrainError> {
        let mut batch = Self {
            planes: vec![0.0; samples.len() * model.n_squares * PLANES],
            globals: vec![0.0; samples.len() * GLOBALS],
            starts: vec![0],
            ..Self::default()
        };
        let planes = batch.planes.chunks_exact_mut(model.n_squares * PLANES);
        let globals = batch.globals.chunks_exact_mut(GLOBALS);
        for (sample, (planes, globals)) in samples.iter().zip(planes.zip(globals)) {
            check(sample, model, config)?;
            encode(
                &sample.position,
                u32::from(sample.repetitions),
                planes,
                globals,
            );
            let tokens = sample
                .moves
                .iter()
                .map(|&mv| move_tokens(&sample.position, mv));
            batch.moves.extend(tokens);
            batch.starts.push(batch.moves.len());
            let sum: f32 = sample.policy.iter().sum();
            batch.policy.extend(sample.policy.iter().map(|p| p / sum));
            batch.policy.resize(batch.moves.len(), 0.0);
            batch.has_policy.push(!sample.policy.is_empty());
            let value = value_target(sample, config.value_root_fraction);
            batch.value.push(value);
            if config.trained_short_values() > 0 {
                batch.short_value.extend_from_slice(&sample.short);
            }
        }
        Ok(batch)
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.value.len()
    }

    /// Where the moves of a sample are.
    pub(crate) fn moves_of(&self, sample: usize) -> Range<usize> {
        self.starts[sample]..self.starts[sample + 1]
    }

    /// The short value targets of a sample, if they are trained.
    pub(crate) fn short_values_of(&self, sample: usize) -> &[[f32; 3]] {
        let n_horizons = self.short_value.len() / self.len();
        &self.short_value[sample * n_horizons..][..n_horizons]
    }

    /// Number of samples with a policy target.
    pub(crate) fn n_policies(&self) -> usize {
        self.has_policy.iter().filter(|&&has| has).count()
    }
}

/// (1 - fraction) * how the game ended + fraction * what the search said.
fn value_target(sample: &Sample, fraction: f32) -> [f32; 3] {
    let mix = |index: usize| {
        let (outcome, root) = (sample.outcome[index], sample.root[index]);
        outcome + fraction * (root - outcome)
    };
    [mix(0), mix(1), mix(2)]
}

fn check(sample: &Sample, model: &ModelConfig, config: &TrainConfig) -> Result<(), TrainError> {
    let fault = |fault: String| {
        let fen = sample.position.to_fen();
        Err(TrainError::Sample { fen, fault })
    };
    let n_squares = sample.position.board().n_squares();
    let (n_moves, n_targets) = (sample.moves.len(), sample.policy.len());
    if n_squares != model.n_squares {
        return fault(format!(
            "it has {n_squares} squares, the network {}",
            model.n_squares
        ));
    }
    if n_targets != 0 && n_targets != n_moves {
        return fault(format!("{n_targets} targets for {n_moves} moves"));
    }
    let (n_short, n_trained) = (sample.short.len(), config.trained_short_values());
    if n_trained > 0 && n_short != n_trained {
        return fault(format!("{n_short} short horizons, not {n_trained}"));
    }
    let sum: f32 = sample.policy.iter().sum();
    if n_targets > 0 && !(sum.is_finite() && sum > 0.0) {
        return fault(format!("the targets of its moves sum to {sum}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rules::{Position, Variant};

    use super::*;
    use crate::fixtures;

    #[test]
    fn samples_become_targets() {
        let mut samples = fixtures::samples(2, 1);
        samples[0].policy.fill(0.25);
        samples[0].outcome = [1.0, 0.0, 0.0];
        samples[0].root = [0.2, 0.4, 0.4];
        samples[1].policy.clear();
        let mut config = fixtures::config();
        config.value_root_fraction = 0.5;
        let batch = TrainBatch::new(&samples, &fixtures::model_config(), &config).unwrap();
        let n_moves = samples[0].moves.len();
        assert_eq!((batch.len(), batch.n_policies()), (2, 1));
        assert_eq!(batch.moves_of(1), n_moves..n_moves + samples[1].moves.len());
        assert_eq!(batch.value[0], [0.6, 0.2, 0.2]);
        for p in &batch.policy[batch.moves_of(0)] {
            assert!((p - 1.0 / n_moves as f32).abs() < 1e-6);
        }
        assert!(batch.policy[batch.moves_of(1)].iter().all(|&p| p == 0.0));
    }

    #[test]
    fn damaged_samples_are_refused() {
        let samples = fixtures::samples(1, 1);
        let build = |change: fn(&mut Sample)| {
            let mut sample = samples[0].clone();
            change(&mut sample);
            let (model, config) = (fixtures::model_config(), fixtures::config());
            TrainBatch::new(&[sample], &model, &config)
                .unwrap_err()
                .to_string()
        };
        let error = build(|sample| sample.policy.push(0.0));
        assert!(error.contains("targets for"), "{error}");
        let error = build(|sample| sample.policy.fill(0.0));
        assert!(error.contains("sum to 0"), "{error}");
        let error = build(|sample| sample.position = Position::start(Variant::Frisian));
        assert!(
            error.contains("it has 50 squares, the network 32"),
            "{error}"
        );
    }
}
