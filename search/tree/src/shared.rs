//! Evaluators shared by many threads, which keeps a GPU busy.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{hint, thread};

use crate::{Batch, Evaluator, EvaluatorError};

/// Looks for an order before the thread sleeps, some twenty microseconds: whoever orders does not have to wake it
/// up then, which takes as long as several evaluations.
const SPINS: u32 = 1000;

/// An evaluator waits this part of the time that its last batch took, at most, for those who have not asked yet.
const WAITED_PART: u32 = 4;

/// A handle to evaluators that run on their own threads.
///
/// Each thread takes all waiting batches and evaluates them together. While a device computes, more
/// batches gather: the busier it is, the larger its batches. With two evaluators on one device the
/// second computes while the replies of the first are read back. Where less than an evaluator's share of the
/// workers have asked, it waits for more: a device takes as long for a few positions as for many, and without this
/// workers fall into a step in which half of each batch is empty.
///
/// Every worker thread holds a clone; the evaluators end with the last one. Replies equal the
/// evaluator's own, because they do not depend on the rest of a batch.
pub struct SharedEvaluator {
    orders: mpsc::Sender<Order>,
    /// Handles that wait for each answer before they ask again.
    workers: Arc<AtomicUsize>,
    /// Whether this is one of them.
    is_worker: bool,
}

impl Clone for SharedEvaluator {
    fn clone(&self) -> Self {
        Self {
            orders: self.orders.clone(),
            workers: Arc::clone(&self.workers),
            is_worker: false,
        }
    }
}

impl Drop for SharedEvaluator {
    fn drop(&mut self) {
        if self.is_worker {
            self.workers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A batch, and the channel for its answer.
struct Order {
    batch: Batch,
    answer: mpsc::SyncSender<Answer>,
}

struct Answer {
    batch: Batch,
    failure: Option<SharedFailure>,
}

/// Orders that no evaluator has taken yet.
struct Waiting {
    orders: mpsc::Receiver<Order>,
    /// An order that did not fit in the last batch.
    left_over: Option<Order>,
    /// As in [`SharedEvaluator`].
    workers: Arc<AtomicUsize>,
    /// Evaluators that take from here.
    n_evaluators: usize,
}

/// A failure that is reported to several workers.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
struct SharedFailure(Arc<EvaluatorError>);

/// The evaluator's thread is gone.
#[derive(Debug, thiserror::Error)]
#[error("its thread stopped unexpectedly; please report this")]
struct Gone;

fn gone() -> EvaluatorError {
    EvaluatorError::Failed(Gone.into())
}

impl Answer {
    fn replies(self) -> Result<Batch, EvaluatorError> {
        match self.failure {
            None => Ok(self.batch),
            Some(failure) => Err(EvaluatorError::Failed(failure.into())),
        }
    }
}

impl SharedEvaluator {
    /// Starts a thread for each of `evaluators`, which combines waiting batches up to `max_positions`. A
    /// single batch may be larger.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start<E: Evaluator + Send + 'static>(
        evaluators: Vec<E>,
        max_positions: usize,
    ) -> io::Result<Self> {
        let (orders, receiver) = mpsc::channel();
        let workers = Arc::default();
        let waiting = Arc::new(Mutex::new(Waiting {
            orders: receiver,
            left_over: None,
            workers: Arc::clone(&workers),
            n_evaluators: evaluators.len(),
        }));
        for evaluator in evaluators {
            let waiting = Arc::clone(&waiting);
            thread::Builder::new()
                .name("evaluator".to_owned())
                .spawn(move || serve(evaluator, &waiting, max_positions))?;
        }
        Ok(Self {
            orders,
            workers,
            is_worker: false,
        })
    }

    /// Asks for the replies to a batch, without waiting for them.
    pub(crate) fn order(&self, batch: Batch) -> Result<Ordered, EvaluatorError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let order = Order { batch, answer };
        self.orders.send(order).map_err(|_| gone())?;
        Ok(Ordered(answered))
    }
}

impl Evaluator for SharedEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        if !self.is_worker {
            self.is_worker = true;
            self.workers.fetch_add(1, Ordering::Relaxed);
        }
        let Ordered(answered) = self.order(std::mem::take(batch))?;
        *batch = answered.recv().map_err(|_| gone())?.replies()?;
        Ok(())
    }
}

