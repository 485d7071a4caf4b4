//! A run opened by this process.

mod fleet;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use endgame::{Database, Solved};
use engine::SearchPlayerConfig;
use eval::PlayerFactory;
use model::{Model, ModelMeta};
use rayon::ThreadPool;
use rules::Variant;
use store::{
    Damage, EndgameSamples, Endgames, LoopState, ModelId, Moved, Phase, ReplayWindow, RunDir,
    RunWriter, StoreError,
};
use trainer::{Compute, StepsAt, Trainer};
use types::Seed;

use crate::config::{Resolved, RunConfig, RunFile, SettingChange};
use crate::error::Within as _;
use crate::evaluators::Evaluators;
use crate::ratings::player_name;
use crate::{RequestError, Result, RunError, consistency, takeover};

pub use fleet::Fleet;

/// A run directory locked by this process, and the data that the stages need in memory.
///
/// The results of the stages depend only on the directory ([`LoopState`] and the files it refers
/// to): a run that is dropped and opened again continues as if nothing had happened.
pub struct Run {
    pub(crate) dir: RunWriter,
    pub(crate) file: RunFile,
    pub(crate) state: LoopState,
    pub(crate) hardware: Hardware,
    pub(crate) trainer: Trainer,
    pub(crate) window: ReplayWindow,
    /// Endgame samples, mixed into the training batches.
    pub(crate) endgame_samples: EndgameSamples,
    pub(crate) oracle: Option<EndgameOracle>,
    /// The fleet that plays all games from now on, if there is one.
    pub fleet: Option<Box<dyn Fleet>>,
    damage: Vec<Damage>,
    /// Evaluations that the current self-play has asked for.
    asked: Arc<AtomicU64>,
}

/// Devices and threads.
pub(crate) struct Hardware {
    /// Device for inference.
    pub(crate) compute: Compute,
    /// Device for training.
    steps: Compute,
    /// Thread pool of the run.
    pub(crate) pool: ThreadPool,
}

/// The run's endgame database.
pub(crate) struct EndgameOracle {
    pub(crate) database: Database,
    /// Positions on which networks are measured.
    pub(crate) sample: Vec<Solved>,
}

/// A pool of this number of threads.
///
/// # Errors
/// If they cannot be started.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| RunError::Threads {
        source: error.into(),
    })
}

impl Hardware {
    fn new(config: &RunConfig) -> Result<Hardware> {
        let pool = thread_pool(config::threads(config.threads))?;
        Ok(Hardware {
            compute: Compute::named(&config.device)?,
            steps: Compute::named(config.train.device_beside(&config.device))?,
            pool,
        })
    }
}

impl EndgameOracle {
    /// Reads or builds the run's database; `None` if the configuration has none.
    fn open(run: &RunDir, variant: Variant, config: &RunConfig) -> Result<Option<EndgameOracle>> {
        let section = &config.endgame;
        if section.pieces == 0 {
            return Ok(None);
        }
        let kept = Endgames::new(&run.endgames_path());
        let database = roster::endgames::kept_or_built(&kept, variant, section.pieces)?;
        Ok(Some(EndgameOracle {
            sample: sample(&database, config),
            database,
        }))
    }
}

impl Run {
    /// Creates a run in `path`, which may exist but must not hold a run.
    ///
    /// # Errors
    /// If there is a run, the configuration cannot be used here, or the disk fails.
    pub fn create(path: &Path, variant: Variant, settings: Resolved) -> Result<Run> {
        Run::begin(path, RunFile::new(variant, settings))
    }

    /// Creates a run from its file, which may name an origin.
    pub(crate) fn begin(path: &Path, file: RunFile) -> Result<Run> {
        if file.resolved.config.device == config::AUTO {
            let reason =
                "`device=auto` is for `crownhead train` and `crownhead bench`: name a device";
            return Err(RequestError(reason.to_owned()).into());
        }
        // Checked first, so that a device that this build lacks does not leave an empty run behind.
        let hardware = Hardware::new(&file.resolved.config)?;
        let dir = RunWriter::create(path, &file.render())?;
        Run::load(dir, file, false, hardware)
    }

    /// Resumes the run in `path`. Requested settings in `asked` must agree with the run's settings,
    /// except those that may change: these take effect with the next generation.
    ///
    /// # Errors
    /// If there is no run, another process is using it, it is damaged, or the settings disagree.
    pub fn resume(path: &Path, variant: Variant, asked: &Resolved) -> Result<Run> {
        let opened = |error: RunError| error.opening(path);
        // Read with the lock held: a process that is shutting down may still write.
        let dir = RunWriter::open(path).map_err(|error| opened(error.into()))?;
        let mut file = RunFile::read(&dir).map_err(|error| opened(error.into()))?;
        let next = next_generation(&dir, &file).map_err(opened)?;
        let has_changed = file
            .ask(variant, asked, next)
            .within(|| format!("failed to resume the run in {}", path.display()))?;
        let hardware = Hardware::new(&file.resolved.config)?;
        Run::load(dir, file, has_changed, hardware).map_err(opened)
    }

