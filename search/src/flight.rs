//! Leaves of one search that are evaluated together, and the threads that do it.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::{hint, thread};

use crate::backup::Followed;
use crate::tree::NodeId;
use crate::{Batch, Evaluator, EvaluatorError, Search};

/// Attempts to get a turn at the tree before others may have the core: some ten microseconds.
const SPINS: u32 = 1000;

/// Leaves on their way: [`Search::gather`] finds them, an evaluator answers the batch, [`Search::land`]
/// backs the answers up. A search can have several flights under way. Buffers keep their memory.
#[derive(Default)]
pub struct Flight {
    /// What the evaluator is asked.
    pub batch: Batch,
    pub(crate) landings: Vec<Landing>,
    /// All paths, one after the other.
    pub(crate) steps: Vec<Followed>,
}

/// Where a simulation waits.
pub(crate) struct Landing {
    /// The leaf to evaluate; none if that is under way already.
    pub(crate) leaf: Option<NodeId>,
    /// The path to it.
    pub(crate) steps: Range<usize>,
}

impl Flight {
    /// A flight without leaves.
    pub fn new() -> Flight {
        Flight::default()
    }

    pub(crate) fn push(&mut self, leaf: Option<NodeId>, path: &[Followed]) {
        let first = self.steps.len();
        self.steps.extend_from_slice(path);
        let steps = first..self.steps.len();
        self.landings.push(Landing { leaf, steps });
    }

    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.landings.clear();
        self.steps.clear();
    }
}

/// Runs a search until it is over, or until `is_over` says so of the simulations made, on a thread for
/// each evaluator. All that was begun is backed up.
///
/// Each thread takes turns at the tree and asks its evaluator meanwhile. With one evaluator the result
/// depends on nothing but the search; with more it depends on who comes first.
///
/// # Errors
/// When an evaluator fails or its replies are not finite. The search must begin anew then.
pub fn search_together<E: Evaluator + Send>(
    search: &mut Search,
    evaluators: &mut [E],
    is_over: &(dyn Fn(u32) -> bool + Sync),
) -> Result<(), EvaluatorError> {
    let n_threads = search.threads_for(evaluators.len());
    let search = Mutex::new(search);
    let work = |evaluator: &mut E| {
        let done = work(&search, evaluator, is_over);
        if done.is_err() {
            locked(&search).give_up();
        }
        done
    };
    let [first, others @ ..] = &mut evaluators[..n_threads] else {
        return Ok(());
    };
    thread::scope(|scope| {
        let others: Vec<_> = others
            .iter_mut()
            .map(|evaluator| scope.spawn(|| work(evaluator)))
            .collect();
        let done = work(first);
        others.into_iter().fold(done, |done, other| {
            let other = other.join();
            done.and(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    })
}

/// What one thread does.
fn work(
    search: &Mutex<&mut Search>,
    evaluator: &mut impl Evaluator,
    is_over: &(dyn Fn(u32) -> bool + Sync),
) -> Result<(), EvaluatorError> {
    let mut flight = Flight::new();
    loop {
        let mut tree = locked(search);
        tree.land(&mut flight)?;
        if is_over(tree.simulations()) || !tree.gather(&mut flight) {
            // An empty flight has no replies to wait for.
            return Ok(());
        }
        drop(tree);
        if flight.batch.is_empty() {
            // All that can be looked at is under way on another thread.
            thread::yield_now();
        } else {
            evaluator.evaluate(&mut flight.batch)?;
        }
    }
}

/// Waits for its turn at the tree. Turns are shorter than it takes to sleep and to wake up.
///
/// A thread that panicked takes the others with it, so what it left does not matter.
fn locked<'a, 'b>(search: &'a Mutex<&'b mut Search>) -> MutexGuard<'a, &'b mut Search> {
    let mut attempts = 0;
    loop {
        match search.try_lock() {
            Ok(tree) => return tree,
            Err(TryLockError::Poisoned(tree)) => return tree.into_inner(),
            Err(TryLockError::WouldBlock) if attempts < SPINS => hint::spin_loop(),
            Err(TryLockError::WouldBlock) => thread::yield_now(),
        }
        attempts += 1;
    }
}
