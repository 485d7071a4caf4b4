//! Evaluators shared by many threads, to keep a GPU busy.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{hint, thread};

use crate::{Batch, Evaluator, EvaluatorError};

/// Spins for about twenty microseconds before the thread sleeps: waking it up takes a client as
/// long as several evaluations.
const SPINS: u32 = 1000;

/// The maximum wait for workers that have not submitted yet, as a fraction (one over this) of the
/// time that the last batch took.
const WAITED_PART: u32 = 4;

/// A handle to evaluators that run on their own threads.
///
/// Each evaluator thread takes all waiting batches and evaluates them together. While a device
/// computes, more batches accumulate, so the busier it is, the larger its batches. With two
/// evaluators on one device, the second computes while the replies of the first are read back. If
/// less than an evaluator's share of the workers has submitted, it waits for more: a device takes
/// as long for a few positions as for many, and otherwise workers would fall into a rhythm that
/// leaves half of each batch empty.
///
/// Each worker thread holds a clone; the evaluators end when the last one is dropped. Replies equal
/// the evaluator's own, because they do not depend on the rest of a batch.
pub struct SharedEvaluator {
    orders: mpsc::Sender<Order>,
    /// The number of handles that wait for each answer before submitting again.
    workers: Arc<AtomicUsize>,
    /// True if this handle is one of them.
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

/// A batch and the channel for its answer.
struct Order {
    batch: Batch,
    answer: mpsc::SyncSender<Answer>,
}

/// The batch with its replies.
type Answer = Result<Batch, SharedFailure>;

/// Orders not yet taken by an evaluator.
struct Waiting {
    orders: mpsc::Receiver<Order>,
    /// An order that did not fit into the last batch.
    left_over: Option<Order>,
    /// As in [`SharedEvaluator`].
    workers: Arc<AtomicUsize>,
    /// The number of evaluators sharing this queue.
    n_evaluators: usize,
}

/// A failure reported to several workers.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
struct SharedFailure(Arc<EvaluatorError>);

/// The evaluator's thread has ended.
#[derive(Debug, thiserror::Error)]
#[error("its thread stopped unexpectedly; please report this")]
struct Gone;

/// The batch with its replies, if the evaluator answered.
fn replies(answer: Option<Answer>) -> Result<Batch, EvaluatorError> {
    let answer = answer.ok_or_else(|| EvaluatorError::Failed(Gone.into()))?;
    answer.map_err(|failure| EvaluatorError::Failed(failure.into()))
}

impl SharedEvaluator {
    /// Starts one thread per evaluator; it combines waiting batches up to `max_positions`. A single
    /// batch may be larger.
    ///
    /// # Errors
    /// If the system cannot start a thread.
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

    /// Submits a batch without waiting for the replies.
    pub(crate) fn order(&self, batch: Batch) -> Result<Ordered, EvaluatorError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let order = Order { batch, answer };
        let sent = self.orders.send(order);
        sent.map_err(|_| EvaluatorError::Failed(Gone.into()))?;
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
        *batch = replies(answered.recv().ok())?;
        Ok(())
    }
}

/// A pending order; dropping it cancels interest in the answer.
pub(crate) struct Ordered(mpsc::Receiver<Answer>);

impl Ordered {
    /// The batch with its replies, or the error; `None` if there is no answer within this time.
    pub(crate) fn wait(&self, time: Duration) -> Option<Result<Batch, EvaluatorError>> {
        let answered = match self.0.try_recv() {
            // Avoids reading the clock when there is nothing to wait for.
            Err(TryRecvError::Empty) if time.is_zero() => return None,
            Err(TryRecvError::Empty) => match self.0.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => return None,
                answered => answered.ok(),
            },
            answered => answered.ok(),
        };
        Some(replies(answered))
    }
}

/// Evaluates orders until all handles are dropped.
fn serve(mut evaluator: impl Evaluator, waiting: &Mutex<Waiting>, max_positions: usize) {
    let mut orders = Vec::new();
    let mut together = Batch::new();
    let mut patience = Duration::ZERO;
    loop {
        // A poisoned lock means that another evaluator's thread panicked while gathering; the code
        // there cannot panic.
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
            // A worker that has stopped no longer receives its answer.
            let _ = answer.send(failure.clone().map_or(Ok(batch), Err));
        }
    }
}

impl Waiting {
    /// Waits for an order and takes the following ones that fit; false when all handles are
    /// dropped.
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
                // A device pads batches to fixed sizes, so a few extra positions would cost a whole
                // batch.
                self.left_over = Some(order);
                break;
            }
            orders.push(order);
        }
        true
    }

    /// Returns one more order for a batch of `n_orders`. Waits for it while the batch is below an
    /// evaluator's share of the workers and time remains.
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
