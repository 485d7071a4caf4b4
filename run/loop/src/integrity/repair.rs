//! Repairs a run so that it can resume.
//!
//! Nothing is deleted: damaged files move to `set-aside/`. Lost files are rebuilt from the
//! remaining ones. Exact recovery is preferred, even if it means resuming at an earlier point: the
//! training state before the last one reproduces the lost model bit for bit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use eval::anchors;
use model::Model;
use store::{LoopState, ModelId, RunDir, RunWriter, TrainId};
use trainer::{Compute, Trainer};

use super::{LOOK, RunFault, Survey, check, expected, finished, identity, state_fault};
use crate::config::RunFile;
use crate::restore::{champion, state_after};
use crate::takeover::{first_meta, fresh_training};
use crate::{RatingPoint, Ratings, Result, RunError};

/// Minimum number of damaged parts for which a repair must be forced.
const LEAST_ASKED: usize = 4;

/// Moves damaged files to `set-aside/` and rebuilds lost files where possible. Returns the faults
/// that were found; `mend` says how each was repaired.
///
/// # Errors
/// If there is no run, another process is using it, too little is left to resume from, or most of
/// the run would be set aside and the repair is not forced.
pub fn repair(path: &Path, is_forced: bool) -> Result<Vec<RunFault>> {
    let mut found = identity::restore_config(path, is_forced)?;
    let mut dir = RunWriter::open_unchecked(path)?;
    let file = RunFile::read(&dir)?;
    if !is_forced {
        ask_for_most(&dir, &file)?;
    }
    dir.make_folders()?;
    mend_games(&mut dir, &file, &mut found)?;
    let mut survey = Survey::of(&dir, &file);
    let absent = survey.faults.iter().filter(|fault| !fault.path.exists());
    let absent: BTreeSet<PathBuf> = absent.map(|fault| fault.path.clone()).collect();
    for fault in survey
        .faults
        .iter()
        .filter(|fault| fault.path.is_file() || fault.path.is_dir())
    {
        mend(&mut dir, &file, fault)?;
    }
    if file.origin.is_none() && !dir.models()?.contains(&ModelId(0)) {
        let model = first_model(&dir, &file)?;
        dir.save_model(ModelId(0), |path| model.save(path))?;
        survey.models.insert(0, (ModelId(0), 0, 0));
    }
    for fault in survey.faults.iter().filter(|fault| !fault.path.exists()) {
        dir.set_aside().note_loss(&fault.path, &fault.what)?;
    }
    found.extend(survey.faults.iter().cloned());
    found.extend(state_fault(&dir, &file).filter(|_| found.is_empty()));
    if !found.is_empty() {
        make_state(&mut dir, &file, &survey)?;
    }
    let games = dir.games_path();
    drop(dir);
    // Files left by an interrupted stage move as they would whenever the run is opened.
    RunWriter::open(path)?.settle()?;
    let left = check(path)?;
    for fault in &mut found {
        fault.mend = match left
            .iter()
            .find(|other| other.path == fault.path && other.what == fault.what)
        {
            Some(same) => same.mend.clone(),
            // Nothing can be done about games that are gone.
            None if fault.path == games => continue,
            None => outcome(&fault.path, absent.contains(&fault.path)).to_owned(),
        };
    }
    let is_new = |fault: &RunFault| {
        let mut known = found.iter();
        !known.any(|other| other.path == fault.path && other.what == fault.what)
    };
    let new: Vec<RunFault> = left.into_iter().filter(is_new).collect();
    found.extend(new);
    Ok(found)
}

/// The repair of a file that was absent or not intact, in words.
fn outcome(path: &Path, was_absent: bool) -> &'static str {
    match (was_absent, path.exists()) {
        (true, true) => "rebuilt from the other files",
        (true, false) => "noted as lost; the run continues without it",
        (false, _) => "repaired; the damaged files are in set-aside/ or games/damaged/",
    }
}

