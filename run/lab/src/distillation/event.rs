//! What happens in a distillation, told in order.

use eval::MatchResult;

use super::DistillRound;
use run::StageProgress;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum DistillEvent<'a> {
    /// So many generations of the run of so many are read.
    Reading {
        /// Generations.
        done: usize,
        /// All generations.
        total: usize,
        /// Positions so far.
        positions: usize,
    },
    /// So many games of the round of so many are played.
    Playing {
        /// The round.
        round: u32,
        /// Games.
        done: usize,
        /// All games.
        total: usize,
    },
    /// So many positions of the round of so many have new labels.
    Relabelling {
        /// The round.
        round: u32,
        /// Positions.
        done: usize,
        /// All positions.
        total: usize,
    },
    /// A step of training is done.
    Training {
        /// The round.
        round: u32,
        /// Steps so far.
        done: u64,
        /// All steps.
        total: u64,
        /// The error by the target, smoothed.
        error: f64,
    },
    /// A pair of the contest is played.
    Contest {
        /// The result so far.
        result: &'a MatchResult,
        /// All pairs.
        total: usize,
    },
    /// A round is over.
    Finished(&'a DistillRound),
}

impl DistillEvent<'_> {
    /// How far the work is; nothing at the end of a round.
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
                ("Against the best before".to_owned(), steps, note)
            }
            DistillEvent::Finished(_) => return None,
        };
        Some(StageProgress::new(name, done, total, note))
    }
}

/// Who is told.
pub type DistillObserver<'a> = dyn FnMut(&DistillEvent<'_>) + Send + 'a;
