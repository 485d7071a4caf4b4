//! Audits: repeats games that workers have shared.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use share::{Assignment, Mismatch, Share};

use crate::chunks::ChunkSource;
use crate::terms::Terms;
use crate::work::{Machine, PATIENCE, Worker};
use crate::{FleetError, Result};

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Chunks that were repeated.
    pub chunks: usize,
    /// Chunks whose games differed.
    #[serde(rename = "findings")]
    pub mismatches: Vec<Mismatch>,
}

impl fmt::Display for Audit {
    /// One line per mismatch, and a summary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Mismatch {
            worker,
            name,
            reason,
        } in &self.mismatches
        {
            writeln!(f, "{worker}: {reason} ({name})")?;
        }
        match self.chunks {
            1 => writeln!(f, "1 part was played again"),
            n => writeln!(f, "{n} parts were played again"),
        }
    }
}

/// Repeats up to `n` chunks of the current assignment, spread over all shared ones, and names the
/// workers that shared different games. First, this machine plays the games of the handshake.
///
/// # Errors
/// As [`work`](crate::work); if nothing has been shared yet.
pub fn audit(share: &dyn Share, n: usize, threads: usize, stop: &AtomicBool) -> Result<Audit> {
    let machine = Machine {
        name: "audit",
        threads,
        device: "cpu",
        patience: PATIENCE,
    };
    let worker = Worker::join(share, &machine, stop)?;
    let nothing = || FleetError::Missing("the fleet has not played yet".to_owned());
    let assignment = Assignment::read(share)?.ok_or_else(nothing)?;
    let terms = Terms::new(share, &assignment, worker.variant, &worker.compute, threads)?;
    let mut terms = terms.ok_or_else(nothing)?;
    let mut names = assignment.finished(share)?;
    names.sort();
    let n = n.min(names.len());
    let mut audit = Audit::default();
    for name in (0..n).map(|k| &names[k * names.len() / n]) {
        // Chunks of a finished generation are removed.
        let Some(found) = share.get(&name.to_string())? else {
            continue;
        };
        let (claimed, mut played) = (AtomicBool::new(false), None);
        let once = |_| (!claimed.swap(true, Ordering::Relaxed)).then_some(name.chunk);
        let source = ChunkSource {
            assignment: &assignment,
            claim: &once,
            threads,
            stop,
        };
        terms.play(&source, &mut |chunk| played = Some(chunk.bytes))?;
        let Some(played) = played else {
            break;
        };
        audit.chunks += 1;
        let fault = terms.difference(&assignment, name.chunk, [&found, &played])?;
        audit.mismatches.extend(fault.map(|reason| Mismatch {
            name: name.to_string(),
            worker: name.worker.clone(),
            reason,
        }));
    }
    Ok(audit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mismatches_are_named() {
        let audit = Audit {
            chunks: 3,
            mismatches: vec![Mismatch {
                worker: "ada".to_owned(),
                name: "fleet/games/1/2".to_owned(),
                reason: "game 7 is another one".to_owned(),
            }],
        };
        let text = "ada: game 7 is another one (fleet/games/1/2)\n3 parts were played again\n";
        assert_eq!(audit.to_string(), text);
    }
}
