//! Events of a distillation, in order.

use eval::MatchResult;

use super::DistillRound;
use run::StageProgress;

/// An event.
#[derive(Clone, Copy, Debug)]
pub enum DistillEvent<'a> {
    /// Generations of the run are being read.
    Reading {
        /// Generations read.
        done: usize,
        /// Total generations.
        total: usize,
        /// Positions so far.
        positions: usize,
    },
    /// Games of the round are being played.
    Playing {
        /// The round.
        round: u32,
        /// Games played.
        done: usize,
        /// Total games.
        total: usize,
    },
    /// Positions of the round are being relabelled.
    Relabelling {
        /// The round.
        round: u32,
        /// Relabelled positions.
        done: usize,
        /// Total positions.
        total: usize,
    },
    /// A training step is done.
    Training {
        /// The round.
        round: u32,
        /// Steps done.
        done: u64,
        /// Total steps.
        total: u64,
        /// Smoothed loss on the targets.
        error: f64,
    },
    /// A pair of the deciding match was played.
    Contest {
        /// The result so far.
        result: &'a MatchResult,
        /// Total pairs.
        total: usize,
    },
    /// A round is finished.
    Finished(&'a DistillRound),
}

impl DistillEvent<'_> {
    /// The progress of the current work; `None` at the end of a round.
    pub fn stage(&self) -> Option<StageProgress> {
        let of_round = |round: u32, what| format!("Round {round}: {what}");
        let (name, (done, total), note) = match *self {
            DistillEvent::Reading {
                done,
                total,
                positions,
            } => {
                let steps = (done as u64, total as u64);
                (
                    "Reading games".to_owned(),
                    steps,
                    format!("{positions} positions"),
                )
            }
            DistillEvent::Playing { round, done, total } => {
                let steps = (done as u64, total as u64);
                (of_round(round, "playing"), steps, String::new())
            }
            DistillEvent::Relabelling { round, done, total } => {
                let steps = (done as u64, total as u64);
                (of_round(round, "relabelling"), steps, String::new())
            }
            DistillEvent::Training {
                round,
                done,
                total,
                error,
            } => (
                of_round(round, "training"),
                (done, total),
                format!("error {error:.4}"),
            ),
            DistillEvent::Contest { result, total } => {
                let steps = (result.pairs_played(), total as u64);
                let note = format!("Elo {}", result.elo());
                ("Against the previous best".to_owned(), steps, note)
            }
            DistillEvent::Finished(_) => return None,
        };
        Some(StageProgress::new(name, done, total, note))
    }
}

/// Callback for events.
pub type DistillObserver<'a> = dyn FnMut(&DistillEvent<'_>) + Send + 'a;
