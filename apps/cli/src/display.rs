//! Progress on stderr: a live line on a terminal, a line every half minute elsewhere.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use run::StageProgress;
use types::{printable, show_duration};

use crate::output;
use crate::paint::{FAINT, Paint, STRONG};

/// Time between two lines where stderr is not a terminal.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// Time between two looks at the progress.
const TICK: Duration = Duration::from_millis(200);
/// The most columns of a bar.
const BAR: usize = 24;
/// Time until a rate is reliable.
const SETTLED: Duration = Duration::from_secs(2);

/// A watcher's remark about a stage that is in progress.
#[derive(Debug, Default)]
pub(crate) struct Remark {
    /// The end of the line, after the pace.
    pub(crate) tail: String,
    /// A line that stays.
    pub(crate) line: Option<String>,
}

/// Watches the progress.
pub(crate) type Watcher = dyn FnMut(&StageProgress, Duration) -> Remark + Send;

/// Shows the progress of a command.
pub(crate) struct Display {
    shown: Arc<Shown>,
}

/// The line and its content.
struct Shown {
    bar: ProgressBar,
    paint: Paint,
    progress: Mutex<Progress>,
}

/// The progress of a stage.
struct Progress {
    /// None before the first one, and when the line is taken away.
    stage: Option<StageProgress>,
    began: Instant,
    /// Finished steps at its start.
    first: u64,
    /// When a line was last written.
    spoke: Instant,
    watcher: Box<Watcher>,
}

impl Display {
    /// A display on stderr.
    pub(crate) fn new() -> Display {
        Display::watched(Box::new(|_, _| Remark::default()))
    }

    /// A display with a watcher, which is called whenever the line is shown.
    pub(crate) fn watched(watcher: Box<Watcher>) -> Display {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template("{wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let now = Instant::now();
        let shown = Arc::new(Shown {
            bar,
            paint: Paint::stderr(),
            progress: Mutex::new(Progress {
                stage: None,
                began: now,
                first: 0,
                spoke: now,
                watcher,
            }),
        });
        let watched = Arc::downgrade(&shown);
        // Ends soon after the display: then nothing is in progress.
        thread::spawn(move || {
            while let Some(shown) = watched.upgrade() {
                thread::sleep(TICK);
                shown.tick();
            }
        });
        Display { shown }
    }

    /// Shows that `done` steps of the stage are finished.
    pub(crate) fn at(&mut self, done: u64, message: impl FnOnce() -> String) {
        if let Some(stage) = &mut self.shown.progress().stage {
            stage.done = done;
            stage.note = printable(&message()).into_owned();
        }
    }

    /// Starts a stage. Some of its steps may be finished already.
    pub(crate) fn begin(&mut self, stage: &StageProgress) {
        let mut progress = self.shown.progress();
        // Steps of an earlier process say nothing about the rate.
        progress.first = stage.done;
        progress.began = Instant::now();
        progress.stage = Some(StageProgress {
            name: printable(&stage.name).into_owned(),
            note: printable(&stage.note).into_owned(),
            ..*stage
        });
    }

    /// Shows the progress of a stage; starts it if another was shown.
    pub(crate) fn show(&mut self, stage: &StageProgress) {
        let is_shown = |shown: &StageProgress| shown.name == stage.name;
        if !self.shown.progress().stage.as_ref().is_some_and(is_shown) {
            self.begin(stage);
        }
        self.at(stage.done, || stage.note.clone());
    }

    /// Prints a permanent line.
    pub(crate) fn line(&self, text: &str) {
        self.painted_line(&printable(text));
    }

    /// Prints a permanent line that contains no foreign text and may have colors.
    pub(crate) fn painted_line(&self, text: &str) {
        self.shown.line(text, &mut self.shown.progress());
    }

    /// The signs that the lines may have.
    pub(crate) fn paint(&self) -> Paint {
        self.shown.paint
    }

    /// Removes the live line.
    pub(crate) fn close(&self) {
        // A bar that has been finished is never drawn again.
        if self.shown.progress().stage.take().is_some() {
            self.shown.bar.finish_and_clear();
        }
    }
}

/// Does work whose progress is shown until it ends.
pub(crate) fn showing<T>(work: impl FnOnce(&mut dyn FnMut(&StageProgress)) -> T) -> T {
    let mut display = Display::new();
    work(&mut |stage| display.show(stage))
}

impl Shown {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, text: &str, progress: &mut Progress) {
        progress.spoke = Instant::now();
        let text = self.paint.lines(text);
        match self.bar.is_hidden() {
            true => output::line(&text),
            false => self.bar.println(text),
        }
    }

