//! The runs that the page can see: those in a configured directory, by name.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use http::ApiError;
use rules::Variant;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Document;
use store::{GameId, Games, Generation, Record, RunDir};

use crate::memory::{Memory, Stamp};

/// Judges a run by its records.
pub type Judge = fn(&RunDir) -> Option<RunVerdict>;

/// Verdict on a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunVerdict {
    /// The verdict in one word.
    pub word: &'static str,
    /// The observation, with figures.
    pub reason: String,
}

/// A setting of a run that changed.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ChangeView {
    /// The first generation with the new value.
    generation: u32,
    key: String,
    #[serde(deserialize_with = "value_text")]
    old: String,
    #[serde(deserialize_with = "value_text")]
    new: String,
}

/// A value of a setting, as it is written.
fn value_text<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(toml::Value::deserialize(value)?.to_string())
}

/// A run in the list of runs.
#[derive(Clone, Serialize)]
pub(crate) struct RunLine {
    name: String,
    variant: &'static str,
    /// The document `status.json`; null before training has started.
    status: Document,
    /// `true` if a process is training it.
    is_live: bool,
    n_models: usize,
    /// The verdict on it, if there is one.
    verdict: Option<RunVerdict>,
    /// Its settings as text, by key.
    pub(crate) settings: BTreeMap<String, String>,
}

/// The configured directory of runs, and a run elsewhere.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The directory whose children may be runs.
    dir: PathBuf,
    /// A run elsewhere.
    other: Option<PathBuf>,
    /// The last generation of games that was read, because users view many games of one.
    last: Mutex<Option<(PathBuf, u32, Arc<Generation>)>>,
}

/// A run and its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedRun {
    /// Unique among the runs.
    pub(crate) name: String,
    pub(crate) dir: RunDir,
    pub(crate) variant: Variant,
}

impl Runs {
    pub(crate) fn new(dir: PathBuf, other: Option<PathBuf>) -> Runs {
        Runs {
            dir,
            other,
            last: Mutex::new(None),
        }
    }

    /// All current runs, by name. Unreadable ones are left out.
    pub(crate) fn list(&self) -> Vec<NamedRun> {
        let children = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut children: Vec<PathBuf> = children.map(|child| child.path()).collect();
        children.sort();
        let mut known: HashSet<PathBuf> = HashSet::new();
        let mut runs: Vec<NamedRun> = Vec::new();
        for path in self.other.iter().chain(&children) {
            let Ok(real) = path.canonicalize() else {
                continue;
            };
            let run = open(path, &real);
            let Some(mut run) = run.filter(|_| known.insert(real)) else {
                continue;
            };
            let (base, mut copy) = (run.name.clone(), 1);
            while runs.iter().any(|other| other.name == run.name) {
                copy += 1;
                run.name = format!("{base}-{copy}");
            }
            runs.push(run);
        }
        runs.sort_by(|a, b| a.name.cmp(&b.name));
        runs
    }

    /// The run with a name. Only listed names lead to directories.
    pub(crate) fn find(&self, name: &str) -> Result<NamedRun, ApiError> {
        let runs = self.list();
        if let Some(run) = runs.iter().find(|run| run.name == name) {
            return Ok(run.clone());
        }
        let names: Vec<String> = runs.into_iter().map(|run| run.name).collect();
        let known = match names.join(", ") {
            none if none.is_empty() => "there are no runs".to_owned(),
            names => format!("the runs are {names}"),
        };
        Err(ApiError::missing(format!(
            "there is no run {name:?}: {known}"
        )))
    }

    /// The games of a generation.
    pub(crate) fn generation(
        &self,
        run: &NamedRun,
        generation: u32,
    ) -> Result<Arc<Generation>, ApiError> {
        let path = run.dir.path().to_owned();
        let is_newest =
            run.games().generations().map_err(ApiError::failed)?.last() == Some(&generation);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, number, games)) = &*last
            && (known, *number) == (&path, generation)
            && !is_newest
        {
            return Ok(Arc::clone(games));
        }
        let games = Arc::new(run.games().read(generation).map_err(ApiError::failed)?);
        *last = Some((path, generation, Arc::clone(&games)));
        Ok(games)
    }

    /// One game.
    pub(crate) fn record(&self, run: &NamedRun, id: GameId) -> Result<Record, ApiError> {
        let games = self.generation(run, id.generation)?;
        let record = games.records.iter().find(|record| record.header.id == id);
        record.cloned().ok_or_else(|| {
            let n = games.records.len();
            ApiError::missing(format!(
                "run {} has no game {id}: generation {} has {n} games",
                run.name, id.generation
            ))
        })
    }
}

impl NamedRun {
    pub(crate) fn games(&self) -> Games {
        self.dir.games(self.variant)
    }

    /// The settings in `run.toml`, by dotted key; empty if it cannot be read.
    pub(crate) fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        let text = self.dir.config().unwrap_or_default();
        if let Ok(table) = toml::from_str::<toml::Table>(&text) {
            flatten("", &table, &mut settings);
        }
        // Identifiers of the run are not settings.
        settings.retain(|key, _| !["run_id", "config_hash", "change"].contains(&key.as_str()));
        settings
    }

    /// The settings that `run.toml` says have changed; nothing if it cannot be read.
    pub(crate) fn changes(&self) -> Vec<ChangeView> {
        #[derive(Default, Deserialize)]
        struct Changes {
            #[serde(default)]
            change: Vec<ChangeView>,
        }
        let text = self.dir.config().unwrap_or_default();
        toml::from_str::<Changes>(&text).unwrap_or_default().change
    }
}

impl RunLine {
    /// The line of a run, read again only after its files have changed: a page with hundreds of
    /// runs asks every few seconds.
    pub(crate) fn remembered(run: &NamedRun, judge: Judge, lines: &Memory<RunLine>) -> RunLine {
        let dir = &run.dir;
        let files = [
            dir.config_path(),
            dir.status_path(),
            dir.state_path(),
            dir.ratings_path(),
            dir.metrics_path(),
            dir.models_path(),
        ];
        let is_live = dir.is_locked();
        let line = lines.get(dir.path(), Stamp::of(&files, is_live), || RunLine {
            name: String::new(),
            variant: run.variant.name(),
            is_live,
            settings: run.settings(),
            verdict: judge(dir),
            status: dir.status().ok().flatten().unwrap_or_default(),
            n_models: dir.models().map_or(0, |models| models.len()),
        });
        RunLine {
            name: run.name.clone(),
            ..line
        }
    }
}

fn flatten(above: &str, table: &toml::Table, settings: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let key = format!("{above}{key}");
        match value {
            toml::Value::Table(inner) => flatten(&format!("{key}."), inner, settings),
            toml::Value::String(text) => drop(settings.insert(key, text.clone())),
            other => drop(settings.insert(key, other.to_string())),
        }
    }
}

/// The run in a directory, if it has a known variant.
fn open(path: &Path, real: &Path) -> Option<NamedRun> {
    #[derive(Deserialize)]
    struct Head {
        variant: String,
    }
    let dir = RunDir::open(path).ok()?;
    let head: Head = toml::from_str(&dir.config().ok()?).ok()?;
    Some(NamedRun {
        name: real.file_name()?.to_str()?.to_owned(),
        variant: head.variant.parse().ok()?,
        dir,
    })
}
