//! Compares recorded games with searches of their positions, for devices that differ in the last
//! bits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use config::{FleetMode, RunConfig};
use run::GameTerms;
use run::evaluators::Evaluators;
use selfplay::{Agreement, play_games, retrace};
use share::Judge;
use store::Record;

use crate::Result;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Repeats the searches of the positions in recorded games of one generation.
pub(crate) struct Retracer {
    /// The terms of the games.
    pub(crate) terms: GameTerms,
    /// The network that played them.
    pub(crate) evaluators: Evaluators,
    pub(crate) threads: usize,
}

impl Retracer {
    /// The first games of the generation, as a device plays them.
    pub(crate) fn play(&self, n_games: u32, device: &Evaluators) -> Result<Vec<Record>> {
        let numbers: Vec<u32> = (0..n_games).collect();
        let mut games = Vec::new();
        let (job, mut evaluators) = (self.terms.job(&numbers), device.all(self.threads));
        play_games(&job, &mut evaluators, &NEVER, |record, _| {
            games.push(record);
            Ok(())
        })?;
        Ok(games)
    }

    /// The agreement of searches of the positions of these games with their records.
    ///
    /// # Errors
    /// If the network fails.
    pub(crate) fn agreement(&self, games: &[Record]) -> Result<Agreement> {
        let mut evaluators = self.evaluators.all(self.threads);
        let found = retrace(&self.terms.job(&[]), games, &mut evaluators)?;
        Ok(Agreement::of(games, &found))
    }
}

/// The judge of a generation's games; `None` if all machines play identical games.
pub(crate) fn judge(
    config: &RunConfig,
    terms: &GameTerms,
    threads: usize,
    evaluators: impl FnOnce() -> Result<Evaluators>,
) -> Result<Option<Arc<dyn Judge>>> {
    if config.fleet.mode == FleetMode::Exact {
        return Ok(None);
    }
    Ok(Some(Arc::new(Retracer {
        terms: terms.clone(),
        evaluators: evaluators()?,
        threads,
    })))
}

impl Judge for Retracer {
    fn fault(&self, games: &[Record]) -> std::result::Result<Option<String>, String> {
        let agreement = self.agreement(games).map_err(|error| {
            tracing::warn!(%error, "shared games cannot be searched again");
            error.to_string()
        })?;
        if agreement.is_close() {
            return Ok(None);
        }
        let first = games.first().map(|game| game.header.id);
        Ok(first.map(|first| {
            format!(
                "its games from {first} on do not agree with searches of their positions: \
                    {agreement}"
            )
        }))
    }
}

impl fmt::Debug for Retracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retracer")
            .field("header", &self.terms.header)
            .finish_non_exhaustive()
    }
}
