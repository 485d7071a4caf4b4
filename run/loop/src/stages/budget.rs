//! Deletes old files when the run takes more space than `disk.budget`.

use eval::{GateReport, Verdict};
use store::ModelId;

use crate::{Result, Run};

/// Generations to keep beyond what a resume needs: a repair may start one earlier.
const MARGIN: u32 = 2;

/// Deletes games that have left the window, then models that lost their gate, oldest first, until
/// the run is within its budget. Must be called between generations, after the state is committed.
///
/// # Errors
/// If the disk fails. Files recorded as deleted are then deleted the next time.
pub(super) fn keep(run: &mut Run) -> Result<()> {
    let limit = run.config().disk.budget * 1_000_000;
    if limit == 0 {
        return Ok(());
    }
    run.dir.delete_games_before(run.state.games_from)?;
    let size = run.dir.size_bytes()?;
    let mut over = size.saturating_sub(limit);
    if over == 0 {
        return Ok(());
    }
    let n_generations = delete_games(run, &mut over)?;
    let n_models = delete_models(run, &mut over)?;
    let megabytes = size / 1_000_000;
    let budget = limit / 1_000_000;
    let first = run.state.games_from;
    if n_generations + n_models > 0 {
        tracing::info!(
            megabytes,
            budget,
            n_generations,
            n_models,
            "disk.budget: deleted games before generation {first} and models that lost their gate"
        );
    }
    if over > 0 {
        tracing::warn!(
            budget,
            "disk.budget: the run is {} megabytes over its budget, and all of its files are needed",
            over.div_ceil(1_000_000)
        );
    }
    Ok(())
}

/// The state first records which files will be missing.
fn delete_games(run: &mut Run, over: &mut u64) -> Result<usize> {
    let games = run.dir.games(run.variant());
    let needed = run.window.first_generation().unwrap_or(0);
    let mut generations = games.generations()?;
    generations.retain(|&generation| generation + MARGIN < needed);
    let mut n_deleted = 0;
    for generation in generations {
        if *over == 0 {
            break;
        }
        *over = over.saturating_sub(games.size_bytes(generation)?);
        run.state.games_from = generation + 1;
        n_deleted += 1;
    }
    if n_deleted > 0 {
        run.dir.commit(&run.state)?;
        run.dir.delete_games_before(run.state.games_from)?;
    }
    Ok(n_deleted)
}

/// Champions are kept as opponents for ratings, and the newest models for repairs.
fn delete_models(run: &Run, over: &mut u64) -> Result<usize> {
    let mut n_deleted = 0;
    for id in run.dir.models()? {
        // A generation is played by the previous model, or with a lag by the one before it.
        let first_games_of = id.0 + 1 + run.config().fleet.lag;
        let is_needed =
            first_games_of >= run.state.games_from || id.0 + MARGIN > run.state.newest.0;
        if *over == 0 || is_needed {
            break;
        }
        let report: Option<GateReport> = run.dir.gate(id)?;
        let has_lost = report.is_some_and(|report| report.verdict != Verdict::Better);
        if has_lost && id != run.state.champion && id != ModelId(0) {
            *over = over.saturating_sub(run.dir.model_bytes(id)?);
            run.dir.delete_model(id)?;
            n_deleted += 1;
        }
    }
    Ok(n_deleted)
}
