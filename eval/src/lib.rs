//! Openings, matches, the gate, ratings and baseline players.
//!
//! Everything here is deterministic: a seed is an argument, and results do not depend on the
//! number of threads.

mod alphabeta;
pub mod anchors;
mod baselines;
mod elo;
mod error;
mod gate;
mod ladder;
mod matches;
pub mod openings;
mod pentanomial;
mod ratings;
mod seed;
mod sprt;

pub use alphabeta::{AlphaBeta, Analysis, MAN, WIN, is_decided, material};
pub use baselines::Baseline;
pub use elo::{
    EloInterval, Z_95, elo_of_score, expected_score, likelihood_of_superiority, normal_cdf,
    normalized_elo,
};
pub use error::EvalError;
pub use gate::{GateReport, Verdict, gate};
pub use ladder::{Ladder, LadderStep, climb, run_ratings};
pub use matches::{Arena, Counts, Entrant, MatchGame, MatchResult, play_match};
pub use openings::Opening;
pub use pentanomial::Pentanomial;
pub use ratings::{Component, PlayerRating, RatingOptions, RatingTable, Tallies, Tally, rate};
pub use sprt::{SprtBounds, SprtState};
