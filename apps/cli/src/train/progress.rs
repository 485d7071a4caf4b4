//! Progress of a training run on the terminal.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab::plan;
use run::{Ended, Event, Pace, Run, RunObserver, StageProgress, Status, TrainingBudget};
use store::Phase;
use types::show_duration;

use crate::display::{Display, Remark};
use crate::paint::GOOD;

/// Generations below one heading.
const ROWS: u32 = 20;

/// Shows a progress line, and a permanent line for every generation.
pub(crate) struct ProgressLine<'a> {
    display: Display,
    budget: &'a TrainingBudget,
    /// The figures for the line of a generation.
    status: Status,
    /// The generation in progress when the call began.
    first: u32,
    /// Lines of generations so far.
    rows: u32,
    /// When the call is expected to end.
    end: Arc<Mutex<Option<Instant>>>,
}

impl<'a> ProgressLine<'a> {
    /// A progress line for a run that continues from `status`.
    pub(crate) fn new(run: &Run, budget: &'a TrainingBudget, status: Status) -> ProgressLine<'a> {
        let left = budget.time_left();
        let end = Arc::new(Mutex::new(left.map(|left| Instant::now() + left)));
        let mut notice = slowness(run, budget);
        let watched = {
            let end = Arc::clone(&end);
            move |stage: &StageProgress, elapsed| {
                let end = *end.lock().unwrap_or_else(PoisonError::into_inner);
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let left = left.filter(|left| left.as_secs() > 0);
                let tail = left.map(|left| format!("; training: {} left", show_duration(left)));
                Remark {
                    tail: tail.unwrap_or_default(),
                    line: notice(stage, elapsed),
                }
            }
        };
        ProgressLine {
            display: Display::watched(Box::new(watched)),
            budget,
            status,
            first: run.state().generation,
            rows: 0,
            end,
        }
    }

    /// Removes the live line.
    pub(crate) fn close(&self) {
        self.display.close();
    }

    fn generation_line(&mut self, run: &Run) {
        self.status.follow(run.state());
        let generation = run.state().generation;
        let left = self
            .budget
            .left(generation.saturating_sub(self.first), generation);
        let end = left.map(|left| Instant::now() + left);
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = end;
        if self.rows.is_multiple_of(ROWS) {
            self.display.line(Status::GENERATIONS);
        }
        self.rows += 1;
        let line = self.status.generation_line(left);
        let good = self.display.paint().styled(GOOD, " better");
        self.display
            .painted_line(&line.replacen("  better", &format!(" {good}"), 1));
    }
}

/// Says once, as soon as the pace of a call's first self-play is known, that no generation will be
/// finished.
fn slowness(
    run: &Run,
    budget: &TrainingBudget,
) -> impl FnMut(&StageProgress, Duration) -> Option<String> + Send + use<> {
    let (config, variant) = (run.config().clone(), run.variant());
    let dir = run.dir().path().to_owned();
    let (asked, budget) = (Arc::clone(run.asked()), budget.clone());
    let mut is_open = run.state().next == Phase::SelfPlay;
    move |stage, elapsed| {
        is_open &= stage.name.ends_with("self-play");
        if !is_open || elapsed < Pace::KNOWN_AFTER {
            return None;
        }
        is_open = false;
        let done = stage.done as f64 / stage.total.max(1) as f64;
        let pace = Pace::new(&config, asked.load(Ordering::Relaxed), elapsed)?;
        let left = budget.time_left();
        let is_too_slow = pace.self_play.mul_f64(1.0 - done) > left.unwrap_or(plan::LONG);
        let whole = left.map_or(plan::LONG, |left| left + elapsed);
        let advice = || plan::advice(variant, &config, &pace, whole);
        is_too_slow.then(|| plan::slowness(&dir, &pace, left, advice().ok()))
    }
}

impl RunObserver for ProgressLine<'_> {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> run::Result<()> {
        self.status.note(event);
        if let Some(stage) = event.stage(run) {
            self.display.begin(&stage);
        }
        for line in event.lines(run) {
            self.display.line(&line);
        }
        match event {
            Event::Progress { done, so_far } => self.display.at(*done, || so_far.to_string()),
            Event::StageEnded {
                stage: Phase::Rate,
                ended: Ended::Complete,
                ..
            } => self.generation_line(run),
            _ => {}
        }
        Ok(())
    }
}
