//! Writing to a run.

use std::error::Error;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    CHAMPION, CONFIG, GAMES, GATES, GateLog, LOCK, LOGS, LoopState, MODELS, ModelId, RATINGS,
    RunDir, STATE, STATUS, TENSORBOARD, TRAIN, TrainId,
};
use crate::atomic;
use crate::error::{Result, StoreError};
use crate::lock::Lock;

/// A run directory that this process has locked.
#[derive(Debug)]
pub struct RunWriter {
    dir: RunDir,
    removed: Vec<PathBuf>,
    _lock: Lock,
}

impl Deref for RunWriter {
    type Target = RunDir;

    fn deref(&self) -> &RunDir {
        &self.dir
    }
}

impl RunWriter {
    /// Creates a run from the text of its `run.toml`. The directory may exist, but must not hold a run.
    pub fn create(path: &Path, config: &str) -> Result<RunWriter> {
        atomic::ensure_dir(path)?;
        let lock = Lock::acquire(&path.join(LOCK))?;
        if RunDir::is_run(path) {
            return Err(StoreError::RunExists {
                path: path.to_owned(),
            });
        }
        for name in [MODELS, TRAIN, GATES, GAMES, TENSORBOARD, LOGS] {
            atomic::ensure_dir(&path.join(name))?;
        }
        atomic::write_file(&path.join(CONFIG), config.as_bytes())?;
        let dir = RunDir {
            path: path.to_owned(),
        };
        Ok(RunWriter {
            dir,
            removed: Vec::new(),
            _lock: lock,
        })
    }

    /// Opens a run to continue it: takes the lock, removes what an interrupted process left behind, and
    /// checks that everything exists that the state refers to.
    pub fn open(path: &Path) -> Result<RunWriter> {
        let dir = RunDir::open(path)?;
        let lock = Lock::acquire(&path.join(LOCK))?;
        let mut writer = RunWriter {
            dir,
            removed: Vec::new(),
            _lock: lock,
        };
        writer.recover()?;
        Ok(writer)
    }

    /// What [`RunWriter::open`] removed: partial files, and models and training states of an interrupted
    /// stage.
    pub fn removed(&self) -> &[PathBuf] {
        &self.removed
    }

    /// Replaces `run.toml`, for settings that may change from call to call.
    pub fn write_config(&self, config: &str) -> Result<()> {
        atomic::write_file(&self.path.join(CONFIG), config.as_bytes())
    }

    /// Replaces `status.json`.
    pub fn write_status(&self, status: &impl Serialize) -> Result<()> {
        write_json(&self.path.join(STATUS), status)
    }

    /// Replaces `ratings.json`.
    pub fn write_ratings(&self, ratings: &impl Serialize) -> Result<()> {
        write_json(&self.path.join(RATINGS), ratings)
    }

    /// Opens the log of a candidate's gate, and returns the pairs that an interrupted gate has played.
    /// Pairs that were played under other terms are dropped.
    pub fn gate_log<T: DeserializeOwned>(
        &self,
        candidate: ModelId,
        terms: &impl Serialize,
    ) -> Result<(GateLog, Vec<T>)> {
        GateLog::open(self.gate_log_path(candidate), terms)
    }

    /// Writes the report of a candidate's gate, and deletes the gate's log.
    pub fn write_gate(&self, candidate: ModelId, gate: &impl Serialize) -> Result<()> {
        write_json(&self.gate_path(candidate), gate)?;
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

    /// Commits a state: writes it and `champion`, and removes older training states.
    pub fn commit(&self, state: &LoopState) -> Result<()> {
        self.check_complete(state)?;
        write_json(&self.path.join(STATE), state)?;
        self.write_champion(state.champion)?;
        for train in self.train_ids()? {
            if state.train != Some(train) {
                atomic::remove_dir(&self.train_path(train))?;
            }
        }
        Ok(())
    }

    fn recover(&mut self) -> Result<()> {
        for name in ["", MODELS, TRAIN, GATES] {
            self.removed
                .extend(atomic::remove_leftovers(&self.path.join(name))?);
        }
        let state = self.state()?;
        for model in self.models()? {
            if state.as_ref().is_none_or(|state| model > state.newest) {
                self.removed.push(self.model_path(model));
            }
        }
        for train in self.train_ids()? {
            if state
                .as_ref()
                .is_none_or(|state| state.train != Some(train))
            {
                self.removed.push(self.train_path(train));
            }
        }
        for path in &self.removed {
            atomic::remove_dir(path)?;
        }
        self.drop_gate_logs(state.as_ref())?;
        if let Some(state) = state {
            self.check_complete(&state)?;
            self.write_champion(state.champion)?;
        }
        Ok(())
    }

    /// Removes the logs of finished gates, and of candidates that will be trained again.
    fn drop_gate_logs(&self, state: Option<&LoopState>) -> Result<()> {
        for log in atomic::entries(&self.path.join(GATES))? {
            let Some(candidate) = atomic::file_name(&log)
                .strip_suffix(".log")
                .and_then(ModelId::from_name)
            else {
                continue;
            };
            let is_known = state.is_some_and(|state| candidate <= state.newest);
            if !is_known || self.gate_path(candidate).exists() {
                atomic::remove_file(&log)?;
            }
        }
        Ok(())
    }

    fn check_complete(&self, state: &LoopState) -> Result<()> {
        let models = [state.newest, state.champion].map(|model| self.model_path(model));
        let train = state.train.map(|train| self.train_path(train));
        match models.into_iter().chain(train).find(|path| !path.is_dir()) {
            None => Ok(()),
            Some(missing) => Err(StoreError::Incomplete {
                path: self.path.clone(),
                missing: missing.display().to_string(),
            }),
        }
    }

    fn write_champion(&self, champion: ModelId) -> Result<()> {
        if self.champion().ok().flatten() == Some(champion) {
            return Ok(());
        }
        atomic::write_file(
            &self.path.join(CHAMPION),
            format!("{champion}\n").as_bytes(),
        )
    }

    fn train_ids(&self) -> Result<Vec<TrainId>> {
        let entries = atomic::entries(&self.path.join(TRAIN))?;
        Ok(entries
            .iter()
            .filter_map(|path| TrainId::from_name(atomic::file_name(path)))
            .collect())
    }
}

fn write_json(path: &Path, document: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(document).map_err(StoreError::json(path))?;
    text.push(b'\n');
    atomic::write_file(path, &text)
}