    /// [`Run::resume`] if there is a run, [`Run::create`] if there is none.
    ///
    /// # Errors
    /// As those two.
    pub fn resume_or_create(path: &Path, variant: Variant, asked: Resolved) -> Result<Run> {
        match RunDir::open(path) {
            Err(StoreError::NotARun { .. }) => Run::create(path, variant, asked),
            _ => Run::resume(path, variant, &asked),
        }
    }

    /// Loads what the directory's state refers to, and creates model 0 if it is missing. In a run
    /// with a state, nothing is moved or written before all files are known to fit together.
    fn load(
        mut dir: RunWriter,
        mut file: RunFile,
        has_changed: bool,
        hardware: Hardware,
    ) -> Result<Run> {
        let state = match dir.state()? {
            Some(state) => state,
            None => {
                dir.settle()?;
                takeover::first_state(&dir, &mut file, &hardware.steps)?
            }
        };
        for notice in file.without_effect() {
            tracing::warn!("{notice}");
        }
        file.resolved = file.settings_of(state.generation)?;
        let (variant, config) = (file.variant, &file.resolved.config);
        let trainer = trainer(&dir, &state, variant, config, &hardware.steps)?;
        consistency::check(&dir, &file, &state, trainer.n_steps())?;
        let (window, damage) = window(&dir, &state, &file)?;
        dir.settle()?;
        if has_changed {
            dir.write_config(&file.render())?;
        }
        let oracle = hardware
            .pool
            .install(|| EndgameOracle::open(&dir, variant, config))?;
        let endgame_samples = endgame_samples(oracle.as_ref(), config);
        note_changes(&dir, &mut file, &state)?;
        let run = Run {
            dir,
            file,
            state,
            hardware,
            trainer,
            window,
            endgame_samples,
            oracle,
            fleet: None,
            damage,
            asked: Arc::default(),
        };
        let first = run.state.newest;
        if first == ModelId(0) && !run.dir.models()?.contains(&first) {
            let model = run.new_model(None)?;
            run.dir.save_model(first, |dir| model.save(dir))?;
        }
        // A run killed right after creating its first model has no state either.
        if run.dir.state()?.is_none() {
            run.dir.commit(&run.state)?;
        }
        Ok(run)
    }

    /// Applies the settings of the generation that starts, and records those that changed.
    pub(crate) fn begin_generation(&mut self) -> Result<()> {
        note_changes(&self.dir, &mut self.file, &self.state)?;
        let settings = self.file.settings_of(self.state.generation)?;
        let before = std::mem::replace(&mut self.file.resolved, settings).config;
        let config = &self.file.resolved.config;
        if config.endgame != before.endgame {
            if let Some(oracle) = &mut self.oracle {
                oracle.sample = sample(&oracle.database, config);
            }
            self.endgame_samples = endgame_samples(self.oracle.as_ref(), config);
        }
        if config.train != before.train {
            self.trainer.configure(config.train.clone());
        }
        if config.window != before.window {
            (self.window, _) = window(&self.dir, &self.state, &self.file)?;
        }
        Ok(())
    }

    /// Settings that changed with this generation.
    pub fn changes(&self) -> impl Iterator<Item = &SettingChange> {
        let changes = self.file.changes.iter();
        changes.filter(|change| change.generation == self.state.generation)
    }

