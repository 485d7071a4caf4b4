//! When to stop: Ctrl-C, the time of `--for`, the number of `--generations`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::commands::on_ctrl_c;

/// How much to do in this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Wall time from this call's start.
    Time(Duration),
    /// Finished generations, counted from the run's beginning.
    Generations(u32),
}

/// Tells the stages of the loop when to stop.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    budget: Budget,
    started: Instant,
    flag: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
}

impl Stop {
    /// Starts the clock and listens for Ctrl-C: once stops at the next safe point, twice at once.
    pub(crate) fn new(budget: Budget) -> anyhow::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        let (by_key, by_clock) = (Arc::clone(&flag), Arc::clone(&flag));
        let interrupted = on_ctrl_c(move || by_key.store(true, Ordering::Relaxed))?;
        if let Budget::Time(limit) = budget {
            std::thread::spawn(move || {
                std::thread::sleep(limit);
                by_clock.store(true, Ordering::Relaxed);
            });
        }
        Ok(Self {
            budget,
            started: Instant::now(),
            flag,
            interrupted,
        })
    }

    /// Time left, when time is what limits this call.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(limit) => Some(limit.saturating_sub(self.started.elapsed())),
            Budget::Generations(_) => None,
        }
    }

    /// The last generation to finish, when their number limits this call.
    pub(crate) fn last_generation(&self) -> Option<u32> {
        match self.budget {
            Budget::Time(_) => None,
            Budget::Generations(last) => Some(last),
        }
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Allows the work that closes a call whose time is up; Ctrl-C stops that too.
    pub(crate) fn reset(&self) {
        self.flag.store(false, Ordering::Relaxed);
    }

    /// Set when the stage in progress should stop at its next safe point.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Reads what `--for` gives: `90s`, `45m`, `1h30m`, `2h`, or a number of seconds.
pub(crate) fn parse_budget(text: &str) -> Result<Duration, String> {
    engine::parse_duration(text)
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("{text:?} is not a duration: write 90s, 45m, 2h or 1h30m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        assert_eq!(parse_budget("1h30m"), Ok(Duration::from_secs(5400)));
        for text in ["", "0m", "5m3", "-3m", "soon"] {
            assert!(parse_budget(text).is_err(), "{text}");
        }
    }
}
