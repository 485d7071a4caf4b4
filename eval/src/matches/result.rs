//! The result of a match.

use ratings::{
    Counts, EloInterval, Pentanomial, Tallies, likelihood_of_superiority, normalized_elo,
};
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
#[derive(Clone, Debug, PartialEq)]
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
                None => {}
                Some(resignation) if resignation.audited => {
                    audit.audited += 1;
                    let points = game.outcome.half_points(resignation.color);
                    audit.not_lost += u64::from(points > 0);
                }
                Some(_) => audit.resigned += 1,
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
        let Self {
            resigned,
            audited,
            not_lost,
        } = *self;
        (resigned + audited > 0).then(|| {
            format!(
                "{resigned} resigned; {audited} more were played to the end, {not_lost} of them \
                 not lost by the side that would have resigned"
            )
        })
    }
}

impl MatchResult {
    pub(super) fn new(names: [String; 2]) -> Self {
        Self {
            names,
            moving_first: Counts::default(),
            moving_second: Counts::default(),
            pairs: Pentanomial::default(),
            duplicates: 0,
            games: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, games: [MatchGame; 2]) {
        for game in &games {
            let counts = if game.swapped {
                &mut self.moving_second
            } else {
                &mut self.moving_first
            };
            if game.duplicate {
                self.duplicates += 1;
            } else {
                counts.add(game.half_points());
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

    /// Side 0's advantage in normalized Elo.
    pub fn normalized_elo(&self) -> f64 {
        normalized_elo(&self.pairs)
    }

    /// Probability that side 0 is the stronger one.
    pub fn likelihood_of_superiority(&self) -> f64 {
        likelihood_of_superiority(&self.pairs)
    }

    /// Mean number of plies per game, the opening included.
    pub fn mean_plies(&self) -> f64 {
        let plies: usize = self.games.iter().map(|game| game.all_moves().count()).sum();
        plies as f64 / self.games.len().max(1) as f64
    }

    /// The audit of resignations.
    pub fn audit(&self) -> Resignations {
        Resignations::of(&self.games)
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
