//! An evaluator shared by a search and by direct queries.

use std::sync::{Arc, Mutex, PoisonError};

use engine::Stopper;
use search::{Batch, Evaluator, EvaluatorError};

use crate::Error;

/// A shared evaluator. Agents use it from one thread, so there is no contention.
#[derive(Clone)]
pub(crate) struct Shared {
    evaluator: Arc<Mutex<Box<dyn Evaluator + Send>>>,
    stopper: Option<Stopper>,
}

impl Shared {
    pub(crate) fn new(evaluator: Box<dyn Evaluator + Send>) -> Shared {
        Shared {
            evaluator: Arc::new(Mutex::new(evaluator)),
            stopper: None,
        }
    }

    /// The same evaluator, which fails as soon as it is stopped.
    pub(crate) fn until(self, stopper: Stopper) -> Shared {
        Shared {
            stopper: Some(stopper),
            ..self
        }
    }
}

impl Evaluator for Shared {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let is_stopped = |stopper: &Stopper| stopper.is_over(0);
        if self.stopper.as_ref().is_some_and(is_stopped) {
            return Err(EvaluatorError::Failed(Box::new(Error::Stopped)));
        }
        let mut evaluator = self
            .evaluator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        evaluator.evaluate(batch)
    }
}
