//! Playing what others have shared again.

use std::sync::atomic::{AtomicBool, Ordering};

use fleet::{ChunkName, FleetError, Share, Task};
use selfplay::{Job, play_games};
use serde::Serialize;
use store::{Record, unpack_games};

use super::work::{Terms, Worker, shared_model};
use crate::evaluators::ThreadEvaluator;
use crate::{PipelineError, Result};

/// What playing again has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Chunks that were looked at.
    pub chunks: usize,
    /// Those that are not what they should be.
    pub findings: Vec<Finding>,
}

/// A chunk whose games come out different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The object.
    pub name: String,
    /// Who shared it.
    pub worker: String,
    /// What is wrong; the first game that differs.
    pub reason: String,
}

/// Plays up to `n` chunks of the present generation again, spread over all that were shared, and names those
/// who shared something else. Before that this machine repeats the games of the handshake.
///
/// # Errors
/// As [`work`](super::work); when nothing has been shared yet.
pub fn audit(share: &dyn Share, n: usize, threads: usize, stop: &AtomicBool) -> Result<Audit> {
    let worker = Worker::join(share, "audit", threads, stop)?;
    let nothing = || PipelineError::Missing("the fleet has not played yet".to_owned());
    let task = Task::read(share)?.ok_or_else(nothing)?;
    let model = shared_model(share, &task.network)?.ok_or_else(nothing)?;
    let terms = Terms::new(&task, &model)?;
    let mut evaluators = terms.evaluators.all(threads);
    let job = terms.job(worker.prover.as_ref());
    let mut names = task.finished(share).map_err(FleetError::from)?;
    names.sort();
    let n = n.min(names.len());
    let mut audit = Audit::default();
    for name in (0..n).map(|k| &names[k * names.len() / n]) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        // One that is gone belongs to a generation that is over.
        let Some(bytes) = share.get(&name.to_string()).map_err(FleetError::from)? else {
            continue;
        };
        audit.chunks += 1;
        let fault = match unpack_games(worker.variant, &bytes) {
            Ok(games) => difference(&task, name, &games, &job, &mut evaluators)?,
            Err(error) => Some(error.to_string()),
        };
        audit.findings.extend(fault.map(|reason| Finding {
            name: name.to_string(),
            worker: name.worker.clone(),
            reason,
        }));
    }
    Ok(audit)
}

/// How the games of a chunk differ from those that this machine plays.
fn difference(
    task: &Task,
    name: &ChunkName,
    games: &[Record],
    job: &Job<'_>,
    evaluators: &mut [ThreadEvaluator],
) -> Result<Option<String>> {
    let numbers: Vec<u32> = task.numbers(name.chunk).collect();
    let job = Job {
        numbers: &numbers,
        ..*job
    };
    let mut played = Vec::new();
    play_games(&job, evaluators, &AtomicBool::new(false), |record, _| {
        played.push(record);
        Ok(())
    })?;
    if games.len() != played.len() {
        return Ok(Some(format!(
            "it has {} games, not {}",
            games.len(),
            played.len()
        )));
    }
    let differs = played
        .iter()
        .zip(games)
        .find(|(played, game)| played != game);
    Ok(differs.map(|(played, game)| {
        let (id, found, expected) = (played.header.id, game.plies.len(), played.plies.len());
        format!(
            "game {id} comes out different: found {found} plies, {:?}; played again {expected}, {:?}",
            game.result, played.result
        )
    }))
}
