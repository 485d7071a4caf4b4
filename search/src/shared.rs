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

/// A failure that several workers hear of.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
struct Failure(Arc<EvaluatorError>);

/// The evaluator's thread is gone.
#[derive(Debug, thiserror::Error)]
#[error("its thread stopped unexpectedly; please report this")]
struct Gone;

impl SharedEvaluator {
    /// Starts a thread for each of `evaluators`, which puts waiting batches together until they
    /// hold `max_positions` or more.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start<E: Evaluator + Send + 'static>(
        evaluators: Vec<E>,
        max_positions: usize,
    ) -> io::Result<Self> {
        let (orders, waiting) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
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
fn serve(
    mut evaluator: impl Evaluator,
    waiting: &Mutex<mpsc::Receiver<Order>>,
    max_positions: usize,
) {
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

/// Waits for an order and takes those that wait behind it; false when no more can come.
fn gather(
    waiting: &Mutex<mpsc::Receiver<Order>>,
    max_positions: usize,
    orders: &mut Vec<Order>,
) -> bool {
    // Poisoned means that the other evaluator's thread panicked while it waited here, which `recv`
    // does not do.
    let Ok(waiting) = waiting.lock() else {
        return false;
    };
    let Ok(first) = waiting.recv() else {
        return false;
    };
    let mut n_positions = first.batch.len();
    orders.push(first);
    while n_positions < max_positions
        && let Ok(order) = waiting.try_recv()
    {
        n_positions += order.batch.len();
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
mod tests {
    use super::*;
    use crate::Wdl;
    use rules::{Position, Variant};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Answers with figures of the request alone, and notes the largest batch.
    struct Figures {
        largest: Arc<AtomicUsize>,
    }

    impl Evaluator for Figures {
        fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
            self.largest.fetch_max(batch.len(), Ordering::Relaxed);
            for index in 0..batch.len() {
                let (request, reply) = batch.entry_mut(index);
                let seen = request.repetitions as f32;
                *reply.value = Wdl {
                    win: seen,
                    ..Wdl::DRAW
                };
                for (logit, move_index) in reply.logits.iter_mut().zip(0u8..) {
                    *logit = seen + f32::from(move_index) / 100.0;
                }
            }
            Ok(())
        }
    }

    fn ask(evaluator: &mut impl Evaluator, seed: u32) -> Result<Batch, EvaluatorError> {
        let mut batch = Batch::new();
        for variant in Variant::ALL {
            let start = Position::start(variant);
            let repetitions = seed * 10 + variant.index() as u32;
            batch.push(&start, repetitions, &start.legal_moves());
        }
        evaluator.evaluate(&mut batch)?;
        Ok(batch)
    }

    #[test]
    fn everyone_gets_the_answers_to_what_they_asked() {
        for n_evaluators in [1, 2] {
            let largest = Arc::<AtomicUsize>::default();
            let evaluators = (0..n_evaluators).map(|_| Figures {
                largest: Arc::clone(&largest),
            });
            let shared = SharedEvaluator::start(evaluators.collect(), 20).unwrap();
            thread::scope(|scope| {
                for worker in 0..6 {
                    let (mut shared, largest) = (shared.clone(), Arc::clone(&largest));
                    scope.spawn(move || {
                        for round in 0..50 {
                            let seed = worker * 100 + round;
                            let batch = ask(&mut shared, seed).unwrap();
                            let expected = ask(
                                &mut Figures {
                                    largest: Arc::clone(&largest),
                                },
                                seed,
                            );
                            let expected = expected.unwrap();
                            for index in 0..batch.len() {
                                assert_eq!(batch.wdl(index), expected.wdl(index));
                                assert_eq!(batch.logits(index), expected.logits(index));
                            }
                        }
                    });
                }
            });
            let limit = 20 + Variant::ALL.len();
            assert!(largest.load(Ordering::Relaxed) < limit);
        }
    }

    #[test]
    fn orders_that_wait_are_evaluated_together() {
        let largest = Arc::<AtomicUsize>::default();
        let mut figures = Figures {
            largest: Arc::clone(&largest),
        };
        let (answer, _answered) = mpsc::channel();
        let order = |seed| {
            let mut batch = Batch::new();
            let start = Position::start(Variant::English);
            batch.push(&start, seed, &start.legal_moves());
            Order {
                batch,
                answer: answer.clone(),
            }
        };
        let mut orders = [order(3), order(5)];
        evaluate_together(&mut figures, &mut Batch::new(), &mut orders).unwrap();
        assert_eq!(largest.load(Ordering::Relaxed), 2);
        assert_eq!(orders.map(|order| order.batch.wdl(0).win), [3.0, 5.0]);
    }

    #[test]
    fn a_failure_reaches_the_worker_in_words() {
        struct Broken;
        impl Evaluator for Broken {
            fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
                Err(EvaluatorError::Failed("out of memory".into()))
            }
        }
        let mut shared = SharedEvaluator::start(vec![Broken], 8).unwrap();
        let error = ask(&mut shared, 1).err().unwrap().to_string();
        assert!(error.contains("out of memory"), "{error}");
    }

    #[test]
    fn a_thread_that_is_gone_is_a_failure_and_not_a_hang() {
        struct Panics;
        impl Evaluator for Panics {
            fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
                panic!("as a device driver might");
            }
        }
        let mut shared = SharedEvaluator::start(vec![Panics], 8).unwrap();
        for _ in 0..2 {
            let error = ask(&mut shared, 1).err().unwrap().to_string();
            assert!(error.contains("stopped unexpectedly"), "{error}");
        }
    }
}
