//! Known results about endings with two and three pieces.

use std::collections::HashMap;

use endgame::{Army, Database, Distances, GameValue, Material};
use rules::{Bitboard, Board, Color, Move, Outcome, Position, Setup, Variant};

use crate::support::{build, position};

/// The longest win of two kings against one, in plies; section 1.6 of the rules specification
/// obtained them with a separate program.
const LONGEST_TWO_KINGS_V_ONE: [(Variant, u16); 4] = [
    (Variant::English, 34),
    (Variant::Ringboard, 38),
    (Variant::Thai, 14),
    (Variant::FrisianPlain, 19),
];

/// Values found by brute force: positions decided within 0, 1, 2, ... plies.
#[derive(Default)]
struct BruteForce {
    /// [position hash] the result of a decided position, and the number of plies to the end.
    decided: HashMap<u64, (GameValue, u16)>,
}

impl BruteForce {
    /// Solves positions of one or several materials and returns the longest win in plies. Positions
    /// solved earlier count as distance 0.
    fn solve(&mut self, mut open: Vec<Position>) -> u16 {
        let mut longest = 0;
        for plies in 0.. {
            let n_open = open.len();
            let value = |position: &Position| match plies {
                0 => finished(position),
                _ => self.value(position),
            };
            let values: Vec<_> = open.iter().map(value).collect();
            let mut still_open = Vec::new();
            for (position, value) in open.into_iter().zip(values) {
                if let Some(value) = value {
                    self.decided.insert(position.hash(), (value, plies));
                    longest = plies;
                } else {
                    still_open.push(position);
                }
            }
            open = still_open;
            if plies > 0 && open.len() == n_open {
                break;
            }
        }
        longest
    }

    /// The value of a position given the positions decided so far.
    fn value(&self, position: &Position) -> Option<GameValue> {
        if position.outcome().is_some() {
            return finished(position);
        }
        let moves = position.legal_moves();
        let after = |mv: &Move| self.decided(&position.play(*mv));
        let results: Vec<_> = moves.iter().map(after).collect();
        if results.contains(&Some(GameValue::Loss)) {
            return Some(GameValue::Win);
        }
        let is_lost = results.iter().all(|result| *result == Some(GameValue::Win));
        is_lost.then_some(GameValue::Loss)
    }

    fn decided(&self, position: &Position) -> Option<GameValue> {
        Some(self.decided.get(&position.hash())?.0)
    }
}

/// A game that is already lost.
fn finished(position: &Position) -> Option<GameValue> {
    let is_lost = matches!(position.outcome(), Some(Outcome::Win(..)));
    is_lost.then_some(GameValue::Loss)
}

/// All positions with up to two white kings and up to one black king. A side without pieces has
/// lost, so only that side is to move in such positions.
fn kings(variant: Variant) -> Vec<Position> {
    let squares: Vec<Bitboard> = variant
        .board()
        .mask()
        .iter()
        .map(|square| square.bit())
        .collect();
    let none_or_one = || std::iter::once(Bitboard::EMPTY).chain(squares.iter().copied());
    let mut positions = Vec::new();
    let both = |a: Bitboard| {
        none_or_one()
            .filter(move |b| a.0 <= b.0)
            .map(move |b| a | b)
    };
    for white in none_or_one().flat_map(both) {
        for black in none_or_one().filter(|black| !black.intersects(white)) {
            for turn in Color::ALL {
                let kings = [black, white];
                let setup = Setup {
                    kings,
                    ..Setup::empty(turn)
                };
                if !kings[(!turn).index()].is_empty() {
                    positions.push(Position::new(variant, &setup).unwrap());
                }
            }
        }
    }
    positions
}

#[test]
fn two_kings_against_one_by_brute_force() {
    for (variant, longest) in LONGEST_TWO_KINGS_V_ONE {
        let positions = kings(variant);
        let mut brute_force = BruteForce::default();
        assert_eq!(brute_force.solve(positions.clone()), longest, "{variant}");
        let database = build(variant, 3);
        for position in &positions {
            let value = brute_force.decided(position).unwrap_or(GameValue::Draw);
            assert_eq!(database.probe(position), Some(value), "{position}");
        }
        // Asking for each position separately takes long on the larger boards.
        let n_asked = if variant.board() == Board::Eight {
            200
        } else {
            5
        };
        for position in positions.iter().step_by(positions.len() / n_asked) {
            let plies = brute_force.decided.get(&position.hash());
            let plies = plies.map(|(_, plies)| *plies);
            let found = Distances::new(&database, usize::MAX).plies(position);
            assert_eq!(found, plies, "{position}");
        }
        // Up to the deciding capture, which takes fewer plies if sacrifices are fastest.
        let is_large = |position: &Position| position.occupied().count() == 3;
        let (large, small) = positions.into_iter().partition(is_large);
        let mut brute_force = BruteForce::default();
        brute_force.solve(small);
        assert_eq!(
            brute_force.solve(large),
            until_conversion(&database),
            "{variant}"
        );
    }
}

/// [`endgame::Slice::longest`] of two kings against one.
fn until_conversion(database: &Database) -> u16 {
    let kings = |kings| Army { men: 0, kings };
    let is_ours = |material: Material| {
        [material.own, material.enemy] == [kings(2), kings(1)]
            || [material.own, material.enemy] == [kings(1), kings(2)]
    };
    let slices = database
        .slices()
        .iter()
        .filter(|slice| is_ours(slice.material()));
    slices.map(|slice| slice.longest()).max().unwrap()
}

/// Textbook endings of english draughts.
#[test]
fn english_kings() {
    let database = build(Variant::English, 3);
    let value = |fen| database.probe(&position(Variant::English, fen)).unwrap();
    for (fen, expected) in [
        // Two kings win, even against a king in the double corner.
        ("W:WK14,K15:BK32", GameValue::Win),
        ("B:WK14,K15:BK32", GameValue::Loss),
        ("W:WK14,K15:BK28", GameValue::Win),
        // A king in the double corner holds against one king.
        ("W:WK23:BK32", GameValue::Draw),
        ("B:WK23:BK32", GameValue::Draw),
        // In the single corner it is caught if the other king has the opposition.
        ("B:WK22:BK29", GameValue::Loss),
        ("W:WK22:BK29", GameValue::Draw),
    ] {
        assert_eq!(value(fen), expected, "{fen}");
    }
}

#[test]
fn a_distance_costs_what_it_may() {
    let database = build(Variant::English, 3);
    let position = position(Variant::English, "W:WK14,K15:BK32");
    assert_eq!(Distances::new(&database, 20).plies(&position), None);
    let plies = Distances::new(&database, 100_000).plies(&position);
    assert!(plies.is_some_and(|plies| plies % 2 == 1), "{plies:?}");
}
