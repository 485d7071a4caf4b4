//! Training on the processor: flat vectors in the order of the layout.

use super::gradient::CpuGradient;
use super::{adamw, average, optimizer};
use crate::backend::{Backend, LearnerShape, LearnerState, StepSettings, StepSums};
use crate::batch::TrainBatch;
use crate::{ModelError, ModelWeights};

/// A network in training on the processor.
pub(crate) struct CpuLearner {
    shape: LearnerShape,
    gradient: CpuGradient,
    state: LearnerState,
}

impl CpuLearner {
    pub(crate) fn new(shape: LearnerShape, state: LearnerState) -> Self {
        Self {
            shape,
            gradient: CpuGradient::default(),
            state,
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
        let weights = layout.unflatten(&self.state.weights);
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
        optimizer::update(&mut self.state, &gradient, layout, settings);
        average::update(&mut self.state, settings.ema_decay);
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
        Ok(self.state.clone())
    }
}
