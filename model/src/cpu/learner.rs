//! Training on the processor: flat vectors in the order of the layout.

use super::adamw;
use super::average::Average;
use super::gradient::CpuGradient;
use super::optimizer::Memory;
use crate::backend::{Backend, LearnerShape, LearnerState, StepSettings, StepSums};
use crate::batch::TrainBatch;
use crate::{ModelError, ModelWeights};

/// A network in training on the processor.
pub(crate) struct CpuLearner {
    shape: LearnerShape,
    gradient: CpuGradient,
    /// `[parameter]` the current weights.
    values: Vec<f32>,
    memory: Memory,
    average: Average,
}

impl CpuLearner {
    pub(crate) fn new(shape: LearnerShape, state: LearnerState) -> Self {
        Self {
            shape,
            gradient: CpuGradient::default(),
            values: state.weights,
            memory: Memory {
                mean: state.gradient_mean,
                square: state.gradient_square,
                n_updates: state.optimiser_updates,
            },
            average: Average {
                values: state.average,
                n_updates: state.average_updates,
            },
        }
    }
}

impl Backend for CpuLearner {
    fn step(
        &mut self,
        batch: &TrainBatch,
        settings: &StepSettings,
    ) -> Result<Option<StepSums>, ModelError> {
        let layout = &self.shape.layout;
        let weights = layout.unflatten(&self.values);
        let loss_weights = &settings.loss_weights;
        let (losses, gradient) =
            self.gradient
                .gradient(&self.shape.config, &weights, batch, settings)?;
        let mut gradient = layout.flatten(&gradient, &ModelWeights::new())?;
        let norm = adamw::norm(&gradient);
        if !(losses.total(loss_weights).is_finite() && norm.is_finite()) {
            return Ok(Some(StepSums {
                n_steps: 1,
                n_skipped: 1,
                n_skipped_last: 1,
                ..StepSums::default()
            }));
        }
        let is_clipped = adamw::clip(&mut gradient, norm, settings.gradient_clip);
        self.memory
            .update(&mut self.values, &gradient, layout, settings);
        self.average.update(&self.values, settings.ema_decay);
        Ok(Some(StepSums {
            n_steps: 1,
            n_clipped: u64::from(is_clipped),
            losses,
            gradient_norm: norm,
            ..StepSums::default()
        }))
    }

    fn report(&mut self) -> Result<Option<StepSums>, ModelError> {
        // Losses are already reported with every step.
        Ok(None)
    }

    fn state(&self) -> Result<LearnerState, ModelError> {
        Ok(LearnerState {
            weights: self.values.clone(),
            average: self.average.values.clone(),
            gradient_mean: self.memory.mean.clone(),
            gradient_square: self.memory.square.clone(),
            optimiser_updates: self.memory.n_updates,
            average_updates: self.average.n_updates,
        })
    }
}
