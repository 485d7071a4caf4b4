//! How well a network knows endings.

use std::fmt;

use endgame::Database;
use eval::EndgameScore;
use serde::Serialize;
use trainer::Compute;

use super::{BATCH_SIZE, SAMPLE_SEED};
use crate::error::Result;
use crate::evaluators::{Evaluators, InferenceNetwork};
use crate::models::LoadedModel;
use crate::settings;

/// What networks are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndgameTest {
    /// The most pieces.
    pub pieces: usize,
    /// Positions to ask about.
    pub positions: usize,
    /// Simulations of the search.
    pub simulations: u32,
}

/// What a network and its search made of the positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndgameFigures {
    /// What the network is called.
    pub model: String,
    /// Its game.
    pub variant: &'static str,
    /// The most pieces.
    pub pieces: usize,
    /// How far it is from the truth.
    pub score: EndgameScore,
}

impl EndgameFigures {
    /// What stands above them, two lines.
    pub const HEAD: &str = "network         search\nerror blunders  error blunders\n";
}

impl fmt::Display for EndgameFigures {
    /// A line of a table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for errors in [self.score.network, self.score.search] {
            let blunders = 100.0 * errors.blunders;
            write!(f, "{:.3}  {blunders:>5.1} %  ", errors.value_error)?;
        }
        writeln!(f, "{}", self.model)
    }
}

/// Measures a network and its search on a database that is built for it.
///
/// # Errors
/// When the database cannot be built, or the network fails.
pub fn measure(loaded: &LoadedModel, test: &EndgameTest, threads: usize) -> Result<EndgameFigures> {
    let database = Database::build(loaded.model.variant, test.pieces, |_| ())?;
    let sample = database.sample(test.positions, SAMPLE_SEED);
    let network = InferenceNetwork::new(&loaded.model, loaded.config.model.precision);
    let evaluators = Evaluators::new(network, &Compute::Cpu, threads, BATCH_SIZE)?;
    let score = eval::score_endgames(
        &sample,
        settings::search(&loaded.config.search.without_noise()),
        test.simulations,
        &mut evaluators.all(threads),
    )?;
    Ok(EndgameFigures {
        model: loaded.name.clone(),
        variant: loaded.model.variant.name(),
        pieces: test.pieces,
        score,
    })
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
