//! Positions of the database to test a player on.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Move, Position};

use crate::{Database, GameValue};

/// A position where the game goes on, with the truth about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The position, with either side to move and all counters at their start.
    pub position: Position,
    /// What it is worth to the side to move.
    pub value: GameValue,
    /// Its legal moves, in the order of `legal_moves`, and what each is worth to the side to move.
    pub moves: Vec<(Move, GameValue)>,
}

impl Solved {
    /// Whether a wrong move can throw away what the position is worth.
    pub fn can_blunder(&self) -> bool {
        self.moves.iter().any(|&(_, value)| value < self.value)
    }
}

impl Database {
    /// About `n` positions: as many wins as draws as losses, each drawn uniformly from all positions of
    /// that value where the game goes on, so that large materials are frequent. The same seed gives
    /// the same positions. There are fewer where the database has hardly any of a value.
    pub fn sample(&self, n: usize, seed: u64) -> Vec<Solved> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n_tries = 1000 * n;
        let mut wanted = GameValue::ALL.map(|value| (n + value as usize) / 3);
        let mut sample = Vec::with_capacity(n);
        for _ in 0..n_tries {
            if sample.len() == n {
                break;
            }
            let Some((position, value)) = self.draw(&mut rng) else {
                break;
            };
            if wanted[value as usize] == 0 || position.outcome().is_some() {
                continue;
            }
            if let Some(solved) = self.solve_moves(position, value) {
                wanted[value as usize] -= 1;
                sample.push(solved);
            }
        }
        sample
    }

    /// A position drawn uniformly, with either side to move.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<(Position, GameValue)> {
        let mut at = rng.random_range(0..self.n_positions());
        let is_turned = rng.random();
        for slice in self.slices() {
            if at < slice.n_positions() {
                let position = slice.position(self.variant(), at);
                let value = slice.values().get(at);
                return Some((
                    if is_turned {
                        position.turned()
                    } else {
                        position
                    },
                    value,
                ));
            }
            at -= slice.n_positions();
        }
        None
    }

    fn solve_moves(&self, position: Position, value: GameValue) -> Option<Solved> {
        let after = |mv: &Move| Some((*mv, self.probe(&position.play(*mv))?.before_the_move()));
        let moves = position
            .legal_moves()
            .iter()
            .map(after)
            .collect::<Option<_>>()?;
        Some(Solved {
            position,
            value,
            moves,
        })
    }
}
