//! The result of a match.

use ratings::{Counts, EloInterval, Pentanomial, Tallies};
use serde::{Deserialize, Serialize};

use super::game::MatchGame;

/// Audit of resignations, from games that were played to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resignations {
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that were played to their end after a resignation.
    pub audited: u64,
    /// Audited games that the resigning side did not lose.
    pub not_lost: u64,
}

/// The result of a match for side 0. Duplicates are listed, but only counted as duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchResult {
    /// The names of the two sides.
    pub names: [String; 2],
    /// Side 0's results in games where it made the first move.
    pub moving_first: Counts,
    /// Side 0's results in the other games.
    pub moving_second: Counts,
    /// Pairs without a duplicate game.
    pub pairs: Pentanomial,
    /// Repeated games.
    pub duplicates: u64,
    /// All games, pair after pair.
    pub games: Vec<MatchGame>,
}

impl Resignations {
    /// The audit of resignations in these games.
    pub fn of(games: &[MatchGame]) -> Self {
        let mut audit = Self::default();
        for game in games {
            match game.resignation {
                Some(resignation) if resignation.audited => {
                    audit.audited += 1;
                    let points = game.outcome.half_points(resignation.color);
                    audit.not_lost += u64::from(points > 0);
                }
                resignation => audit.resigned += u64::from(resignation.is_some()),
            }
        }
        audit
    }

    /// The sum of two audits.
    pub fn plus(self, other: Self) -> Self {
        Self {
            resigned: self.resigned + other.resigned,
            audited: self.audited + other.audited,
            not_lost: self.not_lost + other.not_lost,
        }
    }

    /// The audit as text; `None` without resignations.
    pub fn describe(&self) -> Option<String> {
        (self.resigned + self.audited > 0).then(|| {
            format!(
                "{} resigned; {} more were played to the end, {} of them not lost by the side that \
                 would have resigned",
                self.resigned, self.audited, self.not_lost
            )
        })
    }
}

impl MatchResult {
    pub(super) fn count(&mut self, games: [MatchGame; 2]) {
        for game in &games {
            match (game.duplicate, game.swapped) {
                (true, _) => self.duplicates += 1,
                (_, false) => self.moving_first.add(game.half_points()),
                (_, true) => self.moving_second.add(game.half_points()),
            }
        }
        if !games.iter().any(|game| game.duplicate) {
            let half_points: u32 = games.iter().map(MatchGame::half_points).sum();
            self.pairs.add(half_points as usize);
        }
        self.games.extend(games);
    }

    /// Pairs played, duplicates included.
    pub fn pairs_played(&self) -> u64 {
        self.games.len() as u64 / 2
    }

    /// Side 0's results over both colors.
    pub fn total(&self) -> Counts {
        self.moving_first.plus(self.moving_second)
    }

    /// Side 0's advantage in Elo.
    pub fn elo(&self) -> EloInterval {
        EloInterval::from_pairs(&self.pairs)
    }

    /// The results for a rating.
    pub fn tallies(&self) -> Tallies {
        let [first, second] = &self.names;
        let mut tallies = Tallies::default();
        tallies.add_counts(first, second, self.moving_first.to_array());
        tallies.add_counts(second, first, self.moving_second.reversed());
        tallies
    }
}
