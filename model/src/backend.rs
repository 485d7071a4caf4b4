//! The interface of backends: training a network, on any device.

use crate::batch::TrainBatch;
use crate::loss::Losses;
use crate::shape::Layout;
use crate::{ModelConfig, ModelError, NetworkHeads, Optimiser, PerHead, StepPrecision};

/// Weights that learn: the backend's own form of them, of the optimiser's moments and of the
/// averaged weights, which stay where it computes.
pub trait Backend: Send {
    /// One step of the optimiser on a batch. A loss or gradient that is not finite changes no
    /// weight.
    ///
    /// The losses are not always known at once: the answer is `None` until they are read.
    ///
    /// # Errors
    /// When the device fails.
    fn step(
        &mut self,
        batch: &TrainBatch,
        settings: &StepSettings,
    ) -> Result<Option<StepSums>, ModelError>;

    /// Sums of the steps since the last report; `None` if there were none.
    ///
    /// # Errors
    /// When the device cannot be read.
    fn report(&mut self) -> Result<Option<StepSums>, ModelError>;

    /// Everything that training resumes from.
    ///
    /// # Errors
    /// When the device cannot be read.
    fn state(&self) -> Result<LearnerState, ModelError>;
}

/// A network that can be trained.
#[derive(Clone, Debug)]
pub struct LearnerShape {
    /// Its shape.
    pub config: ModelConfig,
    /// Its heads.
    pub heads: NetworkHeads,
    /// Places of its tensors in the vectors of a [`LearnerState`].
    pub layout: Layout,
}

/// Everything that training resumes from. Vectors are `[parameter]`, in the order of a [`Layout`].
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerState {
    /// The present weights.
    pub weights: Vec<f32>,
    /// The averaged weights: those to play with.
    pub average: Vec<f32>,
    /// Running mean of the gradient.
    pub gradient_mean: Vec<f32>,
    /// Running mean of the squared gradient.
    pub gradient_square: Vec<f32>,
    /// Updates of the two means.
    pub optimiser_updates: u64,
    /// Weights averaged.
    pub average_updates: u64,
}

/// Settings of a training step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSettings {
    /// Precision of the products in convolutions. A device multiplies 32 bits.
    pub precision: StepPrecision,
    /// The formula that moves the weights.
    pub optimiser: Optimiser,
    /// Its step size.
    pub learning_rate: f32,
    /// Its lambda: pull of the matrices towards zero, per step and unit of learning rate.
    pub weight_decay: f32,
    /// Longest gradient, in the Euclidean norm over all parameters; longer ones are shortened.
    pub gradient_clip: f32,
    /// Decay of the averaged weights per step.
    pub ema_decay: f32,
    /// Weight of each head's loss.
    pub loss_weights: PerHead<f32>,
    /// Steps on a device from one reading of the losses to the next. The processor has no need of
    /// it.
    pub steps_between_reports: u64,
}

/// Sums over some steps, except skipped ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSums {
    /// Steps, with the skipped ones.
    pub n_steps: u64,
    /// Steps that changed nothing, because a number was not finite.
    pub n_skipped: u64,
    /// Skipped steps since the last good one.
    pub n_skipped_last: u64,
    /// Steps whose gradient was shortened.
    pub n_clipped: u64,
    /// Sums of the losses before each step.
    pub losses: Losses,
    /// Sum of the gradients' lengths before they were shortened.
    pub gradient_norm: f64,
}

impl LearnerState {
    /// The first state of training with these weights.
    pub fn new(weights: Vec<f32>) -> Self {
        let zeros = vec![0.0; weights.len()];
        Self {
            average: weights.clone(),
            gradient_mean: zeros.clone(),
            gradient_square: zeros,
            weights,
            optimiser_updates: 0,
            average_updates: 0,
        }
    }
}
