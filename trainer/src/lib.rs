//! Training: from samples to better weights.
//!
//! A [`Trainer`] draws a batch from the replay window for each step; a
//! [`Backend`](model::backend::Backend) computes losses and their gradient, clips the gradient, and
//! lets the optimizer update the weights. The averaged weights are used for play.
//!
//! The targets of the heads are defined in `targets`, their losses in [`model::heads`]:
//!
//! * Policy: cross-entropy between the search's improved policy and the softmax over the legal
//!   moves; with [`TrainConfig::soft_policy_weight`] a second head learns the same target to the
//!   power of 1/4.
//! * Value: cross-entropy of win, draw and loss with the game's result, mixed with the searched
//!   value.
//!
//! The same seed, window and settings give the same weights, bit for bit, whatever the number of
//! threads and however often training is stopped, saved and resumed, on processors that use the
//! same precision.

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
pub use model::Compute;
#[cfg(feature = "train")]
pub use trainer::Trainer;

#[cfg(test)]
mod tests;
