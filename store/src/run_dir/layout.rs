//! Compares the files of a run with its state, and finds those that are in the way.

use std::path::{Path, PathBuf};

use super::{
    CHAMPION, CONFIG, ENDGAMES, GAMES, GATES, LOGS, LoopState, METRICS, MODELS, Phase, RATINGS,
    RunDir, STATE, STATUS, TENSORBOARD, TRAIN,
};
use crate::atomic;
use crate::error::{Result, StoreError};
use crate::ids::ModelId;
use crate::lock::LOCK;
use crate::set_aside::SET_ASIDE;

/// Names in the directory of a run. Machines of a fleet share games in `fleet`.
const NAMES: [&str; 16] = [
    CONFIG,
    STATE,
    STATUS,
    CHAMPION,
    RATINGS,
    METRICS,
    MODELS,
    TRAIN,
    GATES,
    GAMES,
    TENSORBOARD,
    LOGS,
    ENDGAMES,
    LOCK,
    SET_ASIDE,
    "fleet",
];

/// Directories in which files are written under temporary names.
const WRITTEN: [&str; 4] = ["", MODELS, TRAIN, GATES];

/// Checks that a directory contains only names of a run, and hidden files.
pub(super) fn expect_free(path: &Path) -> Result<()> {
    let entries = atomic::entries(path)?;
    let is_own = |entry: &Path| NAMES.contains(&atomic::file_name(entry));
    let foreign = entries
        .iter()
        .find(|entry| !is_own(entry) && !is_hidden(entry));
    match foreign.and_then(|entry| entry.file_name()) {
        None => Ok(()),
        Some(found) => Err(StoreError::NotEmpty {
            path: path.to_owned(),
            found: found.display().to_string(),
        }),
    }
}

/// Recognizes files that systems put anywhere, such as `.DS_Store`.
fn is_hidden(path: &Path) -> bool {
    atomic::file_name(path).starts_with('.')
}

/// A file that shows that a directory without `run.toml` was a run.
pub(super) fn traces(path: &Path) -> Option<PathBuf> {
    let state = path.join(STATE);
    let model = path.join(MODELS).join(ModelId(0).to_string());
    [state, model].into_iter().find(|trace| trace.exists())
}

/// Checks that state and files fit together, and finds leftovers of an interrupted stage: paths
/// with reasons. Changes nothing.
pub(super) fn survey(run: &RunDir, state: Option<&LoopState>) -> Result<Vec<(PathBuf, String)>> {
    let mut left = Vec::new();
    for name in WRITTEN {
        let partial = atomic::leftovers(&run.path.join(name))?;
        left.extend(
            partial
                .into_iter()
                .map(|path| (path, "a write was interrupted".to_owned())),
        );
    }
    match state {
        None => left.extend(beginning(run)?),
        Some(state) => {
            if let Some((found, expected)) = state.contradiction() {
                return Err(StoreError::contradiction(
                    &run.state_path(),
                    found,
                    expected,
                ));
            }
            expect_complete(run, state)?;
            left.extend(uncommitted(run, state)?);
        }
    }
    left.extend(gate_logs(run, state)?);
    Ok(left)
}

/// Checks that all files exist that the state refers to.
pub(super) fn expect_complete(run: &RunDir, state: &LoopState) -> Result<()> {
    let models = [state.newest, state.champion].map(|model| run.model_path(model));
    let train = state.train.map(|train| run.train_path(train));
    match models.into_iter().chain(train).find(|path| !path.is_dir()) {
        None => Ok(()),
        Some(missing) => Err(StoreError::Incomplete {
            path: run.path.clone(),
            missing: missing.display().to_string(),
        }),
    }
}

/// A run without a state has not started: it has at most its untrained network, or some of the data
/// that it takes over from another run, and takes over again. A run with a champion has had a
/// state.
fn beginning(run: &RunDir) -> Result<Vec<(PathBuf, String)>> {
    let is_first = |model: &ModelId| !run.has_origin && *model == ModelId(0);
    let models = run.models()?.into_iter().filter(|model| !is_first(model));
    let mut made: Vec<PathBuf> = models.map(|model| run.model_path(model)).collect();
    let trains = run.train_ids()?.into_iter();
    made.extend(trains.map(|train| run.train_path(train)));
    let mut evidence = vec![run.champion_path()];
    if !run.has_origin {
        evidence.extend(made.iter().cloned());
        evidence.extend(atomic::entries(&run.games_path())?);
        evidence.extend(atomic::entries(&run.path.join(GATES))?);
    }
    let mut evidence = evidence.iter().filter(|path| !is_hidden(path));
    if let Some(found) = evidence.find(|path| path.exists()) {
        return Err(StoreError::contradiction(
            &run.state_path(),
            format!("it is missing, and {} exists", found.display()),
            "the progress of this run",
        ));
    }
    let why = "the run was interrupted at its start";
    let left = made.into_iter().map(|path| (path, why.to_owned()));
    Ok(left.collect())
}

/// The model and the training state of a training stage that was interrupted before its commit. Any
/// other file newer than the state is a contradiction.
fn uncommitted(run: &RunDir, state: &LoopState) -> Result<Vec<(PathBuf, String)>> {
    let models = run
        .models()?
        .into_iter()
        .filter(|&model| model > state.newest);
    let models = models.map(|model| (run.model_path(model), model == state.newest.next()));
    let expected = state.train.map_or(0, |train| train.0);
    let trains = run
        .train_ids()?
        .into_iter()
        .filter(|train| train.0 > expected);
    let trains = trains.map(|train| (run.train_path(train), train.0 == expected + 1));
    models
        .chain(trains)
        .map(|(path, is_next)| {
            if is_next && state.next == Phase::Train {
                let generation = state.generation;
                return Ok((
                    path,
                    format!("training of generation {generation} was interrupted"),
                ));
            }
            let (newest, train) = (state.newest, expected);
            Err(StoreError::contradiction(
                &run.state_path(),
                format!(
                    "its newest model is {newest} and its training state {train:06}, and {} exists",
                    path.display()
                ),
                "the progress after the newest of them",
            ))
        })
        .collect()
}

/// The logs of finished gates, and of candidates that will be trained again.
fn gate_logs(run: &RunDir, state: Option<&LoopState>) -> Result<Vec<(PathBuf, String)>> {
    let mut left = Vec::new();
    for log in atomic::entries(&run.path.join(GATES))? {
        let name = atomic::file_name(&log).strip_suffix(".log");
        let Some(candidate) = name.and_then(ModelId::from_name) else {
            continue;
        };
        if state.is_none_or(|state| candidate > state.newest) {
            left.push((log, "its candidate will be trained again".to_owned()));
        } else if run.gate_path(candidate).exists() {
            left.push((log, "its gate is finished".to_owned()));
        }
    }
    Ok(left)
}
