//! Openings, matches, the gate, tournaments and baseline players.
//!
//! * [`openings`] are the start positions of games; [`play_match`] plays each with both colors.
//! * [`Adjudication`] ends games early; it is off by default.
//! * [`gate`](fn@gate) decides with few games whether a candidate is stronger than its champion.
//! * [`climb`] rates a player against [`Baseline`]s, whose own games define the scale
//!   ([`anchors`]); [`survey`] does so with many games.
//! * [`play_tournament`] plays a tournament of any number of players, and resumes it.
//! * [`score_endgames`] compares a network and its search with an endgame database.
//! * [`read_results`] reads results from PDN and PGN, for [`ratings::rate`].
//!
//! Everything here is deterministic: a seed is an argument, and results do not depend on the
//! number of threads.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! use eval::{Arena, Baseline, PlayerFactory, openings, play_match};
//! use rules::Variant;
//! use types::Seed;
//!
//! let [a, b] = ["alphabeta:depth=2", "random"].map(|name| name.parse::<Baseline>());
//! let (a, b): (PlayerFactory, PlayerFactory) = (a?.into(), b?.into());
//! let openings = openings::sample(Variant::Thai, 3, Seed::new(1));
//! let stop = AtomicBool::new(false);
//! let arena = Arena::new(Seed::new(1), 2, &stop);
//! let result = play_match([&a, &b], &openings, &arena, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(result.pairs.0, [0, 0, 0, 0, 3]);
//! # Ok::<(), eval::EvalError>(())
//! ```

mod adjudication;
mod alphabeta;
pub mod anchors;
mod baselines;
mod digest;
mod endgames;
mod error;
mod gate;
mod ladder;
mod matches;
pub mod openings;
mod results;
mod survey;
mod tournament;

pub use adjudication::{Adjudication, DrawAgreement, Resign, Resignation};
pub use alphabeta::{AlphaBeta, FixedDepthAnalysis, MAN, WIN, is_decided, material};
pub use baselines::Baseline;
pub use endgames::{EndgameErrors, EndgameScore, score_endgames};
pub use error::EvalError;
pub use gate::{GateGame, GatePair, GateReport, GateTest, gate};
pub use ladder::{Ladder, LadderStep, climb};
pub use matches::{
    Arena, ClockKind, ClockTerms, Computes, Forfeit, Forfeits, LocalRunner, MatchEvent, MatchGame,
    MatchReport, MatchResult, MatchRunner, OpenPairs, PlayerFactory, Resignations, TakePair,
    play_match,
};
pub use openings::Opening;
pub use ratings::Verdict;
pub use results::{ReadSummary, Skipped, read_results};
pub use survey::survey;
pub use tournament::{
    Meeting, PairBatch, PairRecord, PlayedBatch, Schedule, TakeBatch, Terms, Tournament,
    TournamentReport, TournamentRunner, TournamentSetup, TournamentSummary, play_tournament,
};
