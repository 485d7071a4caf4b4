//! Statistics of game results: Elo, sequential tests, ratings. Knows neither rules nor players.
//!
//! * [`Counts`] are the games of one side, [`Pentanomial`] the results of pairs, [`Tallies`] the
//!   results of a pool.
//! * [`EloInterval`] is the Elo difference of two players, [`SprtBounds`] the sequential test of
//!   one, [`GateRule`] that test with a maximum of pairs.
//! * [`rate`] fits *relative Elo* to any pool of games; [`RatingReport`] is the report.
//! * [`RunRatings`] gives *Elo above random*: the players of a run on the scale of fixed baselines.
//! * [`Estimate`] is a statistic with its interval, [`Logistic`] the fit of results to features.
//! * [`rank_correlation`] compares two evaluations of the same positions.
//! * [`Growth`] predicts the ratings of runs from recorded runs.
//!
//! # Two scales
//!
//! | | relative Elo | Elo above random |
//! |---|---|---|
//! | 0 is | the mean of connected players, or a chosen player | the player [`ZERO`] |
//! | compares | the players of one table | players of all tables and runs of a game |
//! | draws | are part of the model | only determine how certain a score is |
//! | fit | [`rate`] | [`RunRatings`] |
//!
//! Relative Elo only needs the games, and agrees with BayesElo. Elo above random needs games
//! against baselines whose own games define the scale. If draws are frequent, the same games give
//! different differences on the two scales: never compare numbers of different scales.

mod bisection;
mod cholesky;
mod counts;
mod elo;
mod error;
mod estimate;
mod gate_rule;
mod growth;
mod logistic;
mod pentanomial;
mod pool;
mod rank;
mod report;
mod run_ratings;
mod scale;
mod sprt;
mod tally;

pub use bisection::bisect;
pub use counts::Counts;
pub use elo::{
    EloInterval, Z_95, elo_of_score, expected_score, likelihood_of_superiority, normal_cdf,
    normalized_elo,
};
pub use error::RatingError;
pub use estimate::Estimate;
pub use gate_rule::{GateErrors, GateRule};
pub use growth::{Expected, Growth, Measured, Standing};
pub use logistic::{Case, Logistic};
pub use pentanomial::Pentanomial;
pub use pool::{
    Component, DrawModel, PlayerRating, RatingFit, RatingOptions, RatingTable, USUAL_PRIOR, rate,
};
pub use rank::{bootstrap, rank_correlation};
pub use report::{CrossTableEntry, RatingReport};
pub use run_ratings::{DirectScore, RunRating, RunRatings, ZERO};
pub use scale::GoodnessOfFit;
pub use sprt::{SprtBounds, Verdict};
pub use tally::{Tallies, Tally};
