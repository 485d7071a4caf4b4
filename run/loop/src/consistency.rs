//! Checks that the files of a run fit together before it resumes.

use eval::{GateReport, Verdict};
use model::{Model, ModelInfo};
use store::{LoopState, Misfit, ModelId, Phase, RunDir, StoreError};

use crate::config::RunFile;
use crate::{Ratings, Result};

/// Checks the files that a run resumes from against its state and each other; `n_steps` is the step
/// count of the training state. Changes nothing.
///
/// # Errors
/// The first inconsistency: the file, its content, and the expected content.
pub(crate) fn check(run: &RunDir, file: &RunFile, state: &LoopState, n_steps: u64) -> Result<()> {
    let path = &run.state_path();
    if n_steps != state.step {
        let found = format!("{} optimizer steps", state.step);
        let expected = format!("{n_steps}, as the training state says");
        return Err(StoreError::contradiction(path, found, expected).into());
    }
    if let Some((found, expected)) = samples(file, state)? {
        return Err(StoreError::contradiction(path, found, expected).into());
    }
    models(run, file, state)?;
    champion(run, state)?;
    run.ratings::<Ratings>()?;
    let games = run.games(file.variant);
    let newest = games.generations()?.pop().filter(|_| !file.is_retrained());
    if let Some(later) = newest.filter(|&newest| newest > state.generation) {
        let found = format!(
            "generation {}, and games of generation {later} exist",
            state.generation
        );
        return Err(StoreError::contradiction(path, found, format!("generation {later}")).into());
    }
    // Only the current generation: the window has read the others.
    games.read(state.generation)?;
    Ok(())
}

/// The sample count that does not allow the steps made, and the expected one.
fn samples(file: &RunFile, state: &LoopState) -> Result<Option<(String, String)>> {
    let is_between = state.next == Phase::Train || state.newest == ModelId(0);
    let generation = if is_between {
        state.generation
    } else {
        state.newest.0
    };
    let config = file.settings_of(generation)?.config.train;
    let allowed = file.steps_allowed(&config, generation, state.samples);
    let fits = if is_between {
        allowed >= state.step
    } else {
        allowed == state.step
    };
    let found = format!(
        "{} samples, which allow {allowed} optimizer steps",
        state.samples
    );
    Ok((!fits).then(|| (found, format!("enough samples for {} steps", state.step))))
}

/// Checks that all models belong to this run, that each descends from the previous one, and that
/// the newest model and the champion are intact.
fn models(run: &RunDir, file: &RunFile, state: &LoopState) -> Result<()> {
    let mut last: Option<(ModelId, String)> = None;
    for id in run.models()?.into_iter().filter(|&id| id <= state.newest) {
        let info = info(run, file, id)?;
        follows(run, id, &info, last.as_ref())?;
        if id == state.newest {
            newest(run, state, &info)?;
        }
        last = Some((id, info.net_id));
    }
    // A run killed right at its start has no models yet.
    if last.is_some() {
        for id in [state.newest, state.champion] {
            Model::load(&run.model(id)?)?;
        }
    }
    Ok(())
}

/// Rejects a model that does not descend from the previous one, if that exists.
pub(crate) fn follows(
    run: &RunDir,
    id: ModelId,
    info: &ModelInfo,
    last: Option<&(ModelId, String)>,
) -> Result<()> {
    match (last, &info.meta.parent) {
        (Some((before, net_id)), Some(parent)) if before.next() == id && net_id != parent => {
            let expected = format!("{net_id}, model {before}");
            let (path, found) = (run.model_path(id), format!("parent {parent}"));
            Err(StoreError::contradiction(&path, found, expected).into())
        }
        _ => Ok(()),
    }
}

/// The metadata of a model of this run.
pub(crate) fn info(run: &RunDir, file: &RunFile, id: ModelId) -> Result<ModelInfo> {
    let path = run.model(id)?;
    let info = ModelInfo::read(&path)?;
    let made_by = info.meta.run.as_ref().and_then(|id| id.parse().ok());
    Misfit::unless_run(made_by, run.id()).map_err(StoreError::misfit(&path))?;
    if info.variant != file.variant {
        let (found, expected) = (info.variant.to_string(), file.variant.to_string());
        return Err(StoreError::misfit(&path)(Misfit::Foreign { found, expected }).into());
    }
    Ok(info)
}

fn newest(run: &RunDir, state: &LoopState, info: &ModelInfo) -> Result<()> {
    let (meta, path) = (&info.meta, &run.model_path(state.newest));
    if meta.train_step != state.step {
        let found = format!("{} training steps", meta.train_step);
        return Err(StoreError::contradiction(path, found, state.step.to_string()).into());
    }
    // Between self-play and training there are more games than the newest model was trained on.
    if state.next != Phase::Train && state.newest > ModelId(0) && meta.games != state.games {
        let found = format!("{} games", meta.games);
        return Err(StoreError::contradiction(path, found, state.games.to_string()).into());
    }
    Ok(())
}

/// Checks that a promoted champion won its gate, if the report exists.
fn champion(run: &RunDir, state: &LoopState) -> Result<()> {
    let report: Option<GateReport> = run.gate(state.champion)?;
    match report.filter(|report| report.verdict != Verdict::Better) {
        None => Ok(()),
        Some(report) => {
            let (better, champion) = (Verdict::Better, state.champion);
            let found = format!("the verdict {}", report.verdict);
            let expected = format!("{better}, since model {champion} is the champion");
            Err(StoreError::contradiction(&run.gate_path(champion), found, expected).into())
        }
    }
}
