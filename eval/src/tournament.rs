//! Tournaments: any number of players, every two of whom may meet in pairs of games.
//!
//! [`Tournament`] is all that must be kept to go on later; [`Schedule`] says who meets next;
//! [`play_tournament`] plays. A game depends on the tournament's seed, its two players and its
//! number among their games: neither threads, nor stops, nor other players change it.

mod informative;
mod play;
mod record;
mod schedule;
mod swiss;

pub use play::{Batch, Field, play_tournament};
pub use record::{Meeting, PairRecord, Terms, Tournament};
pub use schedule::Schedule;
