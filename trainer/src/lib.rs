//! From samples to better weights.
//!
//! A [`Trainer`] makes one step after another: it draws a batch from the replay window, and a
//! [`Backend`](model::backend::Backend) computes losses and their gradient, shortens the gradient, and
//! lets the optimiser change the weights. The averaged weights are the ones to play with.
//!
//! What the heads learn is said in `targets`, how they are scored in [`model::heads`]:
//!
//! * Policy: cross-entropy between the search's improved policy and the softmax over the legal moves;
//!   with [`TrainConfig::soft_policy_weight`] a second head learns the same target to the power of 1/4.
//! * Value: cross-entropy of win, draw and loss with the game's end, mixed with what the search said.
//!
//! The same seed, window and settings give the same weights, bit for bit, whatever the number of
//! threads and however often training is stopped, saved and resumed, on processors that multiply the same numbers.

mod config;
mod error;
#[cfg(feature = "train")]
mod learner;
#[cfg(feature = "train")]
mod state;
#[cfg(feature = "train")]
mod targets;
#[cfg(feature = "train")]
mod trainer;

pub use config::{StepsAt, TrainConfig};
pub use error::TrainError;
#[cfg(feature = "train")]
pub use model::{Compute, Losses};
#[cfg(feature = "train")]
pub use trainer::{StepReport, Trainer};

#[cfg(test)]
mod tests;
