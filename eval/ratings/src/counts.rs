//! Games won, drawn and lost by one side.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Games won, drawn and lost by one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Counts {
    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Share of the points, 0 to 1; one half when there are no games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// Counts a game that gave the side this many half points: 0, 1 or 2.
    pub fn add(&mut self, half_points: u32) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Games won, drawn and lost.
    pub fn to_array(self) -> [u64; 3] {
        [self.wins, self.draws, self.losses]
    }

    /// The same games from the other side's point of view: lost, drawn and won.
    pub fn reversed(self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// These games and others.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses] = self.to_array();
        write!(f, "{wins} won, {draws} drawn, {losses} lost")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_add_up() {
        let mut counts = Counts::default();
        assert_eq!(counts.score(), 0.5);
        for half_points in [2, 2, 1, 0] {
            counts.add(half_points);
        }
        let [wins, draws, losses] = [2, 1, 1];
        assert_eq!(
            counts,
            Counts {
                wins,
                draws,
                losses
            }
        );
        assert_eq!(counts.plus(counts).games(), 8);
        assert_eq!(counts.score(), 0.625);
    }
}
