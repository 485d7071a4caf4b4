//! Start positions of match games: balanced openings, sampled by a seed.
//!
//! The opening book holds every sequence of the variant's first three moves, one for each position
//! reached, except those after which alpha-beta to depth 5 sees a man or more won, and the excluded
//! ones. For english the search leaves exactly the 174 known three-move ballots. Of these, 18 are
//! excluded as lost: `data/excluded_openings.json`, from Richard Pask's *The Golden Dozen* (2005),
//! which agrees with the list of the American Checker Federation. No longer opening passes through
//! them either. If more openings are needed, sequences of four moves follow, then five.
//!
//! Positions reached, and the number of balanced ones that are not excluded:
//!
//! | variant   | 3 moves | in the book | 4 moves | in the book |
//! |-----------|--------:|------------:|--------:|------------:|
//! | english   |     216 |         156 |     805 |         619 |
//! | customary |     238 |         204 |    1199 |        1005 |
//! | frisian   |     447 |         231 |    1964 |         871 |
//! | thai      |     245 |         245 |    1225 |        1219 |
//! | ringboard |     215 |         113 |     766 |         374 |
//!
//! [`read`] takes openings from a file instead, [`drawn`] from a list of the program, and [`draw`]
//! a sample of them.

mod file;
mod lists;

use rand::seq::SliceRandom;
use rules::{Game, Move, Position, Variant};
use types::Seed;

use crate::alphabeta::{AlphaBeta, MAN};
use crate::digest;

pub use file::{OpeningsFile, read};
pub use lists::drawn;

/// Length of the shortest openings.
const FIRST_PLIES: usize = 3;
/// Length of the longest openings; no variant needs longer ones.
const LAST_PLIES: usize = 7;
/// Depth of the search that detects the loss of a man.
const BALANCE_DEPTH: u32 = 5;

/// A start position and the moves played before the players take over.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The start of the game.
    pub start: Position,
    /// The moves played before the players take over.
    pub moves: Vec<Move>,
}

impl Opening {
    /// The game after these moves.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }

    /// The moves in writing, separated by spaces.
    pub fn moves_text(&self) -> String {
        self.start.move_texts(&self.moves).join(" ")
    }

    /// Parses an opening; `None` if a move is not legal.
    pub fn from_text(start: Position, moves: &str) -> Option<Self> {
        let (moves, _) = read_moves(Game::new(start), moves)?;
        Some(Self { start, moves })
    }
}

/// Parses and plays moves; `None` if one of them is not legal.
pub(crate) fn read_moves(mut game: Game, text: &str) -> Option<(Vec<Move>, Game)> {
    let mut moves = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mv = game.position().parse_move(word).ok()?;
        game.play(mv);
        moves.push(mv);
    }
    Some((moves, game))
}

/// Up to `n` different openings, shortest first, in an order that depends on `seed`.
pub fn sample(variant: Variant, n: usize, seed: Seed) -> Vec<Opening> {
    let mut filter = AlphaBeta::new(BALANCE_DEPTH);
    let mut openings = Vec::with_capacity(n);
    for plies in FIRST_PLIES..=LAST_PLIES {
        if openings.len() == n {
            break;
        }
        let mut candidates = sequences(variant, plies);
        candidates.shuffle(&mut seed.derive("openings", &[plies as u64]).rng());
        let balanced = candidates
            .into_iter()
            .filter(|opening| is_balanced(opening, &mut filter));
        openings.extend(balanced.take(n - openings.len()));
    }
    openings
}

/// All balanced openings of this many plies, in the order of generation.
pub fn balanced(variant: Variant, plies: usize) -> Vec<Opening> {
    let mut filter = AlphaBeta::new(BALANCE_DEPTH);
    let mut openings = sequences(variant, plies);
    openings.retain(|opening| is_balanced(opening, &mut filter));
    openings
}

/// Up to `n` of these openings, in an order that depends on `seed`.
pub fn draw(mut openings: Vec<Opening>, n: usize, seed: Seed) -> Vec<Opening> {
    openings.shuffle(&mut seed.derive("openings", &[]).rng());
    openings.truncate(n);
    openings
}

