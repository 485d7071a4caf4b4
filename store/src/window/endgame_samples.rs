//! Endgame positions with exact targets, mixed into the samples of the window.

use endgame::{Database, Distances, GameValue, Solved};
use rand::RngExt;
use rules::Move;
use types::Seed;

use super::Sample;

/// All runs use the same positions.
const SEED: u64 = 2;
/// Number of positions drawn from the database: enough for a network to generalize to the others
/// with three pieces.
const SIZE: usize = 20_000;
/// Maximum number of positions in the search for the shortest wins.
const BUDGET: usize = 20_000_000;

/// Quiet positions settled by a database, as samples. Values assume best play. The policy is
/// uniform over all moves that keep the value, in a won position over the fastest wins. Lost
/// positions have no policy, and neither have won ones of large databases whose shortest wins would
/// take too long to find.
#[derive(Clone, Debug, Default)]
pub struct EndgameSamples {
    samples: Vec<Sample>,
    share: f64,
}

impl EndgameSamples {
    /// Uses the settled ones of about 20,000 positions, except `held_back`, on which networks are
    /// measured. `share` is their fraction of each batch, 0 to 1.
    pub fn new(database: &Database, share: f64, held_back: &[Solved]) -> EndgameSamples {
        let mut distances = Distances::new(database, BUDGET);
        let is_held_back = |solved: &Solved| {
            let same = [solved.position, solved.position.turned()];
            held_back.iter().any(|held| same.contains(&held.position))
        };
        let solved = database.sample(SIZE, SEED).into_iter();
        let samples = solved
            .filter(|solved| database.settled(&solved.position).is_some())
            .filter(|solved| !is_held_back(solved))
            .map(|solved| sample(&solved, &mut distances));
        EndgameSamples {
            samples: samples.collect(),
            share,
        }
    }

    /// The endgame samples in a batch of `batch_size` samples, drawn with replacement. They only
    /// depend on the seed and the step.
    pub fn draw(&self, seed: u64, step: u64, batch_size: usize) -> impl Iterator<Item = &Sample> {
        let n_samples = match self.samples.is_empty() {
            true => 0,
            false => (batch_size as f64 * self.share).round() as usize,
        };
        let mut rng = Seed::new(seed).derive("lessons", &[step]).rng();
        (0..n_samples).map(move |_| &self.samples[rng.random_range(0..self.samples.len())])
    }
}

fn sample(solved: &Solved, distances: &mut Distances<'_>) -> Sample {
    let outcome = certain(solved.value);
    Sample {
        position: solved.position,
        repetitions: 0,
        moves: solved.moves.iter().map(|(mv, _)| *mv).collect(),
        policy: policy(solved, distances),
        outcome,
        root: outcome,
    }
}

/// Win, draw and loss probabilities of an exact value.
fn certain(value: GameValue) -> [f32; 3] {
    match value {
        GameValue::Win => [1.0, 0.0, 0.0],
        GameValue::Draw => [0.0, 1.0, 0.0],
        GameValue::Loss => [0.0, 0.0, 1.0],
    }
}

/// Uniform over all moves that keep the value, in a won position over the fastest wins; empty if
/// these are not known.
fn policy(solved: &Solved, distances: &mut Distances<'_>) -> Vec<f32> {
    let mut plies = |mv: Move| match solved.value {
        GameValue::Win => distances.plies(&solved.position.play(mv)),
        GameValue::Draw => Some(0),
        GameValue::Loss => None,
    };
    let moves = solved.moves.iter();
    let plies: Option<Vec<u16>> = moves
        .map(|&(mv, value)| match value == solved.value {
            true => plies(mv),
            false => Some(u16::MAX),
        })
        .collect();
    let plies = plies.unwrap_or_default();
    let fewest = plies.iter().min();
    let is_best = |plies: &u16| f32::from(u8::from(Some(plies) == fewest));
    plies.iter().map(is_best).collect()
}
