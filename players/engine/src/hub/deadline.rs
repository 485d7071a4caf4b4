//! Waiting with a time limit.

use std::time::{Duration, Instant};

/// A deadline.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    since: Instant,
    patience: Duration,
}

impl Deadline {
    /// The deadline after this duration from now.
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
