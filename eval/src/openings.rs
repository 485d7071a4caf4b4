//! Where match games start: balanced opening positions, sampled by a seed.
//!
//! The deck holds every sequence of the variant's first three moves, one for each position reached,
//! except those after which alpha-beta to depth 5 sees a man or more won. For english that leaves
//! exactly the 174 three-move ballots that players know; the 18 of them held to be lost are kept,
//! since no capture shows it and every opening is played with both colours. When more openings
//! are wanted than the deck has, it goes on with sequences of four moves, then five.
//!
//! Positions reached, and those of them that are balanced:
//!
//! | variant   | 3 moves | balanced | 4 moves | balanced |
//! |-----------|--------:|---------:|--------:|---------:|
//! | english   |     216 |      174 |     805 |      619 |
//! | customary |     238 |      204 |    1199 |     1005 |
//! | frisian   |     447 |      231 |    1964 |      871 |
//! | thai      |     245 |      245 |    1225 |     1219 |
//! | ringboard |     215 |      113 |     766 |      374 |

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Position, Variant};

use crate::alphabeta::{AlphaBeta, MAN};
use crate::seed;

/// Length of the shortest openings.
const FIRST_PLIES: usize = 3;
/// Length at which no variant runs out of openings.
const LAST_PLIES: usize = 7;
/// Depth of the search that looks for a lost man.
const BALANCE_DEPTH: u32 = 5;

/// A start position and the first moves, which the players do not choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Where the game starts.
    pub start: Position,
    /// What is played before the players are asked.
    pub moves: Vec<Move>,
}

impl Opening {
    /// The game up to where the players take over.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }
}

/// Up to `n` different openings in an order that `seed` decides, shortest first.
pub fn sample(variant: Variant, n: usize, seed: u64) -> Vec<Opening> {
    let mut filter = AlphaBeta::new(BALANCE_DEPTH);
    let mut openings = Vec::with_capacity(n);
    for plies in FIRST_PLIES..=LAST_PLIES {
        if openings.len() == n {
            break;
        }
        let mut candidates = sequences(variant, plies);
        candidates.shuffle(&mut ChaCha8Rng::seed_from_u64(seed::derive(
            seed,
            &[plies as u64],
        )));
        let balanced = candidates
            .into_iter()
            .filter(|opening| is_balanced(opening, &mut filter));
        openings.extend(balanced.take(n - openings.len()));
    }
    openings
}

/// Every sequence of `plies` moves that no draw or loss cuts short, one for each position reached
/// (the first in the order of generation).
fn sequences(variant: Variant, plies: usize) -> Vec<Opening> {
    let start = Position::start(variant);
    let mut reached = vec![(start, Vec::new())];
    for _ in 0..plies {
        let mut seen = std::collections::HashSet::new();
        let mut next = Vec::new();
        for (position, moves) in reached {
            for &mv in &position.legal_moves() {
                let after = position.play(mv);
                if after.outcome().is_none() && seen.insert(after.hash()) {
                    let moves = moves.iter().copied().chain([mv]).collect();
                    next.push((after, moves));
                }
            }
        }
        reached = next;
    }
    reached
        .into_iter()
        .map(|(_, moves)| Opening { start, moves })
        .collect()
}

/// Whether a shallow search sees less than a man's difference.
fn is_balanced(opening: &Opening, filter: &mut AlphaBeta) -> bool {
    filter
        .analyse(&opening.game())
        .is_some_and(|analysis| analysis.score.abs() < MAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn decks_have_the_sizes_that_are_documented() {
        let sizes = Variant::GAMES.map(|variant| {
            let all = sequences(variant, FIRST_PLIES);
            let mut filter = AlphaBeta::new(BALANCE_DEPTH);
            let balanced = all
                .iter()
                .filter(|opening| is_balanced(opening, &mut filter))
                .count();
            (all.len(), balanced)
        });
        assert_eq!(
            sizes,
            [(216, 174), (238, 204), (447, 231), (245, 245), (215, 113)]
        );
    }

    #[test]
    fn a_sample_has_no_position_twice_and_goes_on_when_the_deck_ends() {
        let openings = sample(Variant::Ringboard, 130, 5);
        let positions: HashSet<u64> = openings
            .iter()
            .map(|opening| opening.game().position().hash())
            .collect();
        assert_eq!((openings.len(), positions.len()), (130, 130));
        assert!(
            openings[..113]
                .iter()
                .all(|opening| opening.moves.len() == 3)
        );
        assert!(
            openings[113..]
                .iter()
                .all(|opening| opening.moves.len() == 4)
        );
    }

    #[test]
    fn the_seed_decides_and_a_smaller_sample_is_a_prefix() {
        let of = |n, seed| sample(Variant::Thai, n, seed);
        assert_eq!(of(20, 1)[..10], of(10, 1));
        assert_ne!(of(10, 1), of(10, 2));
    }
}
