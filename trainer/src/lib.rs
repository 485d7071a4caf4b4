//! From samples to better weights.
//!
//! A [`Trainer`] makes one step after another: it draws a batch from the replay window, computes
//! losses and their gradient, shortens the gradient, and lets AdamW change the weights. The
//! averaged weights are the ones to play with.
//!
//! * Policy: cross-entropy between the search's improved policy and the softmax over the legal
//!   moves; with [`TrainConfig::soft_policy_weight`] a second head learns the same target to the
//!   power of 1/4.
//! * Value: cross-entropy of win, draw and loss with the game's end, mixed with what the search said;
//!   with [`TrainConfig::short_value_weight`] further heads learn the values of the next few plies.
//!
//! Gradients come from `model::cpu::backprop` on a processor, where they are several times faster
//! than by burn, or from burn's autodiff on its devices ([`Compute`]). Tests hold them together.
//!
//! The same seed, window and settings give the same weights, bit for bit, whatever the number of
//! threads and however often training is stopped, saved and resumed.

mod adamw;
mod average;
mod batch;
mod burn_gradient;
mod config;
mod cpu_gradient;
mod error;
#[cfg(test)]
mod fixtures;
mod loss;
mod parameters;
mod state;
mod trainer;

pub use config::TrainConfig;
pub use error::TrainError;
pub use loss::Losses;
pub use trainer::{Compute, StepReport, Trainer};