/// Refuses a repair that would set aside most of a run: something else is wrong then.
fn ask_for_most(dir: &RunDir, file: &RunFile) -> Result<()> {
    let parts = expected::parts(dir)?;
    let survey = Survey::of(dir, file);
    let is_bad = |part: &&PathBuf| {
        let mut faults = survey.faults.iter();
        faults.any(|fault| fault.mend != LOOK && fault.path.starts_with(part))
    };
    let bad: Vec<&PathBuf> = parts.iter().filter(is_bad).collect();
    if bad.len() < LEAST_ASKED || 2 * bad.len() <= parts.len() {
        return Ok(());
    }
    let (path, first, n_bad, n) = (
        dir.path().display(),
        bad[0].display(),
        bad.len(),
        parts.len(),
    );
    Err(RunError::Missing(format!(
        "a repair would set aside {n_bad} of the {n} models, training states, gates and segments of \
         {path}, {first} first, so something else may be wrong: look with `crownhead check {}`, or \
         add --yes to set them aside",
        types::shell_word(&path.to_string())
    )))
}

/// Moves damaged games to `games/damaged/`, and segments of other runs to `set-aside/`.
fn mend_games(dir: &mut RunWriter, file: &RunFile, found: &mut Vec<RunFault>) -> Result<()> {
    let check = dir.quarantine_games(file.variant, &finished(dir, file)?)?;
    let is_segment = |fault: &RunFault| fault.path.is_file();
    for fault in super::game_faults(dir, check) {
        if is_segment(&fault) && fault.mend == super::MEND {
            dir.set_aside().take(&fault.path, &fault.what)?;
        }
        if is_segment(&fault) || !fault.path.exists() {
            found.push(fault);
        }
    }
    Ok(())
}

fn mend(dir: &mut RunWriter, file: &RunFile, fault: &RunFault) -> Result<()> {
    let path = &fault.path;
    if *path == dir.ratings_path() {
        return rate_again(dir, file, &fault.what);
    }
    if *path == dir.metrics_path() {
        return Ok(dir.drop_bad_metrics(&fault.what)?);
    }
    if *path == dir.config_copy_path() {
        dir.set_aside().copy(path, &fault.what)?;
        return Ok(dir.write_config(&dir.config()?)?);
    }
    // A training state is unusable if any of its files is missing.
    let ids = dir.train_ids()?.into_iter();
    let train = ids
        .map(|id| dir.train_path(id))
        .find(|train| path.starts_with(train));
    let path = train.as_ref().unwrap_or(path);
    // A directory holds many files and is never moved because of a single fault.
    if *path != dir.games_path() && path != dir.path() {
        dir.set_aside().take(path, &fault.what)?;
    }
    Ok(())
}

/// The individually readable points of a damaged `ratings.json`.
fn salvaged(path: &Path) -> Vec<RatingPoint> {
    let text = store::read_bounded(path, 64 << 20).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let Some((_, mut rest)) = text.split_once("\"points\": [") else {
        return Vec::new();
    };
    let mut points = Vec::new();
    loop {
        let mut one = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
        let Some(Ok(point)) = one.next() else {
            return points;
        };
        let end = one.byte_offset();
        points.extend(serde_json::from_value::<RatingPoint>(point));
        rest = rest[end..].trim_start().trim_start_matches(',');
    }
}

/// Replaces damaged ratings with ratings recomputed from the games that are left.
fn rate_again(dir: &mut RunWriter, file: &RunFile, why: &str) -> Result<()> {
    let path = dir.ratings_path();
    let points = salvaged(&path);
    let Some(anchors) = anchors::shipped(file.variant).filter(|_| !points.is_empty()) else {
        return Ok(dir.set_aside().take(&path, why)?);
    };
    dir.set_aside().copy(&path, why)?;
    let ratings = Ratings {
        zero: ratings::ZERO.to_owned(),
        points,
        ..Ratings::default()
    };
    Ok(dir.write_ratings(&ratings.on_scale_of(&anchors)?)?)
}

