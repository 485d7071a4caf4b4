//! One evaluator for a search and for those who ask it directly.

use std::sync::{Arc, Mutex, PoisonError};

use search::{Batch, Evaluator, EvaluatorError};

/// An evaluator that several hold. They take turns; nobody waits in an agent, which has one thread.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Box<dyn Evaluator + Send>>>);

impl Shared {
    pub(crate) fn new(evaluator: Box<dyn Evaluator + Send>) -> Shared {
        Shared(Arc::new(Mutex::new(evaluator)))
    }
}

impl Evaluator for Shared {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let mut evaluator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        evaluator.evaluate(batch)
    }
}
