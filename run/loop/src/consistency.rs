//! What has to fit together before a run goes on.

use eval::{GateReport, Verdict};
use model::{Model, ModelInfo};
use store::{LoopState, Misfit, ModelId, Phase, RunDir, StoreError};

use crate::config::{OriginKind, RunFile};
use crate::{Ratings, Result, RunError};

/// Checks the files that a run goes on from against its state and each other; `n_steps` are those of the
/// training state. Changes nothing.
///
/// # Errors
/// The first thing that does not fit: file, what it says, what was expected.
pub(crate) fn check(run: &RunDir, file: &RunFile, state: &LoopState, n_steps: u64) -> Result<()> {
    let contradiction = |found: String, expected: String| StoreError::Contradiction {
        path: run.state_path(),
        found,
        expected,
    };
    if n_steps != state.step {
        let expected = format!("{n_steps}, as the training state says");
        return Err(contradiction(format!("{} optimiser steps", state.step), expected).into());
    }
    if let Some((found, expected)) = samples(file, state)? {
        return Err(contradiction(found, expected).into());
    }
    models(run, file, state)?;
    champion(run, state)?;
    run.ratings::<Ratings>()?;
    let games = run.games(file.variant);
    let is_recorded = file
        .origin
        .as_ref()
        .is_some_and(|o| o.kind == OriginKind::Retrain);
    let newest = games.generations()?.pop().filter(|_| !is_recorded);
    if let Some(later) = newest.filter(|&newest| newest > state.generation) {
        let found = format!(
            "generation {}, and games of generation {later} exist",
            state.generation
        );
        return Err(contradiction(found, format!("generation {later}")).into());
    }
    // Those that are being played: the window has the others.
    games.read(state.generation)?;
    Ok(())
}

/// The samples that do not fit the steps that they have allowed, and what would.
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
        "{} samples, which allow {allowed} optimiser steps",
        state.samples
    );
    Ok((!fits).then(|| (found, format!("as many as allow {}", state.step))))
}

/// All models are those of this run, each trained on from the one before; newest and champion are whole.
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
    // A run that was killed at its very start has none yet.
    if last.is_some() {
        for id in [state.newest, state.champion] {
            Model::load(&run.model(id)?)?;
        }
    }
    Ok(())
}

/// Rejects a model that was not trained on from the one before it, if that is there.
pub(crate) fn follows(
    run: &RunDir,
    id: ModelId,
    info: &ModelInfo,
    last: Option<&(ModelId, String)>,
) -> Result<()> {
    match (last, &info.meta.parent) {
        (Some((before, net_id)), Some(parent)) if before.next() == id && net_id != parent => {
            let expected = format!("{net_id}, model {before}");
            Err(model_misfit(run, id, format!("parent {parent}"), expected))
        }
        _ => Ok(()),
    }
}

/// What a model says of itself, which must be that it belongs to this run.
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
    let meta = &info.meta;
    if meta.train_step != state.step {
        let found = format!("{} training steps", meta.train_step);
        return Err(model_misfit(
            run,
            state.newest,
            found,
            state.step.to_string(),
        ));
    }
    // Between self-play and training there are more games than the model has learnt from.
    if state.next != Phase::Train && state.newest > ModelId(0) && meta.games != state.games {
        let found = format!("{} games", meta.games);
        return Err(model_misfit(
            run,
            state.newest,
            found,
            state.games.to_string(),
        ));
    }
    Ok(())
}

fn model_misfit(run: &RunDir, id: ModelId, found: String, expected: String) -> RunError {
    let path = run.model_path(id);
    StoreError::Contradiction {
        path,
        found,
        expected,
    }
    .into()
}

/// A champion that was a candidate has won its gate, as far as the report is there.
fn champion(run: &RunDir, state: &LoopState) -> Result<()> {
    let report: Option<GateReport> = run.gate(state.champion)?;
    match report.filter(|report| report.verdict != Verdict::Better) {
        None => Ok(()),
        Some(report) => Err(StoreError::Contradiction {
            path: run.gate_path(state.champion),
            found: format!("the verdict {}", report.verdict),
            expected: format!(
                "{}, since model {} is the champion",
                Verdict::Better,
                state.champion
            ),
        }
        .into()),
    }
}
