//! When to stop: Ctrl-C, the time of `--for`, the number of `--generations`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

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
    interrupts: Arc<AtomicU32>,
}

impl Stop {
    /// Starts the clock and listens for Ctrl-C: once stops at the next safe point, twice at once.
    pub(crate) fn new(budget: Budget) -> anyhow::Result<Self> {
        let stop = Self::unattended(budget);
        let (flag, interrupts) = (Arc::clone(&stop.flag), Arc::clone(&stop.interrupts));
        ctrlc::set_handler(move || {
            flag.store(true, Ordering::Relaxed);
            if interrupts.fetch_add(1, Ordering::Relaxed) > 0 {
                // All that is finished is on disk already; the next call repeats the rest.
                std::process::exit(130);
            }
        })
        .context("failed to listen for Ctrl-C")?;
        if let Budget::Time(limit) = budget {
            let flag = Arc::clone(&stop.flag);
            std::thread::spawn(move || {
                std::thread::sleep(limit);
                flag.store(true, Ordering::Relaxed);
            });
        }
        Ok(stop)
    }

    /// Starts the clock, and nothing else ends the work early.
    pub(crate) fn unattended(budget: Budget) -> Self {
        Self {
            budget,
            started: Instant::now(),
            flag: Arc::default(),
            interrupts: Arc::default(),
        }
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
        self.interrupts.load(Ordering::Relaxed) > 0
    }

    /// Whether the stage in progress should stop at its next safe point.
    pub(crate) fn now(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Allows the work that closes a call whose time is up; Ctrl-C stops that too.
    pub(crate) fn reset(&self) {
        self.flag.store(false, Ordering::Relaxed);
    }

    /// The flag behind [`now`](Self::now), for code that only watches a flag.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Reads `90s`, `45m`, `1h30m`, `2h`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let fault = || format!("{text:?} is not a duration: write 90s, 45m, 2h or 1h30m");
    let mut seconds = 0u64;
    let mut digits = String::new();
    for c in text.trim().chars() {
        let unit = match c {
            '0'..='9' => {
                digits.push(c);
                continue;
            }
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(fault()),
        };
        let count: u64 = digits.parse().map_err(|_| fault())?;
        seconds = count
            .checked_mul(unit)
            .and_then(|part| seconds.checked_add(part))
            .ok_or_else(fault)?;
        digits.clear();
    }
    if !digits.is_empty() || seconds == 0 {
        return Err(fault());
    }
    Ok(Duration::from_secs(seconds))
}

/// `7s`, `3m05s`, `1h02m`.
pub(crate) fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, m, _) => format!("{h}h{m:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_shown() {
        for (text, seconds) in [("90s", 90), ("45m", 2700), ("1h30m", 5400), ("2h", 7200)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in [
            "",
            "45",
            "m",
            "1x",
            "0m",
            "5m3",
            "99999999999999999999h",
            "-3m",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert_eq!(show_duration(Duration::from_secs(7)), "7s");
        assert_eq!(show_duration(Duration::from_secs(185)), "3m05s");
        assert_eq!(show_duration(Duration::from_secs(3725)), "1h02m");
    }
}
