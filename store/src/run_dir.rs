//! The run directory: its layout, and how its files are written.
//!
//! ```text
//! run.toml        the resolved configuration           models/000042/   weights, never changed
//! state.json      progress of the loop (LoopState)     train/000017/    optimizer and schedule
//! status.json     current status                       games/           segments of games
//! champion        one line: 000042                     gates/000043.json, ratings.json
//!                                                      gates/000043.log during the gate
//! lock            the process that writes              metrics.jsonl, tensorboard/, logs/
//! endgames/       the endgame database for measuring networks
//! set-aside/      files moved out of the way, by date, with the reasons
//! ```
//!
//! [`RunDir`] reads and needs no lock; [`RunWriter`] holds the lock and writes. `state.json` is the
//! only commit point: files that it does not refer to yet are moved to `set-aside/` when the run is
//! opened, and their stage is repeated. Opening deletes nothing, and moves nothing before all files
//! are known to fit together.

mod adopt;
mod gate_log;
mod layout;
mod state;
mod writer;

use std::collections::BTreeSet;
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};

use rules::Variant;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use gate_log::GateLog;
pub use state::{LoopState, Phase};
pub use writer::RunWriter;

use crate::atomic::{self, MAX_DOCUMENT_BYTES};
use crate::bind;
use crate::disk;
use crate::error::{Misfit, Result, StoreError};
use crate::games::{Check, FinishedGames, Games, SegmentName};
use crate::ids::{ModelId, RunId, TrainId};
use crate::lock::{LOCK, Lock};
use crate::set_aside::{REASONS, SET_ASIDE};

const CONFIG: &str = "run.toml";
const STATE: &str = "state.json";
const STATUS: &str = "status.json";
const CHAMPION: &str = "champion";
const RATINGS: &str = "ratings.json";
const METRICS: &str = "metrics.jsonl";
/// A second copy of `run.toml`, in case the first is lost.
const CONFIG_COPY: &str = "train/run.toml";
const MODELS: &str = "models";
const TRAIN: &str = "train";
const GATES: &str = "gates";
const GAMES: &str = "games";
const TENSORBOARD: &str = "tensorboard";
const LOGS: &str = "logs";
const ENDGAMES: &str = "endgames";

/// Maximum size of `run.toml` and `champion` in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// The directory of a run, for reading. Another process may be writing to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunDir {
    path: PathBuf,
    id: Option<RunId>,
    games_id: Option<RunId>,
    /// `true` if it started from another run.
    has_origin: bool,
}

impl RunDir {
    /// Returns `true` if a directory holds a run.
    pub fn is_run(path: &Path) -> bool {
        path.join(CONFIG).is_file()
    }

    /// The run in a directory.
    pub fn open(path: &Path) -> Result<RunDir> {
        if !RunDir::is_run(path) {
            return Err(match layout::traces(path) {
                None => StoreError::NotARun {
                    path: path.to_owned(),
                },
                Some(found) => StoreError::contradiction(
                    &path.join(CONFIG),
                    format!("it is missing, and {} exists", found.display()),
                    "the run.toml of this run",
                ),
            });
        }
        let config = text(&path.join(CONFIG))?;
        Ok(RunDir::with_config(path, &config))
    }

    /// The run in a directory as if it had this `run.toml`.
    pub fn with_config(path: &Path, config: &str) -> RunDir {
        RunDir {
            path: path.to_owned(),
            id: RunId::at_key(config, "run_id"),
            games_id: RunId::at_key(config, "games_run_id"),
            has_origin: config.lines().any(|line| line.trim() == "[origin]"),
        }
    }

    /// The runs that the sealed documents of the directory name, one for each document.
    pub fn sealed_ids(&self) -> Vec<RunId> {
        let gates = atomic::entries(&self.path.join(GATES)).unwrap_or_default();
        let documents = [self.state_path(), self.ratings_path()].into_iter();
        let texts = documents
            .chain(gates)
            .filter_map(|path| atomic::read(&path).ok());
        texts.filter_map(|text| bind::run_of(&text)).collect()
    }

    /// The files that the lists in `set-aside/` name: files that were moved there and files that a
    /// repair did not find. Paths are relative to the run.
    ///
    /// # Errors
    /// When the list of them cannot be read.
    pub fn known_losses(&self) -> Result<BTreeSet<String>> {
        let mut named = BTreeSet::new();
        for dir in atomic::entries(&self.path.join(SET_ASIDE))? {
            let list = dir.join(REASONS);
            let list = atomic::read_existing(&list, MAX_DOCUMENT_BYTES)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&list);
            let names = text.lines().filter_map(|line| line.split_once(": "));
            named.extend(names.map(|(name, _)| name.to_owned()));
        }
        Ok(named)
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The identity of the run; `None` for runs of earlier versions.
    pub fn id(&self) -> Option<RunId> {
        self.id
    }

    /// The file `run.toml`.
    pub fn config_path(&self) -> PathBuf {
        self.path.join(CONFIG)
    }

    /// The text of `run.toml`.
    pub fn config(&self) -> Result<String> {
        text(&self.config_path())
    }

    /// Returns `true` if a process is writing to the run.
    pub fn is_locked(&self) -> bool {
        Lock::is_held(&self.path.join(LOCK))
    }

    /// The file with a copy of `run.toml`.
    pub fn config_copy_path(&self) -> PathBuf {
        self.path.join(CONFIG_COPY)
    }

    /// The copy of `run.toml` in a directory, if there is one.
    pub fn config_copy(path: &Path) -> Result<Option<String>> {
        let copy = path.join(CONFIG_COPY);
        copy.exists().then(|| text(&copy)).transpose()
    }

