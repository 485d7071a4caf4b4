//! How well a network knows endings.

use endgame::Database;
use eval::EndgameScore;
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

/// Measures a network and its search on a database that is built for it.
///
/// # Errors
/// When the database cannot be built, or the network fails.
pub fn measure(loaded: &LoadedModel, test: &EndgameTest, threads: usize) -> Result<EndgameScore> {
    let database = Database::build(loaded.model.variant, test.pieces, |_| ())?;
    let sample = database.sample(test.positions, SAMPLE_SEED);
    let network = InferenceNetwork::new(&loaded.model, loaded.config.model.precision);
    let evaluators = Evaluators::new(network, &Compute::Cpu, threads, BATCH_SIZE)?;
    Ok(eval::score_endgames(
        &sample,
        settings::search(&loaded.config.search.without_noise()),
        test.simulations,
        &mut evaluators.all(threads),
    )?)
}
