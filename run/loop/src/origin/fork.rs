//! A run that goes on from a generation of another.

use std::fmt;
use std::path::Path;

use model::{Compute, Model, ModelWeights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use serde::Serialize;
use store::{LoopState, ModelId, Phase, RunWriter, TrainId};
use trainer::Trainer;

use super::Source;
use crate::config::{ConfigSources, OriginKind, RunFile, RunOrigin, SettingChange, shape_settings};
use crate::reckoning::reckoned;
use crate::{Ratings, RequestError, Result, Run, RunError, StatusFile};

/// What a fork notes that had to go on without the state of the optimiser.
const FRESH: &str = "the optimiser begins fresh";
/// The same of one whose network is a larger one.
const GROWN: &str = "the network grows, the optimiser begins fresh";

/// Begins a run in `to` that goes on from a generation of another: `from` is `DIR@N`, or `DIR` for the
/// newest generation. It has that run's games, models, gates, ratings and curves until then, and its
/// settings; those that are asked for in `set` have their new values from the next generation on. The
/// other run stays as it is.
///
/// The optimiser's state is there for the newest model only; from an earlier one the optimiser begins
/// fresh, with the averaged weights, which the origin says. If settings ask for a larger network, that one
/// begins with the same function: the smaller one plays one generation more, which the larger one learns from.
///
/// # Errors
/// When there is a run in `to` already, settings ask for a network that the old one does not fit in, or the
/// disk refuses.
pub fn fork(from: &str, to: &Path, set: &ConfigSources) -> Result<Run> {
    super::expect_free(to)?;
    let source = Source::open(from)?;
    let variant = source.file.variant;
    let first = source.generation.0 + 1;
    let mut file = source.file.clone();
    file.changes.retain(|change| change.generation < first);
    file.ask(variant, &ConfigSources::default().resolve(variant)?, first)?;
    for setting in super::asked(set, variant)? {
        file.change(&setting, first)?;
    }
    file.resolved = file.settings_of(u32::MAX)?;
    let (shape, found) = (
        file.resolved.config.model.shape(variant)?,
        &source.model.config,
    );
    if !shape.contains(found) {
        let found = shape_settings(found);
        let found = found.map(|(key, value)| format!("{key}={value}")).join(" ");
        let found = format!("model.inputs={} {found}", source.model.config.inputs.name());
        let message = format!(
            "the network of a fork stays or grows, with a policy_dim that stays, and this one has {found}: learn \
             one of another shape from the games with crownhead retrain"
        );
        return Err(RequestError(message).into());
    }
    file.origin = Some(source.origin(OriginKind::Fork));
    let run = Run::begin(to, file)?;
    StatusFile::open(&run).close(&run);
    Ok(run)
}

/// How a run begins that goes on from another. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, Serialize)]
pub struct ForkReport {
    /// Its directory.
    pub run: String,
    /// What it begins from.
    pub origin: Option<RunOrigin>,
    /// Settings that are others from now on.
    pub changes: Vec<SettingChange>,
    /// The generation that comes next.
    pub generation: u32,
    #[serde(skip)]
    variant: Variant,
}

impl From<&Run> for ForkReport {
    fn from(run: &Run) -> ForkReport {
        let generation = run.state().generation;
        let changes = run.file().changes.iter();
        let ahead = changes.filter(|change| change.generation >= generation);
        ForkReport {
            run: run.dir().path().display().to_string(),
            origin: run.file().origin.clone(),
            changes: ahead.cloned().collect(),
            generation,
            variant: run.variant(),
        }
    }
}

impl fmt::Display for ForkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, variant) = (&self.run, self.variant);
        if let Some(origin) = &self.origin {
            writeln!(f, "{run} is {origin}.")?;
        }
        for change in &self.changes {
            writeln!(f, "Setting: {change}")?;
        }
        writeln!(f, "\nGo on     crownhead train {variant} --run {run}")
    }
}

/// Takes over what the other run had after the generation.
pub(super) fn take_over(
    dir: &RunWriter,
    file: &mut RunFile,
    origin: &RunOrigin,
    compute: &Compute,
) -> Result<LoopState> {
    let source = Source::open(&origin.from)?;
    super::expect_network(origin, &source.model, dir.path())?;
    let generation = source.generation;
    dir.adopt_games(&source.dir, generation.0)?;
    dir.adopt_models(&source.dir, generation)?;
    if let Some(mut ratings) = source.dir.ratings::<Ratings>()? {
        ratings
            .points
            .retain(|point| point.generation <= generation.0);
        dir.write_ratings(&ratings)?;
    }
    let next = file.settings_of(generation.0 + 1)?.config;
    let grows = next.model.shape(file.variant)? != source.model.config;
    let mut state = source.state(grows)?;
    let (train, is_kept) = source.training(state.train, dir, file, compute)?;
    state.train = Some(train);
    if let Some(origin) = file.origin.as_mut().filter(|_| !is_kept) {
        let without = if grows { GROWN } else { FRESH };
        without.clone_into(&mut origin.without);
        dir.write_config(&file.render())?;
    }
    dir.commit(&state)?;
    Ok(state)
}

impl Source {
    /// The state of the run when the generation was finished; if its network stays, as far as it has come.
    fn state(&self, grows: bool) -> Result<LoopState> {
        let now = self.dir.state()?.unwrap_or_else(LoopState::start);
        let is_newest = now.newest == self.generation;
        if is_newest && now.next != Phase::Train && !grows {
            return Ok(now);
        }
        let train = now.train.filter(|_| is_newest);
        reckoned(&self.dir, &self.file, self.generation, true, train)
    }

    /// The training state of the generation, and whether it is that of the run, with its optimiser.
    fn training(
        &self,
        kept: Option<TrainId>,
        dir: &RunWriter,
        file: &RunFile,
        compute: &Compute,
    ) -> Result<(TrainId, bool)> {
        let config = file.settings_of(self.generation.0 + 1)?.config;
        let shape = config.model.shape(file.variant)?;
        if let Some(kept) = kept {
            let path = self.dir.train_path(kept);
            // Another network, or a run that has gone on in the meantime, leaves no use for it.
            if Trainer::resume(&shape, config.train, &path, self.dir.id(), compute).is_ok() {
                return Ok((dir.adopt_train(&self.dir, kept)?, true));
            }
        }
        Ok((
            fresh_training(dir, file, self.generation, &self.model, compute)?,
            false,
        ))
    }
}

/// A training state that goes on after a model with an optimiser that begins fresh: with the model's weights, within a
/// larger network if the settings want one from then on.
///
/// # Errors
/// When they want a network that has no room for them, or the disk refuses.
pub(crate) fn fresh_training(
    dir: &RunWriter,
    file: &RunFile,
    id: ModelId,
    model: &Model,
    compute: &Compute,
) -> Result<TrainId> {
    let config = file.settings_of(id.0 + 1)?.config;
    let shape = config.model.shape(file.variant)?;
    let rng = &mut ChaCha8Rng::seed_from_u64(config.seed);
    let weights = ModelWeights::initial(&shape, rng);
    let weights = weights.grown_from(&shape, &model.config, &model.weights);
    let weights = weights.ok_or_else(|| {
        RunError::Missing(format!(
            "the network of model {id} has no room in that of generation {}",
            id.0 + 1
        ))
    })?;
    let trainer = Trainer::with_weights(&shape, config.train, &weights, compute)?;
    let trainer = trainer.at_step(model.meta.train_step);
    Ok(dir.save_train(|path| trainer.save(path, dir.id()))?)
}
