//! What happens in a distillation, told in order.

use eval::MatchResult;

use super::DistillRound;

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

/// Who is told.
pub type DistillObserver<'a> = dyn FnMut(&DistillEvent<'_>) + Send + 'a;