/// A hash of a list of openings, in hexadecimal.
pub fn digest(openings: &[Opening]) -> String {
    let games = openings
        .iter()
        .map(|opening| digest::of_game(&opening.start, opening.moves.iter().copied()));
    format!("{:016x}", digest::of_games(games))
}

/// Every sequence of `plies` moves that neither ends the game nor reaches an excluded position, one
/// for each final position (the first in the order of generation).
fn sequences(variant: Variant, plies: usize) -> Vec<Opening> {
    let start = Position::start(variant);
    let excluded = lists::excluded_positions(variant);
    let mut reached = vec![(start, Vec::new())];
    for _ in 0..plies {
        let mut seen = std::collections::HashSet::new();
        let mut next = Vec::new();
        for (position, moves) in reached {
            for &mv in &position.legal_moves() {
                let after = position.play(mv);
                let is_playable = after.outcome().is_none() && !excluded.contains(&after.hash());
                if is_playable && seen.insert(after.hash()) {
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

/// True if a shallow search sees a difference of less than a man.
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
    fn books_have_the_sizes_that_are_documented() {
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
            sizes[..5],
            [(198, 156), (238, 204), (447, 231), (245, 245), (215, 113)]
        );
        for (variant, (all, balanced)) in Variant::GAMES.iter().zip(sizes) {
            assert!(balanced > 90 && balanced <= all, "{variant} {balanced}");
        }
    }

    #[test]
    fn excluded_ballots_are_balanced_positions_of_the_third_ply() {
        let excluded = lists::excluded_positions(Variant::English);
        assert_eq!(excluded.len(), 18);
        let is_excluded = |opening: &Opening| excluded.contains(&opening.game().position().hash());
        let book = sample(Variant::English, 400, Seed::new(3));
        assert!(!book.iter().any(is_excluded));
        let mut filter = AlphaBeta::new(BALANCE_DEPTH);
        let all = lists::excluded(Variant::English);
        assert!(all.iter().all(|opening| is_balanced(opening, &mut filter)));
    }

    #[test]
    fn a_sample_has_no_position_twice_and_continues_when_the_book_ends() {
        let openings = sample(Variant::Ringboard, 130, Seed::new(5));
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
    fn drawn_openings_are_balanced_and_reach_different_positions() {
        let english = drawn(Variant::English);
        assert_eq!(english, balanced(Variant::English, FIRST_PLIES));
        let mut filter = AlphaBeta::new(BALANCE_DEPTH);
        let mut n_lists = 0;
        for variant in Variant::ALL {
            let openings = drawn(variant);
            n_lists += usize::from(openings.len() >= 40);
            let reached: HashSet<u64> = openings
                .iter()
                .map(|opening| opening.game().position().hash())
                .collect();
            assert_eq!(reached.len(), openings.len(), "{variant}");
            let is_even = |opening: &Opening| is_balanced(opening, &mut filter);
            assert!(openings.iter().all(is_even), "{variant}");
        }
        assert_eq!(n_lists, 8);
    }

    #[test]
    fn a_draw_is_a_part_in_the_order_of_the_seed() {
        let all = sequences(Variant::Thai, 2);
        let drawn = draw(all.clone(), 9, Seed::new(1));
        assert_eq!(drawn, draw(all.clone(), 20, Seed::new(1))[..9]);
        assert_ne!(drawn, draw(all.clone(), 9, Seed::new(2)));
        assert!(drawn.iter().all(|opening| all.contains(opening)));
        assert_eq!(draw(all.clone(), 10_000, Seed::new(1)).len(), all.len());
    }

    #[test]
    fn the_seed_decides_and_a_smaller_sample_is_a_prefix() {
        let of = |n, seed| sample(Variant::Thai, n, Seed::new(seed));
        assert_eq!(of(20, 1)[..10], of(10, 1));
        assert_ne!(of(10, 1), of(10, 2));
    }
}
