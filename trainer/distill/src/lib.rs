//! From the games of a run to a learned evaluation.
//!
//! A [`Collector`] takes the quiet positions of recorded games, each once, with the game's result and the
//! searched value; whole games are held out. [`Training`] fits a network to them: the square of the
//! distance between its expected result and a mixture of result and value, which [`search_scores`] can
//! find anew by a deeper search. The first layer's gradient is sparse and everything else small, so a step
//! is written by hand.
//!
//! Nothing here reads files or clocks. What comes out depends on the records and the [`Config`] alone: not
//! on threads, nor on how often training was interrupted.

mod config;
mod examples;
mod gradient;
mod play;
mod quiet;
mod relabel;
mod state;
mod training;

pub use config::Config;
pub use examples::{Collector, Example, Examples, Summary};
pub use play::{PlayConfig, PlayJob, play_games};
pub use relabel::{ScoreJob, search_scores};
pub use state::StateError;
pub use training::{Loss, Training};
