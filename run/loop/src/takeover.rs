//! Initial state of a run that starts from another one: copies the data into its directory.

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

/// Note of a fork that continues without the optimizer's state.
const FRESH: &str = "with a new optimizer";
/// Note of a fork whose network is larger.
const GROWN: &str = "with a larger network and a new optimizer";

/// Another run at the end of a generation.
pub(crate) struct Source {
    pub(crate) dir: RunDir,
    pub(crate) file: RunFile,
    pub(crate) model: Model,
    pub(crate) generation: ModelId,
}

impl Source {
    /// Opens the run named by `DIR@N` or `run:DIR@N`; without a number, at the newest generation.
    pub(crate) fn open(text: &str) -> Result<Source> {
        let ModelSource::Run(path, number) = ModelSource::of_path(text) else {
            let message =
                format!("{text:?} is not a run: give its directory, as in runs/english@40");
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

    /// Origin of a run that starts from this source.
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

/// Copies the data of the origin into the directory and returns the initial state.
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

/// Checks that the model that a run in `path` starts from has not changed.
fn expect_network(origin: &RunOrigin, found: &Model, path: &Path) -> Result<()> {
    if found.net_id() == origin.network {
        return Ok(());
    }
    let (from, network, path) = (&origin.from, &origin.network, path.display());
    Err(RunError::Missing(format!(
        "{from} is no longer the network {network} that {path} was to start from: remove {path} \
         and create it again"
    )))
}

/// Copies everything that the other run had after the generation.
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
    /// The loop state at the end of the generation; the current state if the generation is the
    /// newest and the network does not grow.
    fn state(&self, grows: bool) -> Result<LoopState> {
        let now = self.dir.state()?.unwrap_or_else(LoopState::start);
        let is_newest = now.newest == self.generation;
        if is_newest && now.next != Phase::Train && !grows {
            return Ok(now);
        }
        let train = now.train.filter(|_| is_newest);
        state_after(&self.dir, &self.file, self.generation, true, train)
    }

    /// The training state of the generation; `true` if it is the run's own, with its optimizer.
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
            // It is unusable for another network, or after further training of the run.
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

/// A training state with the weights of a model and a new optimizer, in a larger network if the
/// settings of the next generation ask for one.
///
/// # Errors
/// If the requested network cannot contain the model, or the disk fails.
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
            "the network of model {id} does not fit into the network of generation {}",
            id.0 + 1
        ))
    })?;
    let trainer = Trainer::with_weights(&shape, config.train, &weights, compute)?;
    let trainer = trainer.at_step(model.meta.train_step);
    Ok(dir.save_train(|path| trainer.save(path, dir.id()))?)
}

/// The provenance of an untrained model of a run.
pub(crate) fn first_meta(dir: &RunDir) -> ModelMeta {
    ModelMeta {
        made_by: "crownhead train".to_owned(),
        code_version: env!("CARGO_PKG_VERSION").to_owned(),
        run: dir.id().map(|id| id.to_string()),
        ..ModelMeta::default()
    }
}

/// Copies the games.
fn take_over_games(dir: &RunWriter, origin: &RunOrigin) -> Result<LoopState> {
    let source = Source::open(&origin.from)?;
    expect_network(origin, &source.model, dir.path())?;
    dir.adopt_games(&source.dir, source.generation.0)?;
    Ok(LoopState::start())
}

/// Creates model 0 and its training state.
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
        ..first_meta(dir)
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
