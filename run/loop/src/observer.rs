//! Events of a run and the trait of their observers.

use std::collections::BTreeMap;
use std::time::Duration;

use eval::{EndgameScore, GateReport, LadderStep, MatchResult};
use selfplay::SelfplayStats;
use store::Phase;

use crate::metrics::{SelfplayMetrics, TrainMetrics, Validation};
use crate::{RatingPoint, Result, Run};

/// The way a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its result is in the run directory.
    Complete,
    /// Stopped early; finished work is kept or repeated.
    Stopped,
}

/// An event of a run. [`Run::state`] has its generation and stage.
///
/// A stage with work to do emits `StageStarted`, `Planned`, any number of `Progress`,
/// `StepSkipped` and `Learned`, its result, and `StageEnded`; a stopped stage has no result.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A stage starts or is repeated.
    StageStarted,
    /// The amount of work of a stage: games, optimizer steps or pairs of games.
    Planned {
        /// The stage; a rating may also be requested between stages.
        stage: Phase,
        /// Total steps, including those done before an earlier stop.
        total: u64,
        /// Steps already done.
        done: u64,
    },
    /// Progress within a stage.
    Progress {
        /// Steps done, including those before an earlier stop.
        done: u64,
        /// Figures so far.
        so_far: Progress<'a>,
    },
    /// An optimizer step was skipped because its loss or gradient was not finite.
    StepSkipped {
        /// Index of the step, from 0.
        step: u64,
    },
    /// Mean losses of the optimizer steps since the last event of this kind or the stage's start.
    /// More steps follow in this stage.
    Learned {
        /// Steps of the run so far.
        step: u64,
        /// Loss of each head by its name, and `total`.
        losses: &'a BTreeMap<String, f64>,
    },
    /// The generation's games are in the window.
    Played(&'a SelfplayMetrics),
    /// Losses of the network that played, on positions that it was not trained on.
    Validated(&'a Validation),
    /// A new model was trained.
    Trained(&'a TrainMetrics),
    /// The new model was measured on an endgame database.
    Measured(&'a EndgameScore),
    /// The gate reached a verdict on the newest model.
    Gated(&'a GateReport),
    /// The champion was rated.
    Rated(&'a RatingPoint),
    /// The stage is over. If it is complete, its result is already in the run directory.
    StageEnded {
        /// The stage.
        stage: Phase,
        /// Its generation.
        generation: u32,
        /// Complete or stopped.
        ended: Ended,
        /// Wall time.
        elapsed: Duration,
    },
}

/// Figures of a running stage.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Games and the time they took.
    SelfPlay(&'a SelfplayStats, Duration),
    /// Optimizer steps.
    Train(&'a TrainMetrics),
    /// Pairs of the gate, from the candidate's point of view.
    Gate(&'a MatchResult),
    /// Pairs of the rating.
    Rate(&'a LadderStep),
}

/// Observer of all events of a run.
pub trait RunObserver {
    /// Handles `event`.
    ///
    /// # Errors
    /// An error of an observer ends the stage, which will be repeated.
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()>;
}

impl<F: FnMut(&Run, &Event<'_>) -> Result<()>> RunObserver for F {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        self(run, event)
    }
}

/// Passes every event to all observers in order.
impl<const N: usize> RunObserver for [&mut dyn RunObserver; N] {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        self.iter_mut()
            .try_for_each(|observer| observer.observe(run, event))
    }
}