    /// The files that opening the run would move to `set-aside/`, with the reasons.
    ///
    /// # Errors
    /// If state and files do not fit together.
    pub fn leftovers(&self) -> Result<Vec<(PathBuf, String)>> {
        layout::survey(self, self.state()?.as_ref())
    }

    /// The segments of games of these generations.
    pub fn segments(&self, generations: impl RangeBounds<u32>) -> Result<Vec<PathBuf>> {
        let mut segments = atomic::entries(&self.games_path())?;
        segments.retain(|path| {
            let name = SegmentName::parse(atomic::file_name(path));
            name.is_some_and(|name| generations.contains(&name.generation))
        });
        Ok(segments)
    }

    /// Size of all files of the run in bytes.
    pub fn size_bytes(&self) -> Result<u64> {
        disk::size(&self.path).map_err(StoreError::io("measure", &self.path))
    }

    /// Size of a model's files in bytes.
    pub fn model_bytes(&self, model: ModelId) -> Result<u64> {
        let path = self.model(model)?;
        disk::size(&path).map_err(StoreError::io("measure", &path))
    }

    /// The file `state.json`.
    pub fn state_path(&self) -> PathBuf {
        self.path.join(STATE)
    }

    /// The progress of the loop; `None` before the first stage is finished.
    pub fn state(&self) -> Result<Option<LoopState>> {
        LoopState::read(&self.state_path(), self.id)
    }

    /// The file `status.json`.
    pub fn status_path(&self) -> PathBuf {
        self.path.join(STATUS)
    }

    /// The status written by the last process. If it says `running` but no process holds the lock,
    /// that process was killed: then `running` is false here, and `interrupted` true.
    pub fn status<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let path = self.status_path();
        let Some(mut status) = atomic::read_json::<Value>(&path)? else {
            return Ok(None);
        };
        if status["running"] == true && !self.is_locked() {
            status["running"] = false.into();
            status["interrupted"] = true.into();
        }
        let status = serde_json::from_value(status).map_err(StoreError::json(&path))?;
        Ok(Some(status))
    }

    /// The file `ratings.json`.
    pub fn ratings_path(&self) -> PathBuf {
        self.path.join(RATINGS)
    }

    /// The rating table over time.
    pub fn ratings<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        atomic::read_sealed(&self.ratings_path(), self.id)
    }

    /// The report of a candidate's gate.
    pub fn gate<T: DeserializeOwned>(&self, candidate: ModelId) -> Result<Option<T>> {
        atomic::read_sealed(&self.gate_path(candidate), self.id)
    }

    /// The models, oldest first.
    pub fn models(&self) -> Result<Vec<ModelId>> {
        numbered(&self.models_path(), ModelId::from_name)
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

    /// The file that names the champion.
    pub fn champion_path(&self) -> PathBuf {
        self.path.join(CHAMPION)
    }

    /// The champion; `None` before the first one.
    pub fn champion(&self) -> Result<Option<ModelId>> {
        let path = self.champion_path();
        if !path.exists() {
            return Ok(None);
        }
        let text = text(&path)?;
        let damaged = |_| Misfit::Damaged {
            found: format!("{:?}", text.trim().chars().take(20).collect::<String>()),
            expected: "the champion's number".to_owned(),
        };
        let champion = text.trim().parse().map_err(damaged);
        champion.map(Some).map_err(StoreError::misfit(&path))
    }

    /// The directory of the segments.
    pub fn games_path(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// The games of the run, which plays `variant`. Games of another run are rejected.
    pub fn games(&self, variant: Variant) -> Games {
        let runs = self.id.into_iter().chain(self.games_id).collect();
        Games::of_runs(&self.games_path(), variant, runs)
    }

    /// Quarantines damaged games of the run, which plays `variant`, and reports them and the
    /// missing ones. No other process may be writing: a write in progress looks like an interrupted
    /// one.
    pub fn quarantine(&self, variant: Variant, finished: &FinishedGames) -> Result<Check> {
        let _lock = Lock::acquire(&self.path.join(LOCK))?;
        self.games(variant).quarantine(finished)
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

    /// The saved training states, oldest first.
    pub fn train_ids(&self) -> Result<Vec<TrainId>> {
        numbered(&self.path.join(TRAIN), TrainId::from_name)
    }

    /// The directory of the models.
    pub fn models_path(&self) -> PathBuf {
        self.path.join(MODELS)
    }

    /// The directory of a model, whether it exists or not.
    pub fn model_path(&self, model: ModelId) -> PathBuf {
        self.models_path().join(model.to_string())
    }

    fn gate_log_path(&self, candidate: ModelId) -> PathBuf {
        self.path.join(GATES).join(format!("{candidate}.log"))
    }

    /// The file of a candidate's gate report.
    pub fn gate_path(&self, candidate: ModelId) -> PathBuf {
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
            path: self.models_path(),
            available,
        })
    }
}

/// The numbers in the names of a directory's entries, ascending.
fn numbered<T>(dir: &Path, number: fn(&str) -> Option<T>) -> Result<Vec<T>> {
    let entries = atomic::entries(dir)?;
    let numbers = entries
        .iter()
        .filter_map(|path| number(atomic::file_name(path)));
    Ok(numbers.collect())
}

fn text(path: &Path) -> Result<String> {
    let bytes = atomic::read_bounded(path, MAX_TEXT_BYTES)?;
    let misfit = |_| Misfit::Damaged {
        found: "bytes that are not UTF-8".to_owned(),
        expected: "text".to_owned(),
    };
    String::from_utf8(bytes)
        .map_err(misfit)
        .map_err(StoreError::misfit(path))
}
