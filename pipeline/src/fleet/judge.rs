//! Whether games of another device are what they should be.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fleet::Judge;
use search::Prover;
use selfplay::{Agreement, Job, SelfplayConfig, play_games, retrace};
use store::{Header, Record};

use crate::Result;
use crate::config::{FleetMode, RunConfig};
use crate::evaluators::Evaluators;
use crate::stages::self_play::job;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Searches the positions of recorded games of one generation again.
pub(super) struct Retracer {
    config: RunConfig,
    selfplay: SelfplayConfig,
    header: Header,
    prover: Option<Arc<dyn Prover>>,
    pub(super) evaluators: Evaluators,
    threads: usize,
}

impl Retracer {
    /// For games with these settings and this header, with the evaluators of the network that played them.
    pub(super) fn new(
        (config, header): (RunConfig, Header),
        prover: Option<&Arc<dyn Prover>>,
        (evaluators, threads): (Evaluators, usize),
    ) -> Retracer {
        Retracer {
            selfplay: config.self_play(),
            config,
            header,
            prover: prover.cloned(),
            evaluators,
            threads,
        }
    }

    /// The first games of the generation, as they come out on a device.
    pub(super) fn play(&self, n_games: u32, device: &Evaluators) -> Result<Vec<Record>> {
        let numbers: Vec<u32> = (0..n_games).collect();
        let mut games = Vec::new();
        let mut evaluators = device.all(self.threads);
        play_games(&self.job(&numbers), &mut evaluators, &NEVER, |record, _| {
            games.push(record);
            Ok(())
        })?;
        Ok(games)
    }

    /// How far searches of the positions of these games agree with what their records say.
    ///
    /// # Errors
    /// When the network fails.
    pub(super) fn agreement(&self, games: &[Record]) -> Result<Agreement> {
        let mut evaluators = self.evaluators.all(self.threads);
        let found = retrace(&self.job(&[]), games, &mut evaluators)?;
        Ok(Agreement::of(games, &found))
    }

    fn job<'a>(&'a self, numbers: &'a [u32]) -> Job<'a> {
        let prover = self.prover.as_ref();
        job(&self.config, &self.selfplay, &self.header, numbers, prover)
    }
}

/// Who judges the games of a generation: nobody where all machines play the same. The arguments are those of
/// [`Retracer::new`].
pub(super) fn judge(
    (config, header): (&RunConfig, &Header),
    prover: Option<&Arc<dyn Prover>>,
    (evaluators, threads): (impl FnOnce() -> Result<Evaluators>, usize),
) -> Result<Option<Arc<dyn Judge>>> {
    if config.fleet.mode == FleetMode::Exact {
        return Ok(None);
    }
    let (terms, hands) = ((config.clone(), header.clone()), (evaluators()?, threads));
    let judge = Retracer::new(terms, prover, hands);
    Ok(Some(Arc::new(judge)))
}

impl Judge for Retracer {
    fn fault(&self, games: &[Record]) -> std::result::Result<Option<String>, String> {
        let agreement = self.agreement(games).map_err(|error| {
            tracing::warn!(%error, "games of others cannot be searched again");
            error.to_string()
        })?;
        if agreement.is_close() {
            return Ok(None);
        }
        let first = games.first().map(|game| game.header.id);
        Ok(first.map(|first| {
            format!(
                "its games from {first} on are not what searches of their positions find: {agreement}"
            )
        }))
    }
}

impl fmt::Debug for Retracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retracer")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}
