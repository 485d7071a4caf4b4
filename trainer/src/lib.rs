//! From samples to better weights: losses, gradients, AdamW, averaged weights, resumable state.

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
