//! Accuracy of searched values: do they predict the results of the games?

use rules::{Color, Outcome};
use store::{Ply, Record, RecordedSearch, RunDir, Wdl8};

use crate::Result;
use run::config::RunFile;

/// Number of generations whose games are read.
const GENERATIONS: usize = 3;

/// Means over the fully searched positions of finished games, in points from -1 for a loss to 1 for
/// a win, with standard errors. All positions of a game share one result, so a game is one
/// observation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueScores {
    /// Games read.
    pub games: usize,
    /// Searched value minus result, for the side to move: negative if searches are too pessimistic.
    pub bias: Estimate,
    /// Squared error of the network's value minus that of the searched value: the improvement by
    /// search.
    pub gain: Estimate,
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl ValueScores {
    /// Scores of the newest games of a run; `None` if it has no games.
    pub(super) fn read(run: &RunDir) -> Result<Option<ValueScores>> {
        let games = run.games(RunFile::read(run)?.variant);
        let mut records = Vec::new();
        for &generation in games.generations()?.iter().rev().take(GENERATIONS) {
            records.extend(games.read(generation)?.records);
        }
        Ok(ValueScores::of(&records))
    }

    /// Scores of these games; `None` if no finished game has a full search.
    #[must_use]
    pub fn of(records: &[Record]) -> Option<ValueScores> {
        let sums: Vec<Sums> = records.iter().filter_map(Sums::of).collect();
        (!sums.is_empty()).then(|| ValueScores {
            games: sums.len(),
            bias: Estimate::of(&sums, |game| game.bias),
            gain: Estimate::of(&sums, |game| game.gain),
        })
    }
}

/// Sums over the positions of a game.
#[derive(Default)]
struct Sums {
    positions: f64,
    bias: f64,
    gain: f64,
}

impl Sums {
    fn of(record: &Record) -> Option<Sums> {
        let outcome = record.result?;
        let mut sums = Sums::default();
        let mut mover = record.start.turn();
        for Ply { search, .. } in &record.plies {
            if let RecordedSearch::Full {
                value, raw_value, ..
            } = search
            {
                let result = points(outcome, mover);
                let (searched, raw) = (expectation(*value), expectation(*raw_value));
                sums.positions += 1.0;
                sums.bias += searched - result;
                sums.gain += (raw - result).powi(2) - (searched - result).powi(2);
            }
            mover = !mover;
        }
        (sums.positions > 0.0).then_some(sums)
    }
}

impl Estimate {
    /// The mean of at least two independent numbers.
    pub(super) fn of_numbers(numbers: &[f64]) -> Estimate {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        Estimate {
            mean,
            error: (squares / (n - 1.0) / n).sqrt(),
        }
    }

    /// The mean over all positions, and its standard error as a ratio of sums over games.
    fn of(games: &[Sums], sum: fn(&Sums) -> f64) -> Estimate {
        let positions: f64 = games.iter().map(|game| game.positions).sum();
        let mean = games.iter().map(sum).sum::<f64>() / positions;
        let residual = |game: &Sums| (sum(game) - mean * game.positions).powi(2);
        Estimate {
            mean,
            error: games.iter().map(residual).sum::<f64>().sqrt() / positions,
        }
    }
}

fn points(outcome: Outcome, mover: Color) -> f64 {
    f64::from(outcome.half_points(mover)) - 1.0
}

fn expectation(value: Wdl8) -> f64 {
    let [win, _, loss] = value.probabilities();
    f64::from(win - loss)
}
