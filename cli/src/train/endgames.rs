//! What the truth about endings says of the newest network, and where the loop uses it.

use std::sync::Arc;

use endgame::{Database, Solved};
use eval::EndgameScore;
use search::Prover;
use store::{Endgames, RunDir, Scalar};

use super::generation::Training;
use crate::config::Config;
use crate::endgames;
use crate::evaluators::{Evaluators, Network};
use crate::settings::{self, Purpose};

/// The sample is the same in all runs, so that their curves can be compared.
pub(crate) const SAMPLE_SEED: u64 = 1;
/// Positions that a thread asks about together.
pub(crate) const BATCH_SIZE: usize = 64;

/// The endgame database of a run.
pub(crate) struct Truth {
    pub(crate) database: Arc<Database>,
    /// What networks are measured on.
    sample: Vec<Solved>,
    /// The same database for self-play.
    pub(crate) prover: Arc<dyn Prover>,
}

impl Truth {
    /// Reads the run's database, or builds it; nothing where the configuration wants none.
    pub(crate) fn open(
        run: &RunDir,
        variant: rules::Variant,
        config: &Config,
    ) -> anyhow::Result<Option<Truth>> {
        let section = &config.endgame;
        if section.pieces == 0 {
            return Ok(None);
        }
        let kept = Endgames::new(&run.endgames_path());
        let database = Arc::new(endgames::kept_or_built(&kept, variant, section.pieces)?);
        Ok(Some(Truth {
            sample: database.sample(section.positions, SAMPLE_SEED),
            prover: endgames::prover(Arc::clone(&database)),
            database,
        }))
    }
}

impl Training {
    /// Measures the newest network on the sample and notes the result. A network that was measured
    /// before has the same result again.
    pub(crate) fn measure_endgames(&mut self) -> anyhow::Result<()> {
        let Some(truth) = self.truth.as_ref().filter(|truth| !truth.sample.is_empty()) else {
            return Ok(());
        };
        let config = &self.file.resolved.config;
        let model = self.load(self.state.newest)?;
        let mut evaluators = Evaluators::new(
            Network::new(&model, config.model.precision),
            &self.compute,
            self.threads,
            BATCH_SIZE,
        )?
        .all(self.threads);
        let score = eval::score_endgames(
            &truth.sample,
            settings::search(&config.search, Purpose::Play),
            config.endgame.simulations,
            &mut evaluators,
        )?;
        self.status.endgame = Some(score);
        self.write_metrics(&scalars(&score))
    }
}

fn scalars(score: &EndgameScore) -> [(Scalar, f64); 4] {
    [
        (Scalar::EndgameValueError, score.network.value_error),
        (Scalar::EndgameBlunders, score.network.blunders),
        (Scalar::EndgameSearchValueError, score.search.value_error),
        (Scalar::EndgameSearchBlunders, score.search.blunders),
    ]
}

/// The score in one line.
pub(crate) fn line(score: &EndgameScore) -> String {
    format!(
        "value error {:.2}, blunders {:.0} %; with {} simulations {:.2}, {:.0} %",
        score.network.value_error,
        100.0 * score.network.blunders,
        score.simulations,
        score.search.value_error,
        100.0 * score.search.blunders,
    )
}
