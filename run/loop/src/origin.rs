//! Runs that begin from what another one has: its weights, everything up to a generation, or its games.
//!
//! What a run begins from stands in its `run.toml` before anything else is done. So one that was killed
//! while it began is begun again when it is opened.

mod fork;
mod retrain;
mod warm_start;

use std::path::Path;

use model::{Compute, Model};
use rules::Variant;
use store::{LoopState, ModelId, RunDir, RunWriter};

use crate::config::{Asked, ConfigError, ConfigSources, OriginKind, RunFile, RunOrigin, Setting};
use crate::{RequestError, Result, RunError};
use roster::ModelSource;

pub(crate) use fork::fresh_training;
pub use fork::{ForkReport, fork};
pub use retrain::{recorded_generations, retrain};
pub use warm_start::resume_or_init;

/// Another run as it was after a generation.
struct Source {
    dir: RunDir,
    file: RunFile,
    model: Model,
    generation: ModelId,
}

impl Source {
    /// Opens what `DIR@N` or `run:DIR@N` names; without a number, the newest generation.
    fn open(text: &str) -> Result<Source> {
        let ModelSource::Run(path, number) = ModelSource::of_path(text) else {
            let message = format!("{text:?} is no run: give its directory, as in runs/english@40");
            return Err(RequestError(message).into());
        };
        let dir = RunDir::open(&path)?;
        let file = RunFile::read(&dir)?;
        let newest = || Ok(dir.models()?.last().copied().unwrap_or(ModelId(0)));
        let generation = number.map_or_else(newest, Ok::<_, RunError>)?;
        let model = Model::load(&dir.model(generation)?)?;
        Ok(Source {
            dir,
            file,
            model,
            generation,
        })
    }

    /// What a run that begins from it notes.
    fn origin(&self, kind: OriginKind) -> RunOrigin {
        let (dir, generation) = (self.dir.path().display(), self.generation.0);
        RunOrigin {
            kind,
            from: format!("run:{dir}@{generation}"),
            network: self.model.net_id(),
            without: String::new(),
        }
    }
}

/// The state that a run begins with, after what it takes over has been put into its directory.
pub(crate) fn first_state(
    dir: &RunWriter,
    file: &mut RunFile,
    compute: &Compute,
) -> Result<LoopState> {
    let Some(origin) = file.origin.clone() else {
        return Ok(LoopState::start());
    };
    match origin.kind {
        OriginKind::Init => warm_start::take_over(dir, file, &origin, compute),
        OriginKind::Fork => fork::take_over(dir, file, &origin, compute),
        OriginKind::Retrain => retrain::take_over(dir, &origin),
    }
}

/// The settings that are asked for.
fn asked(sources: &ConfigSources, variant: Variant) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = sources.resolve(variant)?.settings;
    settings.retain(|setting| setting.asked != Asked::No);
    Ok(settings)
}

/// Whether a directory is free for a new run.
fn expect_free(path: &Path) -> Result<()> {
    if RunDir::is_run(path) {
        let message = format!(
            "{} holds a run already: give another directory",
            path.display()
        );
        return Err(RequestError(message).into());
    }
    Ok(())
}

/// Whether the model that a run in `path` begins from is still the one that it was.
fn expect_network(origin: &RunOrigin, found: &Model, path: &Path) -> Result<()> {
    if found.net_id() == origin.network {
        return Ok(());
    }
    let (from, network, path) = (&origin.from, &origin.network, path.display());
    Err(RunError::Missing(format!(
        "{from} is no longer the network {network}, with which {path} was to begin: remove {path} and \
         begin it again"
    )))
}
