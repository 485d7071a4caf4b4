//! Events of a run, and who observes them.

use std::time::Duration;

use eval::{EndgameScore, GateReport, LadderStep, MatchResult};
use selfplay::SelfplayStats;
use store::Phase;

use crate::metrics::{SelfplayMetrics, TrainMetrics, Validation};
use crate::{RatingPoint, Result, Run};

/// The end of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its outcome is in the run directory.
    Complete,
    /// It was stopped; its work so far is either kept or done again.
    Stopped,
}

/// Something that happened. [`Run::state`] says in which generation and stage.
///
/// A stage that has something to do is told as `StageStarted`, `Planned`, any number of `Progress`
/// and `StepSkipped`, its outcome, `StageEnded`; one that was stopped has no outcome.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A stage begins, or begins again.
    StageStarted,
    /// So many games, optimiser steps or pairs of games will be done.
    Planned {
        /// The stage that they belong to; a rating may also be asked for between stages.
        stage: Phase,
        /// Steps in all, with those that were done before an earlier stop.
        total: u64,
        /// The number of these that are done.
        done: u64,
    },
    /// The stage has done some of its steps.
    Progress {
        /// How many, with those that were done before an earlier stop.
        done: u64,
        /// Their figures.
        so_far: Progress<'a>,
    },
    /// An optimiser step changed nothing, because its loss or gradient was not finite.
    StepSkipped {
        /// The step's number, from 0.
        step: u64,
    },
    /// The generation's games are in the window.
    Played(&'a SelfplayMetrics),
    /// The losses of the network that played on positions that it was not trained on.
    Validated(&'a Validation),
    /// There is a new model.
    Trained(&'a TrainMetrics),
    /// The new model has been measured on an endgame database.
    Measured(&'a EndgameScore),
    /// The gate has decided about the newest model.
    Gated(&'a GateReport),
    /// The champion has been rated.
    Rated(&'a RatingPoint),
    /// The stage is over. If it is complete, the run directory says so already.
    StageEnded {
        /// Which one.
        stage: Phase,
        /// The generation that it belongs to.
        generation: u32,
        /// Whether it will be repeated.
        ended: Ended,
        /// Wall time.
        elapsed: Duration,
    },
}

/// The steps of a stage so far.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Games, played in so much time.
    SelfPlay(&'a SelfplayStats, Duration),
    /// Optimiser steps.
    Train(&'a TrainMetrics),
    /// Pairs of the gate, seen from the candidate.
    Gate(&'a MatchResult),
    /// Pairs of the rating.
    Rate(&'a LadderStep),
}

/// An observer of everything that happens in a run.
pub trait RunObserver {
    /// Takes notice of `event`.
    ///
    /// # Errors
    /// An observer that fails ends the stage, which will be repeated.
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()>;
}

impl<F: FnMut(&Run, &Event<'_>) -> Result<()>> RunObserver for F {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        self(run, event)
    }
}

/// Passes every event to each of them in order.
impl<const N: usize> RunObserver for [&mut dyn RunObserver; N] {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        self.iter_mut()
            .try_for_each(|observer| observer.observe(run, event))
    }
}
