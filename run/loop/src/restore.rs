//! Reconstructs the loop state at a given model from models, games, gates and curves.

use eval::{GateReport, Verdict};
use model::ModelInfo;
use store::{LoopState, ModelId, Phase, ReplayWindow, RunDir, TrainId};

use crate::config::RunFile;
use crate::metrics::StageCost;
use crate::ratings::model_number;
use crate::{Ratings, Result};

/// The loop state after a model was trained or, if `is_over`, after its gate. The model holds the
/// number of games, also if their files are gone.
///
/// # Errors
/// If the model, the games, the gates or the curves cannot be read.
pub(crate) fn state_after(
    dir: &RunDir,
    file: &RunFile,
    newest: ModelId,
    is_over: bool,
    train: Option<TrainId>,
) -> Result<LoopState> {
    let meta = ModelInfo::read(&dir.model(newest)?)?.meta;
    let (positions, samples) = count(dir, file, newest)?;
    let samples = samples_for(file, newest, samples, meta.train_step)?;
    let champion = champion(dir, newest)?;
    let generation = newest.0 + u32::from(is_over);
    Ok(LoopState {
        generation,
        next: if is_over {
            Phase::SelfPlay
        } else {
            Phase::Gate
        },
        games: meta.games,
        positions: positions.max(samples).max(meta.games),
        samples,
        step: meta.train_step,
        train,
        newest,
        champion: if dir.models()?.contains(&champion) {
            champion
        } else {
            newest
        },
        games_from: games_from(dir, file)?.min(generation),
        seconds: seconds(dir, newest)?,
        ..LoopState::start()
    })
}

/// The champion after a generation: the last model that won its gate. If a report is lost, later
/// reports name the champion as their opponent, ratings name the models that were champion, and the
/// file `champion` names the last one.
pub(crate) fn champion(dir: &RunDir, generation: ModelId) -> Result<ModelId> {
    let named = dir.champion().ok().flatten();
    let ratings = dir.ratings::<Ratings>().ok().flatten().unwrap_or_default();
    let is_rated = |id: ModelId| {
        let mut points = ratings.points.iter();
        points.any(|point| point.model == id.0 && point.generation <= generation.0)
    };
    for id in (1..=generation.0).rev().map(ModelId) {
        match dir.gate::<GateReport>(id)? {
            Some(report) if report.verdict == Verdict::Better => return Ok(id),
            Some(report) => {
                if let Some(opponent) = model_number(&report.opponent) {
                    return Ok(opponent);
                }
            }
            None if named == Some(id) || is_rated(id) => return Ok(id),
            None => {}
        }
    }
    Ok(ModelId(0))
}

/// Positions and samples up to a generation, from the games that exist.
fn count(run: &RunDir, file: &RunFile, last: ModelId) -> Result<(u64, u64)> {
    let all = run.games(file.variant);
    let (mut positions, mut samples) = (0, 0);
    for generation in 1..=last.0 {
        let config = file.settings_of(generation)?.config.window;
        let mut window = ReplayWindow::new(config);
        for record in all.read(generation)?.records {
            positions += record.plies.len() as u64;
            window.push(&record);
        }
        samples += window.n_seen();
    }
    Ok((positions, samples))
}

/// The first generation whose games were not deleted on purpose, as far as can be told.
fn games_from(dir: &RunDir, file: &RunFile) -> Result<u32> {
    if let Ok(Some(state)) = dir.state() {
        return Ok(state.games_from);
    }
    let generations = dir.games(file.variant).generations()?;
    let has_budget = file.resolved.config.disk.budget > 0;
    Ok(generations
        .first()
        .copied()
        .filter(|_| has_budget)
        .unwrap_or(0))
}

/// The counted samples if they allow the steps that were made; if games are lost, the smallest
/// number that does.
fn samples_for(file: &RunFile, newest: ModelId, counted: u64, steps: u64) -> Result<u64> {
    let config = file.settings_of(newest.0)?.config.train;
    let allowed = |samples| file.steps_allowed(&config, newest.0, samples);
    if newest == ModelId(0) || allowed(counted) == steps {
        return Ok(counted);
    }
    let (mut low, mut high) = (0, 1 << 50);
    while low < high {
        let middle = low + (high - low) / 2;
        match allowed(middle) < steps {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(low)
}

/// Total time of all stages up to a generation in seconds, from the curves.
fn seconds(dir: &RunDir, generation: ModelId) -> Result<f64> {
    let lines = dir.metrics()?;
    let past = lines.iter().filter(|line| line.generation <= generation.0);
    let values = past.flat_map(|line| &line.values);
    let times = values.filter(|(tag, _)| StageCost::stage_of(tag).is_some());
    Ok(times.filter_map(|(_, value)| *value).sum())
}
