//! Status summary of a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::claims::claimed;
use crate::{Assignment, Mismatch, Objects, Protocol, Share, ShareError, Work, WorkerStatus};

/// Seconds after which a machine counts as silent.
const SILENT_S: u64 = 60;

/// The current assignment, and the machines that play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetStatus {
    /// The run or tournament.
    pub run: String,
    /// The game.
    pub variant: String,
    /// Generation of the run; 0 for a tournament, `None` before the first assignment.
    pub generation: Option<u32>,
    /// The kind of games in one word.
    pub work: Option<&'static str>,
    /// Total number of parts.
    pub chunks: u32,
    /// Number of finished parts.
    pub finished: usize,
    /// `true` if the trainer needs no more games.
    pub is_over: bool,
    /// The machines other than the trainer, by name.
    pub workers: Vec<FleetWorker>,
    /// Excluded machines.
    #[serde(rename = "findings")]
    pub mismatches: Vec<Mismatch>,
}

/// A machine of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetWorker {
    /// Its last status.
    #[serde(flatten)]
    pub status: WorkerStatus,
    /// Number of parts that it has claimed and that are not finished.
    pub begun: usize,
    /// Seconds since its last status, in tens: machines report every ten seconds.
    pub silent_s: u64,
    /// `true` if it has been silent for longer than a healthy machine.
    pub is_silent: bool,
}

impl FleetStatus {
    /// Reads the status from a share.
    ///
    /// # Errors
    /// If it does not respond, this program cannot take part in the fleet, or there is none.
    pub fn read(share: &dyn Share) -> Result<FleetStatus, ShareError> {
        let none = || ShareError::None {
            url: share.place().to_owned(),
        };
        let protocol = Protocol::read(share)?.ok_or_else(none)?;
        let assignment = Assignment::read(share)?;
        let (mut finished, mut begun) = (BTreeSet::new(), BTreeMap::new());
        if let Some(assignment) = &assignment {
            let listed = assignment.finished(share)?.into_iter();
            finished.extend(listed.map(|name| name.chunk));
            finished.extend(&assignment.done);
            for claim in claimed(share, assignment)? {
                if !finished.contains(&claim.chunk) {
                    *begun.entry(claim.worker).or_default() += 1;
                }
            }
        }
        let workers = WorkerStatus::read_all(share)?.into_iter();
        let worker = |(status, silent_s): (WorkerStatus, u64)| FleetWorker {
            begun: begun.get(&status.name).copied().unwrap_or_default(),
            status,
            silent_s: silent_s - silent_s % 10,
            is_silent: silent_s > SILENT_S,
        };
        Ok(FleetStatus {
            run: protocol.run.to_string(),
            variant: protocol.variant,
            generation: assignment.as_ref().map(|assignment| assignment.generation),
            work: assignment.as_ref().map(|assignment| match assignment.work {
                Work::SelfPlay { .. } => "self-play",
                Work::Match(_) => "match",
                Work::Meetings(_) => "tournament",
            }),
            chunks: assignment.as_ref().map_or(0, Assignment::n_chunks),
            finished: finished.len(),
            is_over: assignment.is_some_and(|assignment| assignment.is_over),
            workers: workers.map(worker).collect(),
            mismatches: Mismatch::all(share)?,
        })
    }

    /// Status of a run in a directory that its fleet shares; `None` if there is no fleet, or it
    /// cannot be read.
    pub fn of_run(run: &Path) -> Option<FleetStatus> {
        let url = run.to_str().filter(|_| Protocol::is_in(run))?;
        FleetStatus::read(&Objects::open(url, &[]).ok()?).ok()
    }

    /// The active machines on one line; `None` if there are none.
    pub fn line(&self) -> Option<String> {
        let heard = self.workers.iter().filter(|worker| !worker.is_silent);
        let (n, games_per_s) = heard.fold((0_u32, 0.0), |(n, sum), worker| {
            (n + 1, sum + worker.status.games_per_s)
        });
        let plural = if n == 1 { "" } else { "s" };
        (n > 0)
            .then(|| format!("{n} machine{plural} besides the trainer, {games_per_s:.1} games/s"))
    }
}

impl fmt::Display for FleetStatus {
    /// A summary, and a table of the machines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Run {}, {}", self.run, self.variant)?;
        let (finished, chunks) = (self.finished, self.chunks);
        match (self.work, self.generation) {
            (Some("tournament"), _) => write!(f, "Tournament")?,
            (Some(work), Some(generation)) => write!(f, "Generation {generation}, {work}")?,
            _ => write!(f, "Nothing has been played yet")?,
        }
        if self.work.is_some() {
            write!(f, ": {finished} of {chunks} parts played")?;
        }
        let end = if self.is_over {
            "; the trainer has finished"
        } else {
            ""
        };
        writeln!(f, "{end}")?;
        for Mismatch { worker, reason, .. } in &self.mismatches {
            writeln!(f, "{worker} was excluded: {reason}")?;
        }
        if self.workers.is_empty() {
            return writeln!(f, "No machine has joined yet: crownhead worker --join URL");
        }
        writeln!(
            f,
            "{:24} {:>7} {:>10} {:>5} {:>8} {:>9}  instructions",
            "worker", "threads", "generation", "begun", "games", "games/s"
        )?;
        for worker in &self.workers {
            let (status, begun) = (&worker.status, worker.begun);
            let WorkerStatus {
                name,
                threads,
                generation,
                games,
                games_per_s,
                instructions,
                ..
            } = status;
            write!(
                f,
                "{name:24} {threads:>7} {generation:>10} {begun:>5} {games:>8} {games_per_s:>9.1}  {instructions}"
            )?;
            if worker.is_silent {
                write!(f, ", silent for {} s", worker.silent_s)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
