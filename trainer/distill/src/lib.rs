//! Distillation of a run's games into a learned evaluation.
//!
//! A [`Collector`] collects the quiet positions of recorded games, each once, with the game's
//! result and the searched value; it holds out whole games. [`Training`] fits a network to them,
//! with the squared error of its expected result against a mixture of result and value. A
//! [`Teacher`] plays games, and can recompute the value with a deeper search. The first layer's
//! gradient is sparse and everything else small, so the training step is written by hand.
//!
//! Nothing here reads files or clocks. The outcome depends only on the records and the [`Config`],
//! not on threads or interruptions.

mod config;
mod examples;
mod gradient;
mod play;
mod quiet;
mod relabel;
mod state;
mod teacher;
mod training;

pub use config::Config;
pub use examples::{Collector, Example, Examples, Summary};
pub use play::{PlayConfig, PlayJob};
pub use relabel::ScoreJob;
pub use state::StateError;
pub use teacher::Teacher;
pub use training::{Loss, Training};