    /// Shows the progress: on a terminal always, elsewhere after a silence.
    fn tick(&self) {
        let progress = &mut *self.progress();
        let Some(stage) = &progress.stage else {
            return;
        };
        let elapsed = progress.began.elapsed();
        let Remark { tail, line } = (progress.watcher)(stage, elapsed);
        let made = stage.done - progress.first.min(stage.done);
        let text = self.text(stage, made, elapsed, &tail);
        if let Some(line) = line {
            self.line(&line, progress);
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if progress.spoke.elapsed() >= HEARTBEAT {
            self.line(&text, progress);
        }
    }

    /// A bar that leaves room for words; nothing outside a live line.
    fn short_bar(&self, stage: &StageProgress) -> String {
        if self.bar.is_hidden() {
            return String::new();
        }
        let share = stage.done as f64 / stage.total.max(1) as f64;
        let columns = self.paint.columns.unwrap_or(80);
        self.paint.bar(share, (columns / 6).clamp(4, BAR)) + " "
    }

    /// The stage in a line. The rate and the time left are omitted until they are known.
    fn text(&self, stage: &StageProgress, made: u64, elapsed: Duration, tail: &str) -> String {
        let (done, total) = (stage.done, stage.total);
        let (name, bar) = (
            self.paint.styled(STRONG, &stage.name),
            self.short_bar(stage),
        );
        let pace = pace(made, total - done.min(total), elapsed);
        let note = match stage.note.as_str() {
            "" => String::new(),
            note => "  ".to_owned() + &self.paint.styled(FAINT, &self.paint.signs(note)),
        };
        format!("{name} {bar}{done}/{total}, {pace}{tail}{note}")
    }
}

/// The rate of steps and the time that is left, as far as they are known.
fn pace(made: u64, to_come: u64, elapsed: Duration) -> String {
    if made == 0 || elapsed < SETTLED {
        return format!("{} so far", show_duration(elapsed));
    }
    let per_second = made as f64 / elapsed.as_secs_f64();
    let rate = match per_second {
        0.1.. => format!("{per_second:.1}/s"),
        _ => format!("{:.1}/min", 60.0 * per_second),
    };
    let left = Duration::try_from_secs_f64(to_come as f64 / per_second).unwrap_or(Duration::MAX);
    format!("{rate}, {} left", show_duration(left))
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
        let stage = |done, total| StageProgress::new("rating", done, total, String::new());
        let mut display = Display::new();
        let seen = |display: &Display| {
            let progress = display.shown.progress();
            let stage = progress.stage.clone().unwrap();
            (progress.first, stage.done, stage.total)
        };
        display.begin(&stage(0, 4));
        display.at(4, String::new);
        display.show(&stage(3, 9));
        assert_eq!(seen(&display), (0, 3, 4), "the same stage continues");
        display.begin(&stage(2, 6));
        assert_eq!(seen(&display), (2, 2, 6));
    }

    #[test]
    fn nothing_is_said_of_a_rate_that_is_not_known() {
        let seconds = Duration::from_secs;
        assert_eq!(pace(0, 60, seconds(300)), "5m00s so far");
        assert_eq!(pace(9, 60, seconds(1)), "1s so far");
        assert_eq!(pace(30, 60, seconds(10)), "3.0/s, 20s left");
        assert_eq!(pace(1, 3, seconds(100)), "0.6/min, 5m00s left");
    }

    #[test]
    fn a_stage_without_progress_is_heard_of() {
        let display = Display::new();
        let stage = StageProgress::new("self-play", 0, 60, String::new());
        let text = display
            .shown
            .text(&stage, 0, Duration::from_secs(31), "; 2h00m left");
        assert_eq!(text, "self-play 0/60, 31s so far; 2h00m left");
    }
}
