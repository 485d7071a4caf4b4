//! Use of the machine's cores, by this command and by other programs.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// Time until a share is reliable.
const LEAST: Duration = Duration::from_secs(10);
/// A smaller share of the threads is worth a note. Waiting at the ends of stages costs less.
const USUAL: f64 = 0.8;
/// The time over which free cores are measured.
const SAMPLE: Duration = Duration::from_millis(200);

/// The processor time of this process since a moment.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    started: Instant,
    time: ProcessTime,
}

impl Usage {
    /// Starts the measurement.
    #[must_use]
    pub fn start() -> Usage {
        Usage {
            started: Instant::now(),
            time: ProcessTime::now(),
        }
    }

    /// A note if the command had clearly less processor time than its threads could use.
    #[must_use]
    pub fn note(&self, threads: usize) -> Option<String> {
        shortage(self.time.elapsed(), self.started.elapsed(), threads)
    }
}

fn shortage(used: Duration, elapsed: Duration, threads: usize) -> Option<String> {
    let cores = used.as_secs_f64() / elapsed.as_secs_f64();
    let is_short = elapsed >= LEAST && cores < USUAL * threads as f64;
    is_short.then(|| {
        let s = if threads == 1 { "" } else { "s" };
        format!(
            "Note: used {cores:.1} of {threads} core{s}: other programs had the rest, and without them the same \
             takes less time."
        )
    })
}

/// Idle cores of this machine, measured over a fifth of a second; `None` if the system does not
/// report them.
#[must_use]
pub fn free_cores() -> Option<f64> {
    let read = || fs::read_to_string("/proc/stat").ok();
    let before = read()?;
    thread::sleep(SAMPLE);
    let cores = thread::available_parallelism().ok()?.get();
    Some(idle_share(&before, &read()?)? * cores as f64)
}

/// The processor of this machine; its architecture if the system does not name it.
#[must_use]
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let named = lines.find(|(key, _)| key.trim_end() == "model name");
    named.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.trim().to_owned(),
    )
}

/// The idle share of the time between two states of `/proc/stat`.
fn idle_share(before: &str, after: &str) -> Option<f64> {
    let times = |text: &str| -> Option<Vec<u64>> {
        let all = text.lines().next()?.strip_prefix("cpu ")?;
        all.split_whitespace()
            .map(|time| time.parse().ok())
            .collect()
    };
    let (before, after) = (times(before)?, times(after)?);
    let spent = before
        .iter()
        .zip(&after)
        .map(|(before, after)| after.saturating_sub(*before));
    let spent: Vec<u64> = spent.collect();
    // user, nice, system, idle, waiting for disks, ..
    let idle = spent.get(3)? + spent.get(4)?;
    let total: u64 = spent.iter().sum();
    (total > 0).then(|| idle as f64 / total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_noted() {
        let seconds = Duration::from_secs_f64;
        let note = shortage(seconds(16.0), seconds(20.0), 2).unwrap();
        assert!(note.contains("used 0.8 of 2 cores"), "{note}");
        assert_eq!(shortage(seconds(39.0), seconds(20.0), 2), None);
        assert_eq!(shortage(seconds(1.0), seconds(2.0), 2), None, "too short");
    }

    #[test]
    fn idle_time_is_read() {
        let before = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2\n";
        let after = "cpu  110 0 110 815 5 0 0 0 0 0\n";
        assert_eq!(idle_share(before, after), Some(0.5));
        assert_eq!(idle_share(before, before), None);
        assert_eq!(idle_share("", after), None);
    }
}
