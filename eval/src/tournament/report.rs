//! The report of a tournament.

use std::collections::BTreeMap;

use ratings::{RatingOptions, RatingReport, ZERO};
use serde::Serialize;

use super::record::Tournament;
use super::schedule::Schedule;
use crate::error::EvalError;
use crate::matches::MOST_FORFEITS;

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
    /// {player: games that it forfeited}, for players that did.
    pub forfeits: BTreeMap<String, u64>,
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
                forfeits: tournament.forfeits(),
                complete,
            },
        })
    }
}

impl TournamentSummary {
    /// The forfeits in a line or two, if there are any.
    pub fn forfeit_headline(&self) -> Option<String> {
        let (count, games) = (self.forfeits.values().sum::<u64>(), 2 * self.pairs as u64);
        let by = |(player, n): (&String, &u64)| format!("{n} by {player}");
        let by: Vec<String> = self.forfeits.iter().map(by).collect();
        let verdict = match count as f64 > MOST_FORFEITS * games as f64 {
            true => "\nThe ratings are not a measure of strength.",
            false => "",
        };
        let by = by.join(", ");
        (count > 0).then(|| format!("{count} of {games} games were forfeited: {by}.{verdict}"))
    }
}
