//! A run that goes on from a generation of another.

use std::path::Path;

use eval::{GateReport, Verdict};
use model::{Compute, Model};
use store::{LoopState, ModelId, Phase, ReplayWindow, RunDir, RunWriter, TrainId};
use trainer::Trainer;

use super::Source;
use crate::config::{ConfigSources, Moment, OriginKind, RunFile, RunOrigin};
use crate::{Ratings, Result, Run, StatusFile};

/// What a fork notes that had to go on without the state of the optimiser.
const FRESH: &str = "the optimiser begins fresh";
/// What a fork notes that goes on with a network of another shape.
const NEW_NETWORK: &str = "a new network learns from its games first";

/// How often a new network draws each sample of the window before it learns as always.
const LESSONS: u64 = 4;

/// Begins a run in `to` that goes on from a generation of another: `from` is `DIR@N`, or `DIR` for the
/// newest generation. It has that run's games, models, gates, ratings and curves until then, and its
/// settings; those that are asked for in `set` have their new values from the next generation on. The
/// other run stays as it is.
///
/// The optimiser's state is there for the newest model only; from an earlier one the optimiser begins
/// fresh, with the averaged weights, which the origin says. If a setting asks for a network of another
/// shape, that one is new: the old one plays until the next training, which is as long as it takes to draw
/// all of the window four times.
///
/// # Errors
/// When there is a run in `to` already, or the disk refuses.
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
    file.origin = Some(source.origin(OriginKind::Fork));
    let run = Run::begin(to, file)?;
    StatusFile::open(&run).close(&run);
    Ok(run)
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
    let is_new = next.model.shape(file.variant)? != source.model.config;
    let mut state = source.state(is_new)?;
    let (train, is_kept) = source.training(state.train, dir, file, compute)?;
    state.train = Some(train);
    if is_new {
        let lessons = LESSONS * next.window.capacity(state.samples).min(state.samples);
        // What the window has is learnt from before steps are counted by new samples.
        let since = Moment {
            step: state.step + lessons / next.train.batch_size as u64,
            samples: state.samples,
        };
        let changes = file.changes.iter_mut();
        changes
            .filter(|change| change.generation == state.generation)
            .for_each(|change| change.since = Some(since));
    }
    if let Some(origin) = file.origin.as_mut().filter(|_| !is_kept) {
        let without = if is_new { NEW_NETWORK } else { FRESH };
        without.clone_into(&mut origin.without);
        dir.write_config(&file.render())?;
    }
    dir.commit(&state)?;
    Ok(state)
}

impl Source {
    /// The state of the run when the generation was finished; if its network stays, as far as it has come.
    fn state(&self, is_new: bool) -> Result<LoopState> {
        let now = self.dir.state()?.unwrap_or_else(LoopState::start);
        let is_newest = now.newest == self.generation;
        if is_newest && now.next != Phase::Train && !is_new {
            return Ok(now);
        }
        let (games, positions, samples) = count(&self.dir, &self.file, self.generation)?;
        Ok(LoopState {
            generation: self.generation.0 + 1,
            next: Phase::SelfPlay,
            games,
            positions,
            samples,
            step: self.model.meta.train_step,
            train: now.train.filter(|_| is_newest),
            newest: self.generation,
            champion: champion(&self.dir, self.generation)?,
            seconds: seconds(&self.dir, self.generation)?,
            ..LoopState::start()
        })
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
        let n_horizons = config.window.horizons.len();
        if let Some(kept) = kept {
            let path = self.dir.train_path(kept);
            // Another network, or a run that has gone on in the meantime, leaves no use for it.
            let place = (path.as_path(), self.dir.id());
            if Trainer::resume(&shape, config.train, n_horizons, place, compute).is_ok() {
                return Ok((dir.adopt_train(&self.dir, kept)?, true));
            }
        }
        Ok((
            fresh_training(dir, file, self.generation, &self.model, compute)?,
            false,
        ))
    }
}

/// A training state that goes on after a model with an optimiser that begins fresh: with the model's weights, or
/// new ones if the settings want a network of another shape from then on.
pub(crate) fn fresh_training(
    dir: &RunWriter,
    file: &RunFile,
    id: ModelId,
    model: &Model,
    compute: &Compute,
) -> Result<TrainId> {
    let config = file.settings_of(id.0 + 1)?.config;
    let shape = config.model.shape(file.variant)?;
    let n_horizons = config.window.horizons.len();
    let trainer = if shape == model.config {
        Trainer::with_weights(&shape, config.train, n_horizons, &model.weights, compute)?
    } else {
        Trainer::new(&shape, config.train, n_horizons, config.seed, compute)?
    };
    let trainer = trainer.at_step(model.meta.train_step);
    Ok(dir.save_train(|path| trainer.save(path, dir.id()))?)
}

/// Games, positions and samples until a generation.
pub(crate) fn count(run: &RunDir, file: &RunFile, last: ModelId) -> Result<(u64, u64, u64)> {
    let all = run.games(file.variant);
    let (mut games, mut positions, mut samples) = (0, 0, 0);
    for generation in 1..=last.0 {
        let config = file.settings_of(generation)?.config.window;
        let mut window = ReplayWindow::new(config);
        for record in all.read(generation)?.records {
            games += 1;
            positions += record.plies.len() as u64;
            window.push(&record);
        }
        samples += window.n_seen();
    }
    Ok((games, positions, samples))
}

/// The champion after a generation: the last that won its gate.
pub(crate) fn champion(dir: &RunDir, generation: ModelId) -> Result<ModelId> {
    for number in (1..=generation.0).rev() {
        let gate = dir.gate::<GateReport>(ModelId(number))?;
        if gate.is_some_and(|report| report.verdict == Verdict::Better) {
            return Ok(ModelId(number));
        }
    }
    Ok(ModelId(0))
}

/// Seconds of all stages until a generation, as the curves have them.
pub(crate) fn seconds(dir: &RunDir, generation: ModelId) -> Result<f64> {
    let lines = dir.metrics()?;
    let past = lines.iter().filter(|line| line.generation <= generation.0);
    let values = past.flat_map(|line| &line.values);
    let times = values.filter(|(tag, _)| tag.starts_with("time/"));
    Ok(times.filter_map(|(_, value)| *value).sum())
}
