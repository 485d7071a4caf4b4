//! Progress on stderr: a live line on a terminal, plain lines at intervals elsewhere.

use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use run::StageProgress;

/// Time between two plain lines of one stage when stderr is not a terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(30);

/// Shows the progress of a command.
pub(crate) struct Display {
    bar: ProgressBar,
    last_plain: Instant,
    stage: String,
}

impl Display {
    /// A display on stderr.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
        let template = "{prefix:.bold} {bar:24} {pos}/{len}, {rate}, {eta} left  {msg}";
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key(
                "rate",
                |state: &ProgressState, text: &mut dyn fmt::Write| {
                    // If the bar cannot be written, neither can an error.
                    let _ = write!(text, "{:.1}/s", state.per_sec());
                },
            );
        bar.set_style(style);
        Self {
            bar,
            last_plain: Instant::now(),
            stage: String::new(),
        }
    }

    /// Starts a stage of `total` steps.
    pub(crate) fn stage(&mut self, name: impl Into<String>, total: u64) {
        self.stage = name.into();
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_prefix(self.stage.clone());
        self.bar.set_message("");
        self.last_plain = Instant::now();
    }

    /// Shows that `done` steps of the stage are finished.
    pub(crate) fn at(&mut self, done: u64, message: impl FnOnce() -> String) {
        self.bar.set_position(done);
        if self.bar.is_hidden() {
            if self.last_plain.elapsed() >= PLAIN_INTERVAL {
                self.last_plain = Instant::now();
                let total = self.bar.length().unwrap_or_default();
                let (rate, left) = (self.bar.per_sec(), HumanDuration(self.bar.eta()));
                let (stage, message) = (&self.stage, message());
                note!("{stage} {done}/{total}, {rate:.1}/s, {left:#} left  {message}");
            }
            return;
        }
        self.bar.set_message(message());
    }

    /// Starts a stage that may be partly done.
    pub(crate) fn begin(&mut self, stage: &StageProgress) {
        self.stage(&stage.name, stage.total);
        // Steps done earlier do not count for the rate.
        self.bar.set_position(stage.done);
        self.bar.reset_eta();
    }

    /// Shows the progress of a stage; starts it if another was shown.
    pub(crate) fn show(&mut self, stage: &StageProgress) {
        if self.stage != stage.name {
            self.begin(stage);
        }
        self.at(stage.done, || stage.note.clone());
    }

    /// Prints a permanent line.
    pub(crate) fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            note!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// Removes the live line.
    pub(crate) fn close(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Display {
    /// Leaves no live line above an error.
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_of_the_same_name_begins_anew() {
        let stage = |done, total| StageProgress {
            name: "rating".to_owned(),
            done,
            total,
            note: String::new(),
        };
        let mut display = Display::new();
        let seen = |display: &Display| (display.bar.position(), display.bar.length());
        display.begin(&stage(0, 4));
        display.at(4, String::new);
        display.show(&stage(3, 9));
        assert_eq!(seen(&display), (3, Some(4)), "the same stage goes on");
        display.begin(&stage(2, 6));
        assert_eq!(seen(&display), (2, Some(6)));
    }
}
