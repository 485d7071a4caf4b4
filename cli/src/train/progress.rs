//! What a person sees of a run that is being trained.

use engine::show_duration;
use pipeline::{Event, Run, RunObserver, Status};
use store::Phase;

use super::budget::Stop;
use crate::display::Display;

/// Shows a progress line, and a line that stays for every generation.
pub(crate) struct ProgressLine<'a> {
    display: Display,
    stop: &'a Stop,
    /// What the line of a generation says.
    status: Status,
}

impl<'a> ProgressLine<'a> {
    /// For a run that goes on from `status`.
    pub(crate) fn new(stop: &'a Stop, status: Status) -> ProgressLine<'a> {
        ProgressLine {
            display: Display::new(),
            stop,
            status,
        }
    }

    /// Takes the live line away.
    pub(crate) fn close(&self) {
        self.display.close();
    }

    fn generation_line(&mut self, run: &Run) {
        self.status.follow(run.state());
        let left = self.stop.time_left();
        let left = left.map(|left| format!("  {} left", show_duration(left)));
        let line = self.status.generation_line() + &left.unwrap_or_default();
        self.display.line(&line);
    }
}

impl RunObserver for ProgressLine<'_> {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> pipeline::Result<()> {
        self.status.note(event);
        match event {
            Event::StageStarted if run.state().next == Phase::SelfPlay => {
                for change in run.changes() {
                    self.display.line(&format!("setting: {change}"));
                }
            }
            Event::Planned { stage, total } => {
                let name = stage_name(*stage);
                let generation = run.state().generation;
                self.display
                    .stage(format!("generation {generation}: {name}"), *total);
            }
            Event::Progress { done, so_far } => self.display.at(*done, || so_far.to_string()),
            Event::StepSkipped { step } => self.display.line(&format!(
                "warning: optimiser step {step} was skipped: its loss or gradient was not finite"
            )),
            Event::StageEnded {
                stage: Phase::Rate,
                ended: pipeline::Ended::Complete,
                ..
            } => self.generation_line(run),
            _ => {}
        }
        Ok(())
    }
}

fn stage_name(stage: Phase) -> &'static str {
    match stage {
        Phase::SelfPlay => "self-play",
        Phase::Train => "training",
        Phase::Gate => "gate",
        Phase::Rate => "rating",
    }
}
