//! Progress of a training run on the terminal.

use run::{Ended, Event, Run, RunObserver, Status, TrainingBudget};
use store::Phase;
use types::show_duration;

use crate::display::Display;

/// Shows a progress line, and a permanent line for every generation.
pub(crate) struct ProgressLine<'a> {
    display: Display,
    training_budget: &'a TrainingBudget,
    /// The figures for the line of a generation.
    status: Status,
}

impl<'a> ProgressLine<'a> {
    /// A progress line for a run that continues from `status`.
    pub(crate) fn new(training_budget: &'a TrainingBudget, status: Status) -> ProgressLine<'a> {
        ProgressLine {
            display: Display::new(),
            training_budget,
            status,
        }
    }

    /// Removes the live line.
    pub(crate) fn close(&self) {
        self.display.close();
    }

    fn generation_line(&mut self, run: &Run) {
        self.status.follow(run.state());
        let left = self.training_budget.time_left();
        let left = left.map(|left| format!("  {} left", show_duration(left)));
        let line = self.status.generation_line() + &left.unwrap_or_default();
        self.display.line(&line);
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
