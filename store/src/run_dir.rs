//! The run directory: its layout, and how its files are written.
//!
//! ```text
//! run.toml        the resolved configuration           models/000042/   weights, never changed
//! state.json      progress of the loop (LoopState)     train/000017/    optimiser and schedule
//! status.json     current status                       games/           segments of games
//! champion        one line: 000042                     gates/000043.json, ratings.json
//!                                                      gates/000043.log during the gate
//! lock            the process that writes              metrics.jsonl, tensorboard/, logs/
//! endgames/       the endgame database for measuring networks
//! ```
//!
//! [`RunDir`] reads and needs no lock; [`RunWriter`] holds the lock and writes. `state.json` is the only
//! commit point: files that it does not refer to yet are removed at the next open, and their stage is
//! repeated.

mod adopt;
mod gate_log;
mod ids;
mod state;
mod writer;

use std::fs;
use std::path::{Path, PathBuf};

use rules::Variant;
use serde::de::DeserializeOwned;

pub use gate_log::GateLog;
pub use ids::{ModelId, TrainId};
pub use state::{LoopState, Phase};
pub use writer::RunWriter;

use crate::atomic;
use crate::error::{Result, StoreError};
use crate::games::{Check, FinishedGames, Games};
use crate::lock::Lock;

const CONFIG: &str = "run.toml";
const STATE: &str = "state.json";
const STATUS: &str = "status.json";
const CHAMPION: &str = "champion";
const RATINGS: &str = "ratings.json";
const METRICS: &str = "metrics.jsonl";
const LOCK: &str = "lock";
const MODELS: &str = "models";
const TRAIN: &str = "train";
const GATES: &str = "gates";
const GAMES: &str = "games";
const TENSORBOARD: &str = "tensorboard";
const LOGS: &str = "logs";
const ENDGAMES: &str = "endgames";

/// The directory of a run, for reading. Another process may be writing to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Whether a directory holds a run.
    pub fn is_run(path: &Path) -> bool {
        path.join(CONFIG).is_file()
    }

    /// The run in a directory.
    pub fn open(path: &Path) -> Result<RunDir> {
        if !RunDir::is_run(path) {
            return Err(StoreError::NotARun {
                path: path.to_owned(),
            });
        }
        Ok(RunDir {
            path: path.to_owned(),
        })
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of `run.toml`.
    pub fn config(&self) -> Result<String> {
        let path = self.path.join(CONFIG);
        fs::read_to_string(&path).map_err(StoreError::io("read", &path))
    }

    /// The progress of the loop; none before the first stage is finished.
    pub fn state(&self) -> Result<Option<LoopState>> {
        let path = self.path.join(STATE);
        let state: Option<LoopState> = atomic::read_json(&path)?;
        state.map(|state| state.checked(&path)).transpose()
    }

    /// The status that the running process last wrote.
    pub fn status<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        atomic::read_json(&self.path.join(STATUS))
    }

    /// The rating table over time.
    pub fn ratings<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        atomic::read_json(&self.path.join(RATINGS))
    }

    /// The report of a candidate's gate.
    pub fn gate<T: DeserializeOwned>(&self, candidate: ModelId) -> Result<Option<T>> {
        atomic::read_json(&self.gate_path(candidate))
    }

    /// The models, oldest first.
    pub fn models(&self) -> Result<Vec<ModelId>> {
        let entries = atomic::entries(&self.path.join(MODELS))?;
        Ok(entries
            .iter()
            .filter_map(|path| ModelId::from_name(atomic::file_name(path)))
            .collect())
    }

    /// The directory of an existing model.
    pub fn model(&self, model: ModelId) -> Result<PathBuf> {
        let path = self.model_path(model);
        if path.is_dir() {
            Ok(path)
        } else {
            Err(self.no_model(model)?)
        }
    }

    /// The champion; none before the first one is named.
    pub fn champion(&self) -> Result<Option<ModelId>> {
        let path = self.path.join(CHAMPION);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(StoreError::io("read", &path))?;
        match text.trim().parse() {
            Ok(model) => Ok(Some(model)),
            Err(_) => {
                let missing = format!("the champion's number (`champion` says `{}`)", text.trim());
                Err(StoreError::Incomplete {
                    path: self.path.clone(),
                    missing,
                })
            }
        }
    }

    /// The directory of the segments, for [`Games`](crate::Games).
    pub fn games_path(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// Quarantines damaged games of the run, which plays `variant`, and reports them and the missing
    /// ones. No other process may be writing: a write in progress looks like an interrupted one.
    pub fn quarantine(&self, variant: Variant, finished: FinishedGames) -> Result<Check> {
        let _lock = Lock::acquire(&self.path.join(LOCK))?;
        Games::new(&self.games_path(), variant).quarantine(finished)
    }

    /// The file `metrics.jsonl`.
    pub fn metrics_path(&self) -> PathBuf {
        self.path.join(METRICS)
    }

    /// The directory of TensorBoard's event files.
    pub fn tensorboard_path(&self) -> PathBuf {
        self.path.join(TENSORBOARD)
    }

    /// The directory of the run's endgame database, for [`Endgames`](crate::Endgames).
    pub fn endgames_path(&self) -> PathBuf {
        self.path.join(ENDGAMES)
    }

    /// The directory of log files.
    pub fn logs_path(&self) -> PathBuf {
        self.path.join(LOGS)
    }

    /// The directory of a saved training state.
    pub fn train_path(&self, train: TrainId) -> PathBuf {
        self.path.join(TRAIN).join(train.to_string())
    }

    fn model_path(&self, model: ModelId) -> PathBuf {
        self.path.join(MODELS).join(model.to_string())
    }

    fn gate_log_path(&self, candidate: ModelId) -> PathBuf {
        self.path.join(GATES).join(format!("{candidate}.log"))
    }

    fn gate_path(&self, candidate: ModelId) -> PathBuf {
        self.path.join(GATES).join(format!("{candidate}.json"))
    }

    fn no_model(&self, model: ModelId) -> Result<StoreError> {
        let models = self.models()?;
        let available = match (models.first(), models.last()) {
            (Some(first), Some(last)) => format!("models {first} to {last}"),
            _ => "none yet".to_owned(),
        };
        Ok(StoreError::NoModel {
            model,
            path: self.path.join(MODELS),
            available,
        })
    }
}
