//! Files that a run must have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use eval::{GateReport, Verdict, anchors};
use store::{LoopState, ModelId, Phase, RunDir, StoreError};

use super::RunFault;
use crate::Result;
use crate::config::{OriginKind, RunFile};
use crate::ratings::model_number;

/// The repair of a missing file.
const MEND: &str =
    "put it back from a copy, if there is one; else crownhead repair notes that it is lost";

/// Files that the progress of the run implies and that are neither there nor known to be lost.
///
/// # Errors
/// When the directory or its settings cannot be read.
pub(super) fn missing(run: &RunDir, file: &RunFile, state: &LoopState) -> Result<Vec<RunFault>> {
    let mut expected = models(run, file, state)?;
    expected.extend(gates(run, file, state)?);
    if is_rated(file, state)? {
        expected.push((run.ratings_path(), "the ratings"));
    }
    // The same observer writes both.
    if has_files(&run.tensorboard_path()) {
        expected.push((run.metrics_path(), "the curves"));
    }
    if state.generation > 1 {
        expected.push((run.champion_path(), "the name of the champion"));
    }
    let lost = run.known_losses()?;
    let is_gone = |path: &Path| {
        let name = path.strip_prefix(run.path()).unwrap_or(path);
        !path.exists() && !lost.contains(&types::portable_path(name))
    };
    expected.retain(|(path, _)| is_gone(path));
    let fault = |(path, what): (PathBuf, &str)| RunFault {
        path,
        what: format!("{what} is missing"),
        found: "no such file".to_owned(),
        expected: format!("{what}, as of generation {}", state.generation),
        mend: MEND.to_owned(),
    };
    Ok(expected.into_iter().map(fault).collect())
}

/// The first generation that the run itself has worked on: what a fork took over may have gaps.
fn first_own(file: &RunFile) -> u32 {
    let fork = file.origin.as_ref().filter(|o| o.kind == OriginKind::Fork);
    let from = fork.and_then(|origin| origin.from.rsplit_once('@')?.1.parse::<u32>().ok());
    from.map_or(0, |from| from + 1)
}

/// All models, where none may be deleted to make room.
fn models(run: &RunDir, file: &RunFile, state: &LoopState) -> Result<Vec<(PathBuf, &'static str)>> {
    for generation in 1..=state.generation {
        if file.settings_of(generation)?.config.disk.budget > 0 {
            return Ok(Vec::new());
        }
    }
    let all = first_own(file)..=state.newest.0;
    Ok(all
        .map(|number| (run.model_path(ModelId(number)), "the model"))
        .collect())
}

/// Reports of gates that were due.
fn gates(run: &RunDir, file: &RunFile, state: &LoopState) -> Result<Vec<(PathBuf, &'static str)>> {
    let last = state.generation - u32::from(state.next != Phase::Rate);
    let mut expected = Vec::new();
    let mut has_champion = false;
    for number in 1..=last {
        let id = ModelId(number);
        let every = file.settings_of(number)?.config.gate.every_generations;
        let is_due = number.is_multiple_of(every) || !has_champion;
        if is_due && number >= first_own(file) {
            expected.push((run.gate_path(id), "the report of the gate"));
        }
        // Where a report cannot be read, its model may have become champion.
        let report = run.gate::<GateReport>(id).ok().flatten();
        has_champion |= report.map_or(is_due, |report| report.verdict == Verdict::Better);
    }
    Ok(expected)
}

/// Returns `true` if a rating has been finished.
fn is_rated(file: &RunFile, state: &LoopState) -> Result<bool> {
    if anchors::shipped(file.variant).is_none() {
        return Ok(false);
    }
    for generation in first_own(file).max(1)..state.generation {
        let rating = file.settings_of(generation)?.config.rating;
        if rating.pairs > 0 && generation.is_multiple_of(rating.every_generations) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_files(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}

/// Rejects a report that names another candidate than its file does.
pub(super) fn is_of(run: &RunDir, id: ModelId, report: Option<GateReport>) -> Result<()> {
    let candidate = report.and_then(|report| model_number(&report.candidate));
    match candidate.filter(|&candidate| candidate != id) {
        None => Ok(()),
        Some(candidate) => {
            let found = format!("the report of the gate of model {candidate}");
            let expected = format!("that of model {id}");
            Err(StoreError::contradiction(&run.gate_path(id), found, expected).into())
        }
    }
}

/// The parts of a run that a repair may set aside.
pub(super) fn parts(run: &RunDir) -> Result<BTreeSet<PathBuf>> {
    let models = run.models()?;
    let gates = models.iter().map(|&id| run.gate_path(id));
    let mut parts: BTreeSet<PathBuf> = gates.filter(|path| path.exists()).collect();
    parts.extend(models.iter().map(|&id| run.model_path(id)));
    parts.extend(run.train_ids()?.into_iter().map(|id| run.train_path(id)));
    parts.extend(run.segments(1..)?);
    Ok(parts)
}