/// Restores the newest state from which the run can resume.
fn make_state(dir: &mut RunWriter, file: &RunFile, survey: &Survey) -> Result<()> {
    let now = dir.state().ok().flatten();
    let is_fine = now.is_some() && state_fault(dir, file).is_none();
    if is_fine {
        return Ok(());
    }
    let trained = survey.models.iter().rev().find_map(|&(id, steps, _)| {
        let state = survey.trains.iter().rev().find(|(_, made)| *made == steps);
        (id > ModelId(0)).then_some((id, state?.0))
    });
    let (newest, train) = match (trained, survey.models.last()) {
        (Some((id, train)), _) => (id, Some(train)),
        (None, Some(&(id, ..))) if id > ModelId(0) => (id, Some(fresh(dir, file, id)?)),
        (None, Some(&(id, ..))) => (id, None),
        (None, None) => {
            return Err(RunError::Missing(format!(
                "{} has no intact model: start a new run with --run DIR",
                dir.path().display()
            )));
        }
    };
    clear_after(dir, newest, train)?;
    if !dir.models()?.contains(&champion(dir, newest)?) {
        // The newest model becomes champion, whatever its gate against the lost champion said.
        let report = dir.gate_path(newest);
        dir.set_aside().take(&report, "its opponent is lost")?;
    }
    let state = state(dir, file, newest, train)?;
    let path = dir.state_path();
    if path.exists() {
        dir.set_aside().copy(&path, "it will be rebuilt")?;
    }
    forget_ratings(dir, newest)?;
    Ok(dir.commit(&state)?)
}

/// The untrained initial network, which depends on the settings only.
fn first_model(dir: &RunDir, file: &RunFile) -> Result<Model> {
    let config = file.settings_of(1)?.config;
    let shape = config.model.shape(file.variant)?;
    let trainer = Trainer::new(&shape, config.train, config.seed, &Compute::Cpu)?;
    let weights = trainer.averaged_weights()?;
    Ok(Model::new(file.variant, shape, first_meta(dir), weights)?)
}

/// A training state that continues from a model with a newly initialized optimizer.
fn fresh(dir: &RunWriter, file: &RunFile, id: ModelId) -> Result<TrainId> {
    let model = Model::load(&dir.model(id)?)?;
    fresh_training(dir, file, id, &model, &Compute::Cpu)
}

/// Moves everything after the point from which the run resumes.
fn clear_after(dir: &mut RunWriter, newest: ModelId, train: Option<TrainId>) -> Result<()> {
    let why = format!("the run resumes from model {newest}, which makes it again");
    let models = dir.models()?.into_iter().filter(|&id| id > newest);
    let mut paths: Vec<_> = models.clone().map(|id| dir.gate_path(id)).collect();
    paths.extend(models.map(|id| dir.model_path(id)));
    let trains = dir.train_ids()?.into_iter().filter(|&id| Some(id) > train);
    paths.extend(trains.map(|id| dir.train_path(id)));
    paths.extend(dir.segments(newest.0 + 2..)?);
    for path in paths {
        dir.set_aside().take(&path, &why)?;
    }
    Ok(())
}

/// Removes ratings of champions that no longer exist, because rating them again would need their
/// games.
fn forget_ratings(dir: &RunWriter, newest: ModelId) -> Result<()> {
    let models = dir.models()?;
    if let Some(mut ratings) = dir.ratings::<Ratings>()? {
        let n_points = ratings.points.len();
        ratings.points.retain(|point| {
            point.generation <= newest.0 + 1 && models.contains(&ModelId(point.model))
        });
        if ratings.points.len() < n_points {
            dir.write_ratings(&ratings)?;
        }
    }
    Ok(())
}

/// The progress after a model was trained, or after its gate.
fn state(
    dir: &RunWriter,
    file: &RunFile,
    newest: ModelId,
    train: Option<TrainId>,
) -> Result<LoopState> {
    let shape = |generation: u32| {
        let config = file.settings_of(generation)?.config;
        Ok::<_, RunError>(config.model.shape(file.variant)?)
    };
    // A run grows between two generations; the training states already belong to the larger
    // network.
    let grows = shape(newest.0)? != shape(newest.0 + 1)?;
    let is_over = newest == ModelId(0) || dir.gate_path(newest).exists() || grows;
    state_after(dir, file, newest, is_over, train)
}
