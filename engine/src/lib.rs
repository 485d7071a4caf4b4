//! Players: search, evaluator and clock behind one trait.
//!
//! A [`Player`] is asked about many games at once, so that one network evaluation serves them all;
//! its answers never depend on which games are asked about together. A [`Thinker`] looks at one
//! position until somebody stops it or the clock does. [`hub`] makes engines of thinkers, and
//! players of other people's engines.

pub mod hub;
mod mcts;
mod net;
mod player;
mod think;
mod time;

pub use mcts::Mcts;
pub use net::{NetPlayer, NetPlayerConfig};
pub use player::{Choice, Fault, Player, PlayerError, Turn};
pub use think::{Control, Limits, Task, Thinker, Thought, Watch};
pub use time::{Clock, TimeControl, TimeControlError, TimeLeft};
