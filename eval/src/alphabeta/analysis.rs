//! The answer of the search: a score and the moves that have it.

use engine::hub::value_of_score;
use engine::{Findings, Variation};
use rand::RngExt;
use rules::Move;
use search::Proof;
use types::Seed;

/// Score of a win at the root; a win `n` plies later scores `n` less.
pub const WIN: i32 = 30_000;
/// Maximum length of a line.
const MAX_PLIES: i32 = 1_000;

/// True for the score of a forced win or loss.
pub fn is_decided(score: i32) -> bool {
    score.abs() >= WIN - MAX_PLIES
}

/// The search's answer for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedDepthAnalysis {
    /// Value for the side to move, in units of [`MAN`](super::MAN) = 2, or of hundredths of a man
    /// with a learned evaluation. Beyond [`is_decided`] it is a forced win or loss.
    pub score: i32,
    /// All moves with that value, in the order of `legal_moves`.
    pub best: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

impl FixedDepthAnalysis {
    /// One of the best moves, chosen by the seed.
    pub(super) fn pick(&self, seed: Seed) -> Move {
        self.best[seed.rng().random_range(0..self.best.len())]
    }

    /// The answer of an analyzer that searched to `depth` and picks a move with `seed`.
    pub(super) fn findings(&self, depth: u32, seed: Seed, man: i32) -> Findings {
        let plies = (WIN - self.score.abs()) as u16;
        let proof = match self.score {
            score if !is_decided(score) => None,
            score if score.is_positive() => Some(Proof::Win(plies)),
            _ => Some(Proof::Loss(plies)),
        };
        Findings {
            variations: vec![Variation {
                moves: vec![self.pick(seed)],
                value: value_of_score(self.score as f32 / man as f32),
                proof,
                depth,
                visits: None,
            }],
            policy: Vec::new(),
            nodes: self.nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_within_a_thousand_plies_is_decided() {
        for (score, expected) in [
            (0, false),
            (WIN - MAX_PLIES - 1, false),
            (WIN - MAX_PLIES, true),
        ] {
            assert_eq!([score, -score].map(is_decided), [expected; 2], "{score}");
        }
    }
}
