//! Writes to a run.

use std::error::Error;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rules::Variant;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    CONFIG, CONFIG_COPY, GAMES, GATES, GateLog, LOGS, LoopState, MODELS, RunDir, TENSORBOARD,
    TRAIN, layout,
};
use crate::atomic;
use crate::error::{Result, StoreError};
use crate::games::{Check, FinishedGames};
use crate::ids::{ModelId, TrainId};
use crate::lock::{LOCK, Lock};
use crate::metrics;
use crate::set_aside::{Moved, SetAside};

/// A run directory locked by this process.
#[derive(Debug)]
pub struct RunWriter {
    dir: RunDir,
    /// Leftovers of an interrupted process, with the reasons: moved when the run is settled.
    left: Vec<(PathBuf, String)>,
    aside: SetAside,
    _lock: Lock,
}

impl Deref for RunWriter {
    type Target = RunDir;

    fn deref(&self) -> &RunDir {
        &self.dir
    }
}

impl RunWriter {
    /// Creates a run from the text of its `run.toml`. The directory may exist, but must hold
    /// neither a run nor files of other programs.
    pub fn create(path: &Path, config: &str) -> Result<RunWriter> {
        layout::expect_free(path)?;
        let lock = Lock::of_dir(path)?;
        if RunDir::is_run(path) || layout::traces(path).is_some() {
            // An error about an existing run says more than that it exists.
            RunDir::open(path)?;
            return Err(StoreError::RunExists {
                path: path.to_owned(),
            });
        }
        let writer = RunWriter::locked(RunDir::with_config(path, config), lock);
        writer.make_folders()?;
        writer.write_config(config)?;
        Ok(writer)
    }

    /// Opens a run to continue it: takes the lock and checks that its state and its files fit
    /// together. Nothing has changed when it returns; [`RunWriter::settle`] moves leftovers.
    ///
    /// # Errors
    /// If another process holds the lock, or something does not fit.
    pub fn open(path: &Path) -> Result<RunWriter> {
        let mut writer = RunWriter::open_unchecked(path)?;
        writer.left = layout::survey(&writer, writer.state()?.as_ref())?;
        Ok(writer)
    }

    /// Takes the lock of a run without checking its files: for repairing it.
    ///
    /// # Errors
    /// If another process holds the lock, or there is no `run.toml`.
    pub fn open_unchecked(path: &Path) -> Result<RunWriter> {
        let dir = RunDir::open(path)?;
        let lock = Lock::acquire(&path.join(LOCK))?;
        Ok(RunWriter::locked(dir, lock))
    }

