//! What is known from elsewhere about endings with two and three pieces.

use std::collections::HashMap;

use endgame::GameValue;
use rules::{Bitboard, Color, Outcome, Position, Setup, Variant};

use crate::support::{build, position};

/// The longest win of two kings against one, in plies, as section 1.6 of the rules specification has it
/// from a program of its own.
const LONGEST_TWO_KINGS_V_ONE: [(Variant, u32); 4] = [
    (Variant::English, 34),
    (Variant::Ringboard, 38),
    (Variant::Thai, 14),
    (Variant::FrisianPlain, 19),
];

/// Values found by brute force: by what is decided within 0, 1, 2, ... plies.
struct BruteForce {
    positions: Vec<Position>,
    /// Won or lost positions by hash, with the plies it takes.
    decided: HashMap<u64, (GameValue, u32)>,
}

impl BruteForce {
    /// Solves two white kings against a black one, and one against one.
    fn new(variant: Variant) -> BruteForce {
        let mut brute_force = BruteForce {
            positions: kings(variant),
            decided: HashMap::new(),
        };
        let mut open = brute_force.positions.clone();
        for plies in 0..100 {
            let values: Vec<_> = open
                .iter()
                .map(|position| brute_force.value(position))
                .collect();
            let mut still_open = Vec::new();
            for (position, value) in open.into_iter().zip(values) {
                if let Some(value) = value {
                    brute_force.decided.insert(position.hash(), (value, plies));
                } else {
                    still_open.push(position);
                }
            }
            open = still_open;
        }
        brute_force
    }

    /// What a position is by what is decided so far.
    fn value(&self, position: &Position) -> Option<GameValue> {
        match position.outcome() {
            Some(Outcome::Win(..)) => return Some(GameValue::Loss),
            Some(Outcome::Draw(_)) => return None,
            None => {}
        }
        let moves = position.legal_moves();
        let results = moves.iter().map(|mv| self.decided(&position.play(*mv)));
        let results: Vec<_> = results
            .map(|decided| decided.map(|decided| decided.0))
            .collect();
        if results.contains(&Some(GameValue::Loss)) {
            return Some(GameValue::Win);
        }
        let is_lost = results.iter().all(|result| *result == Some(GameValue::Win));
        is_lost.then_some(GameValue::Loss)
    }

    fn decided(&self, position: &Position) -> Option<(GameValue, u32)> {
        self.decided.get(&position.hash()).copied()
    }
}

/// All positions with up to two white kings and up to one black king. The game is over where a side
/// has none, so only that side is to move there.
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
                    men: [Bitboard::EMPTY; 2],
                    kings,
                    turn,
                    no_progress: 0,
                    full_move: 1,
                    king_runs: [None; 2],
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
        let brute_force = BruteForce::new(variant);
        let database = build(variant, 3);
        let mut most_plies = 0;
        for position in &brute_force.positions {
            let decided = brute_force.decided(position);
            let value = decided.map_or(GameValue::Draw, |decided| decided.0);
            assert_eq!(database.probe(position), Some(value), "{position}");
            most_plies = most_plies.max(decided.map_or(0, |decided| decided.1));
        }
        assert_eq!(most_plies, longest, "{variant}");
    }
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
        // In the single corner it is caught when the other king has the opposition.
        ("B:WK22:BK29", GameValue::Loss),
        ("W:WK22:BK29", GameValue::Draw),
    ] {
        assert_eq!(value(fen), expected, "{fen}");
    }
}
