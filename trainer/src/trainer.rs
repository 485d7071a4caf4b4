//! The trainer: one optimiser step after another.

use burn::tensor::Device;
use model::{ModelConfig, ModelError, Weights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use store::ReplayWindow;

use crate::adamw::{self, AdamW};
use crate::average::Average;
use crate::batch::TrainBatch;
use crate::cpu_gradient::CpuGradient;
use crate::loss::Losses;
use crate::parameters::Layout;
use crate::{TrainConfig, TrainError, burn_gradient};

/// Steps in a row that may be skipped before training stops with an error.
const MAX_SKIPPED: u32 = 5;

/// Where gradients are computed. The optimiser always runs on the CPU.
#[derive(Clone, Debug)]
pub enum Compute {
    /// On the CPU, by rayon's threads. The result does not depend on their number.
    Cpu,
    /// On a device of burn.
    Device(Device),
}

impl Compute {
    /// `cpu`, or a device of [`model::network::device`].
    ///
    /// # Errors
    /// When this build has no such device.
    pub fn named(name: &str) -> Result<Self, ModelError> {
        match name {
            "cpu" => Ok(Self::Cpu),
            name => model::network::device(name).map(Self::Device),
        }
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The step's number, from 0.
    pub step: u64,
    /// Losses before the step.
    pub losses: Losses,
    /// Length of the gradient before it was shortened.
    pub gradient_norm: f64,
    /// The learning rate.
    pub learning_rate: f32,
    /// Whether the step was skipped, because a number was not finite.
    pub skipped: bool,
}

/// Turns samples into better weights.
pub struct Trainer {
    pub(crate) model: ModelConfig,
    pub(crate) config: TrainConfig,
    compute: Compute,
    cpu_gradient: CpuGradient,
    pub(crate) layout: Layout,
    /// [parameter] the present weights.
    pub(crate) values: Vec<f32>,
    pub(crate) optimiser: AdamW,
    pub(crate) average: Average,
    pub(crate) progress: Progress,
}

/// How far training is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    /// Steps made, with the skipped ones.
    pub(crate) step: u64,
    /// Steps skipped, because a number was not finite.
    pub(crate) skipped: u64,
    /// How many of these came last, without a good step between them.
    pub(crate) skipped_in_a_row: u32,
}

impl Trainer {
    /// Begins with untrained weights, which follow from the seed.
    ///
    /// # Errors
    /// When a configuration makes no sense.
    pub fn new(
        model: ModelConfig,
        config: TrainConfig,
        seed: u64,
        compute: Compute,
    ) -> Result<Self, TrainError> {
        model.validate()?;
        let weights = Weights::initial(&model, &mut ChaCha8Rng::seed_from_u64(seed));
        Self::with_weights(model, config, &weights, compute)
    }

    /// Begins with these weights. Auxiliary heads that they lack begin untrained.
    ///
    /// # Errors
    /// When a configuration makes no sense or `weights` does not fit it.
    pub fn with_weights(
        model: ModelConfig,
        config: TrainConfig,
        weights: &Weights,
        compute: Compute,
    ) -> Result<Self, TrainError> {
        model.validate()?;
        config.validate()?;
        weights.check(&model)?;
        let layout = Layout::new(&model, &config);
        let untrained = Weights::initial(&model, &mut ChaCha8Rng::seed_from_u64(0));
        let values = layout.flatten_or_begin(weights, &untrained)?;
        Ok(Self {
            optimiser: AdamW::new(values.len()),
            average: Average::new(values.clone()),
            progress: Progress::default(),
            model,
            config,
            compute,
            cpu_gradient: CpuGradient::default(),
            layout,
            values,
        })
    }

    /// Steps made so far, with the skipped ones.
    pub fn n_steps(&self) -> u64 {
        self.progress.step
    }

    /// Steps skipped so far, because a number was not finite.
    pub fn n_skipped(&self) -> u64 {
        self.progress.skipped
    }

    /// The weights after the last step.
    pub fn weights(&self) -> Weights {
        self.layout.unflatten(&self.values)
    }

    /// The averaged weights: those to play with.
    pub fn averaged_weights(&self) -> Weights {
        self.layout.unflatten(&self.average.values)
    }

    /// One step on a batch that follows from the window's content, `seed` and the step's number.
    ///
    /// # Errors
    /// When the window is empty, a sample does not fit the network, or too many steps in a row
    /// gave numbers that are not finite.
    pub fn step(&mut self, window: &ReplayWindow, seed: u64) -> Result<StepReport, TrainError> {
        let samples = window.batch(seed, self.progress.step, self.config.batch_size);
        let batch = TrainBatch::new(&samples, &self.model, &self.config)?;
        self.step_on(&batch)
    }

    /// One step on a batch. A loss or gradient that is not finite changes no weight.
    pub(crate) fn step_on(&mut self, batch: &TrainBatch) -> Result<StepReport, TrainError> {
        let step = self.progress.step;
        if batch.len() == 0 {
            return Err(TrainError::EmptyBatch { step });
        }
        let (losses, mut gradient) = self.gradient(batch)?;
        let gradient_norm = adamw::norm(&gradient);
        let report = StepReport {
            step,
            losses,
            gradient_norm,
            learning_rate: self.config.learning_rate_at(step),
            skipped: !(losses.total(&self.config).is_finite() && gradient_norm.is_finite()),
        };
        self.progress.step += 1;
        if report.skipped {
            return self.skip(report);
        }
        self.progress.skipped_in_a_row = 0;
        adamw::clip(&mut gradient, gradient_norm, self.config.gradient_clip);
        self.optimiser.update(
            &mut self.values,
            &gradient,
            report.learning_rate,
            &self.layout,
            &self.config,
        );
        self.average.update(&self.values, self.config.ema_decay);
        Ok(report)
    }

    fn gradient(&mut self, batch: &TrainBatch) -> Result<(Losses, Vec<f32>), TrainError> {
        let (model, weights, config) = (&self.model, self.weights(), &self.config);
        let (losses, gradient) = match &self.compute {
            Compute::Cpu => self.cpu_gradient.gradient(model, &weights, batch, config)?,
            Compute::Device(device) => {
                burn_gradient::gradient(model, &weights, batch, config, device)?
            }
        };
        Ok((losses, self.layout.flatten(&gradient)?))
    }

    fn skip(&mut self, report: StepReport) -> Result<StepReport, TrainError> {
        self.progress.skipped += 1;
        self.progress.skipped_in_a_row += 1;
        if self.progress.skipped_in_a_row > MAX_SKIPPED {
            return Err(TrainError::Diverged {
                step: report.step,
                skipped: self.progress.skipped_in_a_row,
                loss: report.losses.total(&self.config),
                gradient_norm: report.gradient_norm,
            });
        }
        tracing::warn!(
            step = report.step,
            gradient_norm = report.gradient_norm,
            "skipped a training step: a number was not finite"
        );
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_tiny_network_learns_a_tiny_batch() {
        let mut trainer = fixtures::trainer();
        let batch = fixtures::batch(8, 3);
        let first = trainer.step_on(&batch).unwrap().losses;
        for _ in 0..300 {
            trainer.step_on(&batch).unwrap();
        }
        let last = trainer.step_on(&batch).unwrap().losses;
        assert!(first.policy_divergence > 0.1, "{first:?}");
        assert!(last.policy_divergence < 0.02, "{last:?}");
        assert!(last.value < 0.1 && last.value_accuracy == 1.0, "{last:?}");
        assert_eq!(trainer.n_skipped(), 0);
    }

    #[test]
    fn numbers_that_are_not_finite_change_nothing_and_end_the_training() {
        let mut trainer = fixtures::trainer();
        let good = fixtures::batch(4, 3);
        let mut bad = good.clone();
        bad.value[0] = [f32::NAN; 3];
        trainer.step_on(&good).unwrap();
        let before = (trainer.weights(), trainer.averaged_weights());
        for _ in 0..MAX_SKIPPED {
            assert!(trainer.step_on(&bad).unwrap().skipped);
        }
        assert_eq!(before, (trainer.weights(), trainer.averaged_weights()));
        assert!(!trainer.step_on(&good).unwrap().skipped);
        for _ in 0..MAX_SKIPPED {
            assert!(trainer.step_on(&bad).unwrap().skipped);
        }
        let error = trainer.step_on(&bad).unwrap_err().to_string();
        assert!(error.contains("6 steps in a row up to step 12"), "{error}");
    }

    #[test]
    fn empty_batches_are_refused() {
        let error = fixtures::trainer().step_on(&TrainBatch::default());
        assert!(matches!(error, Err(TrainError::EmptyBatch { step: 0 })));
    }
}