/// A batch on its way. Who drops it wants no answer.
pub(crate) struct Ordered(mpsc::Receiver<Answer>);

impl Ordered {
    /// The batch with its replies, or why there are none; nothing if they do not come within this time.
    pub(crate) fn wait(&self, time: Duration) -> Option<Result<Batch, EvaluatorError>> {
        let answered = match self.0.try_recv() {
            // Where nobody has to wait, nobody looks at the clock.
            Err(TryRecvError::Empty) if time.is_zero() => return None,
            Err(TryRecvError::Empty) => match self.0.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => return None,
                answered => answered.ok(),
            },
            answered => answered.ok(),
        };
        Some(answered.ok_or_else(gone).and_then(Answer::replies))
    }
}

/// Evaluates orders until all handles are dropped.
fn serve(mut evaluator: impl Evaluator, waiting: &Mutex<Waiting>, max_positions: usize) {
    let mut orders = Vec::new();
    let mut together = Batch::new();
    let mut patience = Duration::ZERO;
    loop {
        // Poisoned means that the other evaluator's thread panicked while it gathered, which nothing
        // there does.
        let Ok(mut waiting) = waiting.lock() else {
            return;
        };
        if !waiting.gather(max_positions, patience, &mut orders) {
            return;
        }
        drop(waiting);
        let started = Instant::now();
        let outcome = match &mut orders[..] {
            [order] => evaluator.evaluate(&mut order.batch),
            orders => evaluate_together(&mut evaluator, &mut together, orders),
        };
        patience = started.elapsed() / WAITED_PART;
        let failure = outcome.err().map(|error| SharedFailure(Arc::new(error)));
        for Order { batch, answer } in orders.drain(..) {
            // A worker that has been stopped does not wait for its answer.
            let _ = answer.send(Answer {
                batch,
                failure: failure.clone(),
            });
        }
    }
}

impl Waiting {
    /// Waits for an order and takes the following ones that fit; false when all handles are dropped.
    fn gather(
        &mut self,
        max_positions: usize,
        patience: Duration,
        orders: &mut Vec<Order>,
    ) -> bool {
        let left_over = self.left_over.take();
        let soon = || {
            (0..SPINS).find_map(|_| {
                hint::spin_loop();
                self.orders.try_recv().ok()
            })
        };
        let first = left_over.or_else(soon);
        let Some(first) = first.or_else(|| self.orders.recv().ok()) else {
            return false;
        };
        let (since, mut n_positions) = (Instant::now(), first.batch.len());
        orders.push(first);
        while n_positions < max_positions
            && let Some(order) =
                self.next(orders.len(), || patience.saturating_sub(since.elapsed()))
        {
            n_positions += order.batch.len();
            if n_positions > max_positions {
                // A device pads batches to fixed sizes: a few more positions would cost another batch.
                self.left_over = Some(order);
                break;
            }
            orders.push(order);
        }
        true
    }

    /// One more order for a batch of `n_orders`, waited for while these are less than an evaluator's share of the
    /// workers and there is time.
    fn next(&self, n_orders: usize, left: impl Fn() -> Duration) -> Option<Order> {
        let order = self.orders.try_recv().ok();
        let is_share = n_orders * self.n_evaluators >= self.workers.load(Ordering::Relaxed);
        if order.is_some() || is_share {
            return order;
        }
        self.orders.recv_timeout(left()).ok()
    }
}

fn evaluate_together(
    evaluator: &mut impl Evaluator,
    together: &mut Batch,
    orders: &mut [Order],
) -> Result<(), EvaluatorError> {
    together.clear();
    for order in orders.iter() {
        together.append(&order.batch);
    }
    evaluator.evaluate(together)?;
    let mut first = 0;
    for order in orders {
        order.batch.copy_replies(together, first);
        first += order.batch.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
