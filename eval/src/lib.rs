//! Openings, matches, the gate, ratings and baseline players.
//!
//! * [`openings`] are the start positions of games; [`play_match`] plays each with both colours.
//! * [`Adjudication`] ends games early; it is off by default.
//! * [`gate`](fn@gate) decides with few games whether a candidate is stronger than its champion.
//! * [`climb`] rates a player against [`Baseline`]s, whose own games define the scale ([`anchors`]); [`survey`] does
//!   with many games.
//! * [`play_tournament`] plays a tournament of any number of players, and resumes it.
//! * [`score_endgames`] compares a network and its search with an endgame database.
//! * [`rate`] fits ratings to any pool of games, [`read_results`] reads them from PDN and PGN, and
//!   [`RatingReport`] is the report.
//! * [`Growth`] says what ratings runs of so many games are expected to reach.
//!
//! Everything here is deterministic: a seed is an argument, and results do not depend on the
//! number of threads.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! use eval::{Adjudication, Arena, Baseline, PlayerFactory, openings, play_match};
//! use rules::Variant;
//! use search::Seed;
//!
//! let [a, b] = ["alphabeta:depth=2", "random"].map(|name| name.parse::<Baseline>());
//! let (a, b): (PlayerFactory, PlayerFactory) = (a?.into(), b?.into());
//! let openings = openings::sample(Variant::Thai, 3, Seed::new(1));
//! let stop = AtomicBool::new(false);
//! let arena = Arena { seed: Seed::new(1), threads: 2, pairs_at_once: 2, first_pair: 0, adjudication: Adjudication::OFF, stop: &stop };
//! let result = play_match([&a, &b], &openings, &arena, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(result.pairs.0, [0, 0, 0, 0, 3]);
//! # Ok::<(), eval::EvalError>(())
//! ```

mod adjudication;
mod alphabeta;
pub mod anchors;
mod baselines;
mod digest;
mod elo;
mod endgames;
mod error;
mod gate;
mod growth;
mod ladder;
mod matches;
pub mod openings;
mod pentanomial;
mod ratings;
mod report;
mod results;
mod run_ratings;
mod scale;
mod sprt;
mod survey;
mod tournament;

pub use adjudication::{Adjudication, DrawAgreement, Resign, Resignation};
pub use alphabeta::{AlphaBeta, FixedDepthAnalysis, MAN, WIN, is_decided, material};
pub use baselines::Baseline;
pub use elo::{
    EloInterval, Z_95, elo_of_score, expected_score, likelihood_of_superiority, normal_cdf,
    normalized_elo,
};
pub use endgames::{EndgameErrors, EndgameScore, score_endgames};
pub use error::EvalError;
pub use gate::{
    GateErrors, GateEvent, GateGame, GatePair, GateReport, GateRule, GateTest, Verdict, gate,
};
pub use growth::{Expected, Growth, Measured, Standing};
pub use ladder::{Ladder, LadderStep, climb};
pub use matches::{
    Arena, Counts, Forfeit, Here, MatchEvent, MatchGame, MatchReport, MatchResult, OpenPairs,
    PlayerFactory, Resignations, TakePair, Venue, continue_match, play_match,
};
pub use openings::Opening;
pub use pentanomial::Pentanomial;
pub use ratings::{
    Component, DrawModel, PlayerRating, RatingFit, RatingOptions, RatingTable, Tallies, Tally,
    USUAL_PRIOR, rate,
};
pub use report::{CrossTableEntry, RatingReport};
pub use results::{ReadSummary, Skipped, read_results};
pub use run_ratings::{DirectScore, RunRating, RunRatings};
pub use scale::GoodnessOfFit;
pub use sprt::{SprtBounds, SprtState};
pub use survey::survey;
pub use tournament::{
    Hall, Meeting, PairBatch, PairRecord, PlayedBatch, Schedule, Terms, Tournament,
    TournamentReport, TournamentSetup, TournamentSummary, play_tournament,
};
