//! Players: search, evaluator and clock behind one trait.
//!
//! A [`Player`] chooses moves in many games at once, so that they share a network's batches; a
//! choice never depends on the other games. An [`Analyzer`] searches one position until it is
//! stopped or reaches its limits. [`hub`] makes analyzers Hub engines, and Hub engines players;
//! [`dxp`] does the same for programs that speak the DamExchange protocol.

mod alphabeta;
mod analyzer;
pub mod defaults;
pub mod dxp;
mod findings;
pub mod hub;
mod pace;
mod player;
mod rollouts;
mod search_player;
mod time;
mod with_evaluation;

pub use alphabeta::{AlphaBetaConfig, AlphaBetaPlayer};
pub use analyzer::{Analyzer, Chooser, Control, MAX_LINES, SearchLimits, Stopper, Task};
pub use findings::{Findings, Variation};
pub use player::{Choice, Fault, Player, PlayerError, Turn, choose_in_turn};
pub use rollouts::Rollouts;
pub use search_player::{GAMES_AT_ONCE, SearchPlayer, SearchPlayerConfig, TREE_MEMORY};
pub use time::{Allotment, Clock, TimeControl, TimeControlError, TimeLeft};
pub use with_evaluation::WithEvaluation;
