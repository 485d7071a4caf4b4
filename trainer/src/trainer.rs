//! The trainer, which performs optimizer steps.

use model::backend::{Backend, LearnerShape, LearnerState, StepSums};
use model::batch::TrainBatch;
use model::{Compute, ModelConfig, ModelWeights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use store::{EndgameSamples, ReplayWindow, Sample};

use crate::{TrainConfig, TrainError, targets};

/// The maximum number of consecutive skipped steps before training stops with an error.
const MAX_SKIPPED: u64 = 5;

/// Turns samples into better weights.
pub struct Trainer {
    pub(crate) config: TrainConfig,
    pub(crate) shape: LearnerShape,
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) progress: Progress,
}

/// The progress of training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    /// Steps completed, including skipped ones.
    pub(crate) step: u64,
    /// Steps skipped because of a non-finite number.
    pub(crate) skipped: u64,
    /// Consecutive skipped steps up to the last step.
    pub(crate) skipped_in_a_row: u64,
}

impl Trainer {
    /// Starts with untrained weights, determined by the seed.
    ///
    /// # Errors
    /// If a configuration is invalid.
    pub fn new(
        model: &ModelConfig,
        config: TrainConfig,
        seed: u64,
        compute: &Compute,
    ) -> Result<Self, TrainError> {
        let heads = config.shape(model)?.heads;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let weights = ModelWeights::initial_with(model, &heads, &mut rng);
        Self::with_weights(model, config, &weights, compute)
    }

    /// Starts with these weights. Missing auxiliary heads start untrained.
    ///
    /// # Errors
    /// If a configuration is invalid or `weights` does not fit it.
    pub fn with_weights(
        model: &ModelConfig,
        config: TrainConfig,
        weights: &ModelWeights,
        compute: &Compute,
    ) -> Result<Self, TrainError> {
        let shape = config.shape(model)?;
        weights.check(model)?;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let untrained = ModelWeights::initial_with(model, &shape.heads, &mut rng);
        let state = LearnerState::new(shape.layout.flatten(weights, &untrained)?);
        Ok(Self::with_state(shape, config, state, compute))
    }

    pub(crate) fn with_state(
        shape: LearnerShape,
        config: TrainConfig,
        state: LearnerState,
        compute: &Compute,
    ) -> Self {
        Self {
            backend: compute.load(shape.clone(), state),
            shape,
            config,
            progress: Progress::default(),
        }
    }

    /// Sets the number of steps that the weights have already made.
    #[must_use]
    pub fn at_step(mut self, step: u64) -> Self {
        self.progress.step = step;
        self
    }

    /// Changes the settings of all later steps. The heads remain, so a head that had a weight keeps
    /// one.
    pub fn configure(&mut self, config: TrainConfig) {
        self.config = config;
    }

    /// Steps completed, including skipped ones.
    pub fn n_steps(&self) -> u64 {
        self.progress.step
    }

    /// The weights after the last step.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn weights(&self) -> Result<ModelWeights, TrainError> {
        let state = self.backend.state()?;
        Ok(self.shape.layout.unflatten(&state.weights))
    }

    /// The averaged weights, which are used for play.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn averaged_weights(&self) -> Result<ModelWeights, TrainError> {
        let state = self.backend.state()?;
        Ok(self.shape.layout.unflatten(&state.average))
    }

    /// Performs one step on a batch determined by the window's contents, the endgame samples,
    /// `seed` and the step's number. On the processor it reports this step; on a device it
    /// occasionally reports all steps since the last report.
    ///
    /// # Errors
    /// When the window is empty, a sample does not fit the network, the device fails, or too many
    /// consecutive steps had non-finite numbers.
    pub fn step(
        &mut self,
        window: &ReplayWindow,
        endgame_samples: &EndgameSamples,
        seed: u64,
    ) -> Result<Option<StepSums>, TrainError> {
        let (step, batch_size) = (self.progress.step, self.config.batch_size);
        let endgame_samples: Vec<&Sample> = endgame_samples.draw(seed, step, batch_size).collect();
        let places = window.draw(seed, step, batch_size - endgame_samples.len());
        let samples = places.into_par_iter().map(|at| window.sample(at));
        let samples = samples.chain(endgame_samples.into_par_iter().cloned());
        let samples: Vec<Sample> = samples.collect();
        let root_fraction = self.config.value_root_fraction_at(step);
        let batch = targets::batch(&samples, &self.shape, root_fraction)?;
        self.step_on(&batch)
    }

    /// Reports the steps since the last report, if any, at the end of a stage.
    ///
    /// # Errors
    /// When the device fails, or too many consecutive steps had non-finite numbers.
    pub fn report(&mut self) -> Result<Option<StepSums>, TrainError> {
        let sums = self.backend.report()?;
        self.take_in(sums)
    }

    /// Performs one step on a batch. A step with a non-finite loss or gradient changes no weight.
    pub(crate) fn step_on(&mut self, batch: &TrainBatch) -> Result<Option<StepSums>, TrainError> {
        let step = self.progress.step;
        if batch.is_empty() {
            return Err(TrainError::EmptyBatch { step });
        }
        let sums = self.backend.step(batch, &self.config.step_settings(step))?;
        self.progress.step += 1;
        self.take_in(sums)
    }

    /// Counts skipped steps.
    fn take_in(&mut self, sums: Option<StepSums>) -> Result<Option<StepSums>, TrainError> {
        let Some(sums) = sums else {
            return Ok(None);
        };
        let step = self.progress.step - 1;
        let progress = &mut self.progress;
        progress.skipped += sums.n_skipped;
        progress.skipped_in_a_row = sums.skipped_in_a_row(progress.skipped_in_a_row);
        if progress.skipped_in_a_row > MAX_SKIPPED {
            let skipped = progress.skipped_in_a_row;
            return Err(TrainError::Diverged { step, skipped });
        }
        if sums.n_skipped > 0 {
            let n_skipped = sums.n_skipped;
            tracing::warn!(
                step,
                n_skipped,
                "skipped training steps: a number was not finite"
            );
        }
        Ok(Some(sums))
    }
}
