//! The report of a tournament.

use ratings::{RatingOptions, RatingReport, ZERO};
use serde::Serialize;

use super::record::Tournament;
use super::schedule::Schedule;
use crate::error::EvalError;

/// The result as JSON: the keys of [`RatingReport`], and the tournament's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TournamentReport {
    /// The ratings in relative Elo: 0 is the player `random` if it takes part.
    #[serde(flatten)]
    pub ratings: RatingReport,
    /// The tournament behind them.
    pub tournament: TournamentSummary,
}

/// A tournament without its games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TournamentSummary {
    /// Name of the variant.
    pub variant: String,
    /// The schedule.
    pub schedule: Schedule,
    /// Seed of openings and players.
    pub seed: u64,
    /// Pairs played by all players, including earlier calls.
    pub pairs: usize,
    /// Repeated games between the same players, which do not count.
    pub duplicates: u64,
    /// True if the schedule was played to its end.
    pub complete: bool,
}

impl TournamentReport {
    /// Rates the games so far.
    ///
    /// # Errors
    /// As [`RatingReport::new`].
    pub fn new(
        tournament: &Tournament,
        schedule: Schedule,
        complete: bool,
    ) -> Result<TournamentReport, EvalError> {
        let (results, duplicates) = tournament.results();
        Ok(TournamentReport {
            ratings: RatingReport::new(&results, &RatingOptions::usual(Some(ZERO)))?,
            tournament: TournamentSummary {
                variant: tournament.terms.variant.clone(),
                schedule,
                seed: tournament.terms.seed,
                pairs: tournament.pairs_played(),
                duplicates,
                complete,
            },
        })
    }
}
