//! The share of time in which a device has work.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Measures the work of all evaluators on a device.
#[derive(Debug, Default)]
pub struct DeviceClock(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The batches under way.
    n_under_way: usize,
    /// The last time at which the first of them began.
    since: Option<Instant>,
    done: DeviceWork,
}

/// The work of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceWork {
    /// The time in which at least one batch was under way, from its transfer to the device to its
    /// answers on the host.
    pub busy: Duration,
    /// The number of batches.
    pub batches: u64,
    /// The number of positions in these batches, without padding.
    pub positions: u64,
}

impl DeviceClock {
    /// The finished work.
    pub fn read(&self) -> DeviceWork {
        self.state().done
    }

    /// Runs `work`, which computes a batch of `n_positions`.
    pub(super) fn during<T>(&self, n_positions: usize, work: impl FnOnce() -> T) -> T {
        {
            let mut state = self.state();
            state.n_under_way += 1;
            state.since = state.since.or_else(|| Some(Instant::now()));
        }
        let result = work();
        let mut state = self.state();
        state.n_under_way -= 1;
        state.done.batches += 1;
        state.done.positions += n_positions as u64;
        if state.n_under_way == 0
            && let Some(since) = state.since.take()
        {
            state.done.busy += since.elapsed();
        }
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // If another thread has panicked, only a figure of a benchmark is wrong.
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn batches_at_the_same_time_count_once() {
        let (clock, nap) = (DeviceClock::default(), Duration::from_millis(20));
        let started = Instant::now();
        clock.during(5, || clock.during(3, || sleep(nap)));
        let both = started.elapsed();
        sleep(nap);
        let DeviceWork {
            busy,
            batches,
            positions,
        } = clock.read();
        assert_eq!((batches, positions), (2, 8));
        assert!(nap <= busy && busy <= both, "{busy:?} {both:?}");
    }
}
