//! Measures the accuracy of networks in endings.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use endgame::{Database, Solved};
use eval::EndgameScore;
use rules::Variant;
use serde::Serialize;
use trainer::Compute;

use super::build::check_memory;
use roster::LoadedModel;
use roster::endgames::{BATCH_SIZE, SAMPLE_SEED};
use run::evaluators::Evaluators;
use run::{Result, thread_pool};

/// Terms of an endgame measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndgameTest {
    /// Maximum number of pieces.
    pub pieces: usize,
    /// Number of positions.
    pub positions: usize,
    /// Simulations of the search.
    pub simulations: u32,
    /// Threads.
    pub threads: usize,
}

/// Endgame accuracy of a network and its search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndgameFigures {
    /// Name of the network.
    pub model: String,
    /// Its game.
    pub variant: &'static str,
    /// Maximum number of pieces.
    pub pieces: usize,
    /// Errors and blunders.
    pub score: EndgameScore,
}

impl EndgameFigures {
    /// Column headings, two lines.
    pub const HEAD: &str = "network         search\nerror blunders  error blunders\n";
}

impl fmt::Display for EndgameFigures {
    /// One row of the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for errors in [self.score.network, self.score.search] {
            let blunders = 100.0 * errors.blunders;
            write!(f, "{:.3}  {blunders:>5.1} %  ", errors.value_error)?;
        }
        writeln!(f, "{}", self.model)
    }
}

/// A measurement of several networks. The database of a game is built once.
#[derive(Debug)]
pub struct EndgameExam {
    test: EndgameTest,
    samples: BTreeMap<&'static str, Vec<Solved>>,
}

impl EndgameExam {
    /// A measurement without samples yet.
    #[must_use]
    pub fn new(test: EndgameTest) -> EndgameExam {
        let samples = BTreeMap::new();
        EndgameExam { test, samples }
    }

    /// Measures a network and its search.
    ///
    /// # Errors
    /// If the database of its game cannot be built, or the network fails.
    pub fn measure(&mut self, loaded: &LoadedModel) -> Result<EndgameFigures> {
        let (variant, test) = (loaded.model.variant, self.test);
        let sample = match self.samples.entry(variant.name()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(sample(variant, &test)?),
        };
        let (model, precision) = (&loaded.model, loaded.precision);
        let compute = &Compute::Cpu;
        let evaluators = Evaluators::new(model, precision, compute, test.threads, BATCH_SIZE)?;
        let score = eval::score_endgames(
            sample,
            loaded.search.without_noise(),
            test.simulations,
            &mut evaluators.all(test.threads),
        )?;
        Ok(EndgameFigures {
            model: loaded.name.clone(),
            variant: variant.name(),
            pieces: test.pieces,
            score,
        })
    }
}

/// Positions from a database built for this measurement.
fn sample(variant: Variant, test: &EndgameTest) -> Result<Vec<Solved>> {
    check_memory(Database::build_bytes(variant, test.pieces)?)?;
    let pool = thread_pool(test.threads)?;
    let database = pool.install(|| Database::build(variant, test.pieces, |_| ()))?;
    Ok(database.sample(test.positions, SAMPLE_SEED))
}

#[cfg(test)]
mod tests {
    use eval::EndgameErrors;

    use super::*;

    #[test]
    fn figures_stand_below_their_head() {
        let errors = |value_error, blunders| EndgameErrors {
            value_error,
            blunders,
        };
        let figures = EndgameFigures {
            model: "run:a@3".to_owned(),
            variant: "thai",
            pieces: 3,
            score: EndgameScore {
                network: errors(0.5, 0.125),
                search: errors(0.25, 1.0),
                simulations: 16,
                positions: 100,
                chances: 50,
            },
        };
        let table = format!("{}{figures}", EndgameFigures::HEAD);
        let expected = "\
network         search
error blunders  error blunders
0.500   12.5 %  0.250  100.0 %  run:a@3
";
        assert_eq!(table, expected);
    }
}