    /// The game that is trained.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.file.variant
    }

    /// The current settings.
    #[must_use]
    pub fn config(&self) -> &RunConfig {
        &self.file.resolved.config
    }

    /// The settings as in `run.toml`.
    #[must_use]
    pub fn file(&self) -> &RunFile {
        &self.file
    }

    /// The progress of the run.
    #[must_use]
    pub fn state(&self) -> &LoopState {
        &self.state
    }

    /// The run directory, for reading.
    #[must_use]
    pub fn dir(&self) -> &RunDir {
        &self.dir
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.hardware.pool.current_num_threads()
    }

    /// The replay window.
    #[must_use]
    pub fn window(&self) -> &ReplayWindow {
        &self.window
    }

    /// Damage that was found, and skipped, when the games were read.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Evaluations that the current self-play on this machine has asked for. They show progress
    /// before the first game is finished.
    #[must_use]
    pub fn asked(&self) -> &Arc<AtomicU64> {
        &self.asked
    }

    /// Files of an interrupted process that were moved to `set-aside/`.
    #[must_use]
    pub fn moved(&self) -> &[Moved] {
        self.dir.moved()
    }

    /// A model of the run.
    ///
    /// # Errors
    /// If there is no model with that number, or it cannot be read.
    pub fn model(&self, id: ModelId) -> Result<Model> {
        let model = Model::load(&self.dir.model(id)?)?;
        model.expect_variant(self.variant())?;
        Ok(model)
    }

    /// Returns `true` if the run was just created.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.state.generation == 1 && self.state.next == Phase::SelfPlay
    }

    /// The trainer's averaged weights as a model whose parent is `parent`.
    pub(crate) fn new_model(&self, parent: Option<String>) -> Result<Model> {
        let variant = self.variant();
        let shape = self.config().model.shape(variant)?;
        let meta = ModelMeta {
            parent,
            train_step: self.trainer.n_steps(),
            games: self.state.games,
            ..takeover::first_meta(&self.dir)
        };
        let weights = self.trainer.averaged_weights()?;
        Ok(Model::new(variant, shape, meta, weights)?)
    }

    /// Evaluators of a model as it plays in this run, for all threads with this batch size each.
    ///
    /// # Errors
    /// If the device cannot compute the network.
    pub fn evaluators(&self, model: &Model, batch_size: usize) -> Result<Evaluators> {
        let (precision, compute) = (self.config().model.precision, &self.hardware.compute);
        Evaluators::new(model, precision, compute, self.threads(), batch_size)
    }

    /// The model as a match player.
    pub(crate) fn player_factory(
        &self,
        id: ModelId,
        simulations: u32,
    ) -> Result<PlayerFactory<'static>> {
        let play = SearchPlayerConfig::new(self.config().search.without_noise(), simulations);
        let evaluators = self.evaluators(&self.model(id)?, play.games_at_once)?;
        Ok(evaluators.player_factory(player_name(id), play))
    }

    /// Seed for one purpose in this generation.
    pub(crate) fn stream(&self, purpose: &str) -> Seed {
        Seed::new(self.config().seed).derive(purpose, &[self.state.generation.into()])
    }
}

/// Positions of a database on which networks are measured.
fn sample(database: &Database, config: &RunConfig) -> Vec<Solved> {
    database.sample(config.endgame.positions, roster::endgames::SAMPLE_SEED)
}

/// The first generation that cannot have started yet.
fn next_generation(dir: &RunDir, file: &RunFile) -> Result<u32> {
    let state = dir.state()?.unwrap_or_else(LoopState::start);
    let lag = file.resolved.config.fleet.lag;
    if state.next != Phase::SelfPlay {
        return Ok(state.generation + 1 + lag);
    }
    let has_games = || -> Result<bool> {
        let games = dir.games(file.variant).generations()?;
        Ok(games.contains(&state.generation))
    };
    // A fleet may have played games that are not in the directory yet.
    let has_begun = lag > 0 || has_games()?;
    Ok(state.generation + u32::from(has_begun))
}

/// Records in the run's file the progress at which a generation with changed settings starts.
fn note_changes(dir: &RunWriter, file: &mut RunFile, state: &LoopState) -> Result<()> {
    if state.next != Phase::SelfPlay {
        return Ok(());
    }
    let moment = StepsAt {
        step: state.step,
        samples: state.samples,
    };
    let mut is_new = false;
    for change in &mut file.changes {
        if change.generation == state.generation && change.since.is_none() {
            tracing::info!(%change, "setting changes");
            change.since = Some(moment);
            is_new = true;
        }
    }
    if is_new {
        dir.write_config(&file.render())?;
    }
    Ok(())
}

/// The window at this state, and damage found in the games.
fn window(dir: &RunDir, state: &LoopState, file: &RunFile) -> Result<(ReplayWindow, Vec<Damage>)> {
    let config = file.resolved.config.window.clone();
    let (games, last) = (dir.games(file.variant), state.generations_played());
    Ok(ReplayWindow::load(config, &games, last, state.samples)?)
}

/// Endgame samples, if the settings want some.
fn endgame_samples(oracle: Option<&EndgameOracle>, config: &RunConfig) -> EndgameSamples {
    let share = config.endgame.lessons;
    let Some(oracle) = oracle.filter(|_| share > 0.0) else {
        return EndgameSamples::default();
    };
    EndgameSamples::new(&oracle.database, share, &oracle.sample)
}

/// The trainer at the state's step count.
fn trainer(
    dir: &RunDir,
    state: &LoopState,
    variant: Variant,
    config: &RunConfig,
    compute: &Compute,
) -> Result<Trainer> {
    let (shape, train) = (config.model.shape(variant)?, config.train.clone());
    Ok(match state.train {
        Some(id) => Trainer::resume(&shape, train, &dir.train_path(id), dir.id(), compute)?,
        None => Trainer::new(&shape, train, config.seed, compute)?,
    })
}
