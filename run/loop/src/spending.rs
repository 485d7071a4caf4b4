//! A call's budget while it is spent: when it ends, and what closes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Result, Run, RunObserver, advance_until, measure_rating};

/// How much to do in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Wall time from the call's start.
    Time(Duration),
    /// Finished generations, counted from the run's beginning.
    Generations(u32),
}

/// A budget while it is spent, which tells stages when to stop. Copies are the same one.
#[derive(Clone, Debug)]
pub struct Spending {
    budget: Budget,
    started: Instant,
    flag: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
}

impl Spending {
    /// Starts the clock.
    #[must_use]
    pub fn new(budget: Budget) -> Spending {
        let flag = Arc::new(AtomicBool::new(false));
        if let Budget::Time(limit) = budget {
            set_after(limit, &flag);
        }
        Spending {
            budget,
            started: Instant::now(),
            flag,
            interrupted: Arc::default(),
        }
    }

    /// Time left, when time is what limits the call.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(limit) => Some(limit.saturating_sub(self.started.elapsed())),
            Budget::Generations(_) => None,
        }
    }

    /// Somebody wants an end at the next safe point.
    pub fn interrupt(&self) {
        // In this order: see `spend`.
        self.interrupted.store(true, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether somebody did.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

/// Sets a flag when some time has passed, unless the process ends before.
pub fn set_after(limit: Duration, flag: &Arc<AtomicBool>) {
    let flag = Arc::clone(flag);
    thread::spawn(move || {
        thread::sleep(limit);
        flag.store(true, Ordering::Relaxed);
    });
}

/// Spends a budget; then rates the champion once more, with half as many games again as usual, unless somebody wanted
/// an end.
///
/// # Errors
/// As [`advance_until`] and [`measure_rating`].
pub fn spend(run: &mut Run, spending: &Spending, observer: &mut dyn RunObserver) -> Result<()> {
    let last = match spending.budget {
        Budget::Time(_) => None,
        Budget::Generations(last) => Some(last),
    };
    advance_until(run, last, &spending.flag, observer)?;
    // Time that is up does not stop the work that closes a call, but an interruption does, also one of this moment.
    spending.flag.store(false, Ordering::SeqCst);
    if spending.is_interrupted() {
        spending.flag.store(true, Ordering::SeqCst);
        return Ok(());
    }
    let usual = run.config().rating.pairs;
    measure_rating(run, usual + usual / 2, &spending.flag, observer)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_out() {
        let spending = Spending::new(Budget::Time(Duration::ZERO));
        assert_eq!(spending.time_left(), Some(Duration::ZERO));
        while !spending.flag.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert!(!spending.is_interrupted());
    }

    #[test]
    fn an_interruption_is_heard_by_all_copies() {
        let spending = Spending::new(Budget::Generations(3));
        assert_eq!(
            (spending.time_left(), spending.is_interrupted()),
            (None, false)
        );
        spending.clone().interrupt();
        assert!(spending.is_interrupted() && spending.flag.load(Ordering::Relaxed));
    }
}
