//! Samples of positions for testing players.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Move, Position};

use crate::{Database, GameValue, Slice};

/// The maximum number of draws per requested position.
const TRIES: usize = 1000;

/// A position of an unfinished game with known values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The position, with either side to move and the draw counter at 0.
    pub position: Position,
    /// The value for the side to move.
    pub value: GameValue,
    /// The legal moves, in the order of `legal_moves`, with their values for the side to move.
    pub moves: Vec<(Move, GameValue)>,
}

impl Solved {
    /// True if some move changes the value for the worse.
    pub fn can_blunder(&self) -> bool {
        self.moves.iter().any(|&(_, value)| value < self.value)
    }
}

impl Database {
    /// About `n` positions for testing players: equally many for each number of pieces, and among
    /// these equally many wins, draws and losses, each drawn uniformly. The same seed gives the
    /// same positions.
    ///
    /// All are quiet: neither side can capture immediately, which would reveal or undo the result,
    /// and there is a choice of moves. The sample is smaller if the database has too few positions
    /// of a kind.
    pub fn sample(&self, n: usize, seed: u64) -> Vec<Solved> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sample = Vec::with_capacity(n);
        let n_counts = self.n_pieces() - 1;
        for n_pieces in 2..=self.n_pieces() {
            let share = (n + n_pieces - 2) / n_counts;
            self.sample_of(n_pieces, share, &mut rng, &mut sample);
        }
        sample
    }

    /// Appends about `n` positions with this many pieces.
    fn sample_of(&self, n_pieces: usize, n: usize, rng: &mut ChaCha8Rng, sample: &mut Vec<Solved>) {
        let mut wanted = GameValue::ALL.map(|value| (n + value as usize) / 3);
        let of_size = |slice: &&Slice| slice.material().n_pieces() == n_pieces;
        let slices: Vec<&Slice> = self.slices().iter().filter(of_size).collect();
        for _ in 0..TRIES * n {
            if wanted == [0; 3] {
                return;
            }
            let position = self.draw(&slices, rng);
            let value = self.probe(&position);
            let Some(value) = value.filter(|value| wanted[*value as usize] > 0) else {
                continue;
            };
            if !is_quiet(&position) {
                continue;
            }
            if let Some(solved) = self.solve_moves(position, value) {
                wanted[value as usize] -= 1;
                sample.push(solved);
            }
        }
    }

    /// A position drawn uniformly from these slices (at least one), with either side to move. The
    /// states of the king rest counters count as one position; one of them is drawn.
    fn draw(&self, slices: &[&Slice], rng: &mut ChaCha8Rng) -> Position {
        let n_placements: usize = slices.iter().map(|slice| slice.n_placements()).sum();
        let mut at = rng.random_range(0..n_placements);
        let is_turned = rng.random();
        let mut slices = slices.iter();
        let slice = loop {
            let slice = slices.next().expect("the number is below the sum of all");
            match at.checked_sub(slice.n_placements()) {
                Some(rest) => at = rest,
                None => break slice,
            }
        };
        let rest = match slice.index.n_rests() {
            1 => 0,
            n_rests => rng.random_range(0..n_rests),
        };
        let position = slice.position(self.variant(), at * slice.index.n_rests() + rest);
        if is_turned {
            position.turned()
        } else {
            position
        }
    }

    /// The position with the values of its moves; `None` if these contradict the value of the
    /// position because a win would take too long.
    fn solve_moves(&self, position: Position, value: GameValue) -> Option<Solved> {
        let after = |mv: &Move| Some((*mv, self.probe(&position.play(*mv))?.before_the_move()));
        let moves = position
            .legal_moves()
            .iter()
            .map(after)
            .collect::<Option<Vec<_>>>()?;
        let best = moves.iter().map(|(_, value)| *value).max();
        (best == Some(value)).then_some(Solved {
            position,
            value,
            moves,
        })
    }
}

/// True if there is a choice of moves and none captures.
fn is_quiet(position: &Position) -> bool {
    let moves = position.legal_moves();
    moves.len() > 1
        && !moves.iter().any(|mv| mv.is_capture())
        && position.outcome_with(true, 0).is_none()
}
