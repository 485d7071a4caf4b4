//! Budget of one training call: when to stop, and how to finish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Result, Run, RunObserver, advance_until, measure_rating};

/// Amount of work in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Wall time from the start of the call.
    Time(Duration),
    /// Finished generations, counted from the start of the run.
    Generations(u32),
}

/// A running budget, which tells stages when to stop. Clones share their state.
#[derive(Clone, Debug)]
pub struct TrainingBudget {
    budget: Budget,
    started: Instant,
    flag: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
}

impl TrainingBudget {
    /// Starts the clock.
    #[must_use]
    pub fn new(budget: Budget) -> TrainingBudget {
        let flag = Arc::new(AtomicBool::new(false));
        if let Budget::Time(limit) = budget {
            set_after(limit, &flag);
        }
        TrainingBudget {
            budget,
            started: Instant::now(),
            flag,
            interrupted: Arc::default(),
        }
    }

    /// Remaining time, if the budget is a duration.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        match self.budget {
            Budget::Time(limit) => Some(limit.saturating_sub(self.started.elapsed())),
            Budget::Generations(_) => None,
        }
    }

    /// Expected time until the end of a call that has finished a number of generations and works on
    /// `generation`: the rest of the budget, or the time of the remaining generations at the pace
    /// so far.
    #[must_use]
    pub fn left(&self, finished: u32, generation: u32) -> Option<Duration> {
        match self.budget {
            Budget::Time(_) => self.time_left(),
            Budget::Generations(last) => {
                let each = self.started.elapsed().checked_div(finished)?;
                Some(each * last.saturating_add(1).saturating_sub(generation))
            }
        }
    }

    /// Asks to stop at the next safe point.
    pub fn interrupt(&self) {
        // In this order: see `train_for`.
        self.interrupted.store(true, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Returns `true` after [`interrupt`](Self::interrupt).
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

/// Sets a flag after `limit`, unless the process ends before.
pub fn set_after(limit: Duration, flag: &Arc<AtomicBool>) {
    let flag = Arc::clone(flag);
    thread::spawn(move || {
        thread::sleep(limit);
        flag.store(true, Ordering::Relaxed);
    });
}

/// Trains until the budget is used up, then rates the champion once more with 1.5 times the usual
/// number of games, unless the call was interrupted.
///
/// # Errors
/// As [`advance_until`] and [`measure_rating`].
pub fn train_for(
    run: &mut Run,
    training_budget: &TrainingBudget,
    observer: &mut dyn RunObserver,
) -> Result<()> {
    let last = match training_budget.budget {
        Budget::Time(_) => None,
        Budget::Generations(last) => Some(last),
    };
    advance_until(run, last, &training_budget.flag, observer)?;
    // Running out of time does not stop the final rating, but an interruption does, even one at
    // this moment.
    training_budget.flag.store(false, Ordering::SeqCst);
    if training_budget.is_interrupted() {
        training_budget.flag.store(true, Ordering::SeqCst);
        return Ok(());
    }
    let usual = run.config().rating.pairs;
    measure_rating(run, usual + usual / 2, &training_budget.flag, observer)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_out() {
        let training_budget = TrainingBudget::new(Budget::Time(Duration::ZERO));
        assert_eq!(training_budget.time_left(), Some(Duration::ZERO));
        while !training_budget.flag.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert!(!training_budget.is_interrupted());
    }

    #[test]
    fn generations_to_come_take_as_long_as_those_before() {
        let mut budget = TrainingBudget::new(Budget::Generations(5));
        assert_eq!(budget.left(0, 1), None);
        budget.started -= Duration::from_secs(60);
        let left = budget.left(2, 3).unwrap().as_secs();
        assert!((90..95).contains(&left), "{left}");
        assert_eq!(budget.left(5, 6), Some(Duration::ZERO));
    }

    #[test]
    fn as_many_generations_as_there_can_be_are_a_budget() {
        let mut budget = TrainingBudget::new(Budget::Generations(u32::MAX));
        budget.started -= Duration::from_secs(60);
        let left = budget.left(1, 2).unwrap();
        assert!(left > 60 * Duration::from_secs(4_000_000_000), "{left:?}");
    }

    #[test]
    fn an_interruption_is_heard_by_all_copies() {
        let training_budget = TrainingBudget::new(Budget::Generations(3));
        assert_eq!(
            (
                training_budget.time_left(),
                training_budget.is_interrupted()
            ),
            (None, false)
        );
        training_budget.clone().interrupt();
        assert!(training_budget.is_interrupted() && training_budget.flag.load(Ordering::Relaxed));
    }
}
