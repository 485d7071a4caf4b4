//! One evaluator for many threads: how workers keep a GPU busy.

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use crate::{Batch, Evaluator, EvaluatorError};

/// A handle to evaluators that run on threads of their own.
///
/// Each thread takes all batches that wait at that moment and has them evaluated together. While a
/// device computes, more batches gather: the busier it is, the larger its batches. With two
/// evaluators on one device the second computes while the answers of the first are read back.
///
/// Every worker thread holds a clone; the evaluators end with the last one. Replies are the same as
/// the evaluator's own, since those never depend on the rest of a batch.
#[derive(Clone)]
pub struct SharedEvaluator {
    orders: mpsc::Sender<Order>,
}

/// A batch, and the way back.
struct Order {
    batch: Batch,
    answer: mpsc::Sender<Answer>,
}

struct Answer {
    batch: Batch,
    failure: Option<Failure>,
}

/// Orders that no evaluator has taken yet.
struct Waiting {
    orders: mpsc::Receiver<Order>,
    /// The first one, where it would have made the last batch too large.
    left_over: Option<Order>,
}

/// A failure that several workers hear of.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
struct Failure(Arc<EvaluatorError>);

/// The evaluator's thread is gone.
#[derive(Debug, thiserror::Error)]
#[error("its thread stopped unexpectedly; please report this")]
struct Gone;

impl SharedEvaluator {
    /// Starts a thread for each of `evaluators`, which puts waiting batches together as long as they
    /// hold no more than `max_positions`. A single batch may be larger.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start<E: Evaluator + Send + 'static>(
        evaluators: Vec<E>,
        max_positions: usize,
    ) -> io::Result<Self> {
        let (orders, receiver) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(Waiting {
            orders: receiver,
            left_over: None,
        }));
        for evaluator in evaluators {
            let waiting = Arc::clone(&waiting);
            thread::Builder::new()
                .name("evaluator".to_owned())
                .spawn(move || serve(evaluator, &waiting, max_positions))?;
        }
        Ok(Self { orders })
    }
}

impl Evaluator for SharedEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let failed = |error: Box<dyn Error + Send + Sync>| EvaluatorError::Failed(error);
        let (answer, answered) = mpsc::channel();
        let order = Order {
            batch: std::mem::take(batch),
            answer,
        };
        self.orders.send(order).map_err(|_| failed(Gone.into()))?;
        let answer = answered.recv().map_err(|_| failed(Gone.into()))?;
        *batch = answer.batch;
        answer
            .failure
            .map_or(Ok(()), |failure| Err(failed(failure.into())))
    }
}

/// Evaluates what waits until nobody is left who could ask.
fn serve(mut evaluator: impl Evaluator, waiting: &Mutex<Waiting>, max_positions: usize) {
    let mut orders = Vec::new();
    let mut together = Batch::new();
    while gather(waiting, max_positions, &mut orders) {
        let outcome = match &mut orders[..] {
            [order] => evaluator.evaluate(&mut order.batch),
            orders => evaluate_together(&mut evaluator, &mut together, orders),
        };
        let failure = outcome.err().map(|error| Failure(Arc::new(error)));
        for Order { batch, answer } in orders.drain(..) {
            // A worker that has been stopped does not wait for its answer.
            let _ = answer.send(Answer {
                batch,
                failure: failure.clone(),
            });
        }
    }
}

/// Waits for an order and takes those behind it that fit; false when no more can come.
fn gather(waiting: &Mutex<Waiting>, max_positions: usize, orders: &mut Vec<Order>) -> bool {
    // Poisoned means that the other evaluator's thread panicked while it waited here, which `recv`
    // does not do.
    let Ok(mut waiting) = waiting.lock() else {
        return false;
    };
    let left_over = waiting.left_over.take();
    let Some(first) = left_over.or_else(|| waiting.orders.recv().ok()) else {
        return false;
    };
    let mut n_positions = first.batch.len();
    orders.push(first);
    while n_positions < max_positions
        && let Ok(order) = waiting.orders.try_recv()
    {
        n_positions += order.batch.len();
        if n_positions > max_positions {
            // A device computes batches of one size: a few more positions would cost it another.
            waiting.left_over = Some(order);
            break;
        }
        orders.push(order);
    }
    true
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
