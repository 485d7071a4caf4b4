//! Players: search, evaluator and clock behind one trait.
//!
//! A [`Player`] is asked about many games at once, so that one network evaluation serves them all;
//! its answers never depend on which games are asked about together.

mod net;
mod player;

pub use net::{NetPlayer, NetPlayerConfig};
pub use player::{Choice, Player, PlayerError, Turn};
