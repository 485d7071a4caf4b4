//! Waiting with a limit.

use std::time::{Duration, Instant};

/// A point in time to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    since: Instant,
    patience: Duration,
}

impl Deadline {
    /// The point in time after this duration from now.
    pub fn after(patience: Duration) -> Deadline {
        Deadline {
            since: Instant::now(),
            patience,
        }
    }

    /// Time since the start.
    pub fn waited(self) -> Duration {
        self.since.elapsed()
    }

    pub(crate) fn rest(self) -> Duration {
        self.patience.saturating_sub(self.waited())
    }
}