    /// Creates the missing folders of the run.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn make_folders(&self) -> Result<()> {
        let names = [MODELS, TRAIN, GATES, GAMES, TENSORBOARD, LOGS];
        names
            .iter()
            .try_for_each(|name| atomic::ensure_dir(&self.path.join(name)))
    }

    fn locked(dir: RunDir, lock: Lock) -> RunWriter {
        RunWriter {
            aside: SetAside::new(&dir.path),
            dir,
            left: Vec::new(),
            _lock: lock,
        }
    }

    /// Moves leftovers of an interrupted process to `set-aside/`, and restores the champion of the
    /// state.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn settle(&mut self) -> Result<()> {
        for (path, why) in std::mem::take(&mut self.left) {
            self.aside.take(&path, why)?;
        }
        let Some(state) = self.state()? else {
            return Ok(());
        };
        let path = self.champion_path();
        // After a crash it may be the previous champion; anything else is kept.
        if !self
            .champion()
            .is_ok_and(|named| named.is_none_or(|model| model <= state.newest))
        {
            self.aside
                .take(&path, format!("the champion is {}", state.champion))?;
        }
        self.write_champion(state.champion)
    }

    /// The files that were moved to `set-aside/`.
    pub fn moved(&self) -> &[Moved] {
        self.aside.moved()
    }

    /// Moves files to `set-aside/`.
    pub fn set_aside(&mut self) -> &mut SetAside {
        &mut self.aside
    }

    /// Writes `run.toml`, whose settings may change from call to call, and a copy in case it is
    /// lost.
    pub fn write_config(&self, config: &str) -> Result<()> {
        atomic::write_file(&self.config_copy_path(), config.as_bytes())?;
        atomic::write_file(&self.config_path(), config.as_bytes())
    }

    /// Moves TensorBoard's event files to `set-aside/`, because they will be rewritten.
    pub fn set_tensorboard_aside(&self) -> Result<()> {
        let why = "a process was killed: the curves will be rewritten";
        self.take_aside(&atomic::entries(&self.tensorboard_path())?, why)
    }

    /// Moves the games of a generation to `set-aside/`.
    pub fn set_games_aside(&self, variant: Variant, generation: u32, why: &str) -> Result<()> {
        self.take_aside(&self.games(variant).paths(generation)?, why)
    }

    fn take_aside(&self, paths: &[PathBuf], why: &str) -> Result<()> {
        let mut aside = SetAside::new(&self.path);
        paths.iter().try_for_each(|path| aside.take(path, why))
    }

    /// Restores `run.toml` from its copy; the existing file moves to `set-aside/`.
    ///
    /// # Errors
    /// If another process holds the lock, there is no copy, or the disk fails.
    pub fn restore_config(path: &Path) -> Result<()> {
        let _lock = Lock::acquire(&path.join(LOCK))?;
        let copy = atomic::read(&path.join(CONFIG_COPY))?;
        let config = path.join(CONFIG);
        SetAside::new(path).copy(&config, "it could not be used")?;
        atomic::write_file(&config, &copy)
    }

    /// As [`RunDir::quarantine`], with the lock held by this process.
    pub fn quarantine_games(&self, variant: Variant, finished: &FinishedGames) -> Result<Check> {
        self.games(variant).quarantine(finished)
    }

    /// Rewrites `metrics.jsonl` without invalid lines; the old file is kept.
    pub fn drop_bad_metrics(&mut self, why: &str) -> Result<()> {
        let (path, lines) = (self.metrics_path(), self.metrics()?);
        self.aside.copy(&path, why)?;
        metrics::write(&path, &lines)
    }

    /// Replaces `status.json`.
    pub fn write_status(&self, status: &impl Serialize) -> Result<()> {
        atomic::write_sealed(&self.status_path(), status, None)
    }

    /// Replaces `ratings.json`.
    pub fn write_ratings(&self, ratings: &impl Serialize) -> Result<()> {
        atomic::write_sealed(&self.ratings_path(), ratings, self.id())
    }

    /// Opens the log of a candidate's gate, and returns the pairs played by an interrupted gate.
    /// Pairs played with other terms are dropped.
    pub fn gate_log<T: DeserializeOwned>(
        &self,
        candidate: ModelId,
        terms: &impl Serialize,
    ) -> Result<(GateLog, Vec<T>)> {
        let mut aside = SetAside::new(&self.path);
        GateLog::open(self.gate_log_path(candidate), terms, &mut aside)
    }

    /// Moves the log of a candidate's gate to `set-aside/`.
    pub fn set_gate_log_aside(&self, candidate: ModelId, why: &str) -> Result<()> {
        SetAside::new(&self.path).take(&self.gate_log_path(candidate), why)
    }

    /// Writes the report of a candidate's gate, and deletes the gate's log.
    pub fn write_gate(&self, candidate: ModelId, gate: &impl Serialize) -> Result<()> {
        atomic::write_sealed(&self.gate_path(candidate), gate, self.id())?;
        atomic::remove_file(&self.gate_log_path(candidate))
    }

    /// Adds a model. `fill` writes its files into the given directory.
    pub fn save_model<E>(
        &self,
        model: ModelId,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<()>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        atomic::create_dir(&self.model_path(model), fill)
    }

    /// Deletes a model, which no state may refer to.
    pub fn delete_model(&self, model: ModelId) -> Result<()> {
        atomic::remove_dir(&self.model_path(model))
    }

    /// Deletes the games of generations before `first`; a state that says so must have been
    /// committed.
    pub fn delete_games_before(&self, first: u32) -> Result<()> {
        let segments = self.segments(..first)?;
        segments
            .iter()
            .try_for_each(|path| atomic::remove_file(path))
    }

    /// Adds a training state. It counts once a [`LoopState`] with its number has been committed.
    pub fn save_train<E>(&self, fill: impl FnOnce(&Path) -> Result<(), E>) -> Result<TrainId>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let newest = self.train_ids()?.into_iter().max();
        let train = TrainId(newest.map_or(1, |newest| newest.0 + 1));
        atomic::create_dir(&self.train_path(train), fill)?;
        Ok(train)
    }

    /// Commits a state: writes it and `champion`. The previous training state is kept in case the
    /// new one is damaged; older ones are removed.
    pub fn commit(&self, state: &LoopState) -> Result<()> {
        layout::expect_complete(self, state)?;
        atomic::write_sealed(&self.state_path(), state, self.id())?;
        self.write_champion(state.champion)?;
        let older = self.train_ids()?.into_iter().rev();
        let older = older.filter(|train| state.train.is_some_and(|newest| *train < newest));
        for train in older.skip(1) {
            atomic::remove_dir(&self.train_path(train))?;
        }
        Ok(())
    }

    fn write_champion(&self, champion: ModelId) -> Result<()> {
        if self.champion().ok().flatten() == Some(champion) {
            return Ok(());
        }
        atomic::write_file(&self.champion_path(), format!("{champion}\n").as_bytes())
    }
}
