//! The first state of a run that begins from another one: what it takes over into its directory.

use std::path::Path;

use model::{Compute, Model, ModelMeta, ModelWeights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use roster::ModelSource;
use store::{LoopState, ModelId, Phase, RunDir, RunWriter, TrainId};
use trainer::Trainer;

use crate::config::{OriginKind, RunFile, RunOrigin};
use crate::restore::state_after;
use crate::{Ratings, RequestError, Result, RunError};

/// The note of a fork that continues without the state of the optimizer.
const FRESH: &str = "the optimiser begins fresh";
/// The same of one whose network is a larger one.
const GROWN: &str = "the network grows, the optimiser begins fresh";

/// Another run as it was after a generation.
pub(crate) struct Source {
    pub(crate) dir: RunDir,
    pub(crate) file: RunFile,
    pub(crate) model: Model,
    pub(crate) generation: ModelId,
}

impl Source {
    /// Opens what `DIR@N` or `run:DIR@N` names; without a number, the newest generation.
    pub(crate) fn open(text: &str) -> Result<Source> {
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

    /// The origin of a run that begins from it.
    pub(crate) fn origin(&self, kind: OriginKind) -> RunOrigin {
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
        OriginKind::Init => take_over_weights(dir, file, &origin, compute),
        OriginKind::Fork => take_over_all(dir, file, &origin, compute),
        OriginKind::Retrain => take_over_games(dir, &origin),
    }
}

/// Makes sure that the model that a run in `path` begins from has not changed.
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

/// Takes over what the other run had after the generation.
fn take_over_all(
    dir: &RunWriter,
    file: &mut RunFile,
    origin: &RunOrigin,
    compute: &Compute,
) -> Result<LoopState> {
    let source = Source::open(&origin.from)?;
    expect_network(origin, &source.model, dir.path())?;
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
    /// The state of the run when the generation was finished; its present state if the generation
    /// is the newest and the network stays.
    fn state(&self, grows: bool) -> Result<LoopState> {
        let now = self.dir.state()?.unwrap_or_else(LoopState::start);
        let is_newest = now.newest == self.generation;
        if is_newest && now.next != Phase::Train && !grows {
            return Ok(now);
        }
        let train = now.train.filter(|_| is_newest);
        state_after(&self.dir, &self.file, self.generation, true, train)
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
            // It is of no use to another network, or after further training of the run.
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

/// A training state with the weights of a model and a fresh optimizer, within a larger network if
/// the settings of the next generation ask for one.
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

/// Takes over the games.
fn take_over_games(dir: &RunWriter, origin: &RunOrigin) -> Result<LoopState> {
    let source = Source::open(&origin.from)?;
    expect_network(origin, &source.model, dir.path())?;
    dir.adopt_games(&source.dir, source.generation.0)?;
    Ok(LoopState::start())
}

/// Makes model 0 and the training state of it.
fn take_over_weights(
    dir: &RunWriter,
    file: &RunFile,
    origin: &RunOrigin,
    compute: &Compute,
) -> Result<LoopState> {
    let (variant, config) = (file.variant, &file.resolved.config);
    let trained = ModelSource::of_path(&origin.from).load_for(variant)?.model;
    expect_network(origin, &trained, dir.path())?;
    let (shape, train) = (config.model.shape(variant)?, &config.train);
    let untrained = Trainer::new(&shape, train.clone(), config.seed, compute)?;
    let (weights, _) = untrained.weights()?.warmed_by(&trained.weights);
    let trainer = Trainer::with_weights(&shape, train.clone(), &weights, compute)?;
    let meta = ModelMeta {
        parent: Some(origin.network.clone()),
        train_step: 0,
        games: 0,
        made_by: "crownhead train".to_owned(),
        code_version: env!("CARGO_PKG_VERSION").to_owned(),
        run: dir.id().map(|id| id.to_string()),
    };
    let model = Model::new(variant, shape, meta, weights)?;
    dir.save_model(ModelId(0), |dir| model.save(dir))?;
    let state = LoopState {
        train: Some(dir.save_train(|path| trainer.save(path, dir.id()))?),
        ..LoopState::start()
    };
    dir.commit(&state)?;
    Ok(state)
}
