//! Tournaments: any number of players that meet in pairs of games.
//!
//! [`Tournament`] is the stored state; [`Schedule`] decides who meets next; [`play_tournament`]
//! plays. A game depends on the tournament's seed, its two players and its number among their
//! games, not on threads, stops or other players.

mod play;
mod record;
mod report;
mod schedule;

pub use play::{
    PairBatch, PlayedBatch, TakeBatch, TournamentRunner, TournamentSetup, play_tournament,
};
pub use record::{Meeting, PairRecord, Terms, Tournament};
pub use report::{TournamentReport, TournamentSummary};
pub use schedule::Schedule;
