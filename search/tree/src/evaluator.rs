//! The evaluator: all that the search knows about networks.

use types::Wdl;

use crate::{Batch, EvaluatorError};

/// Evaluates positions: a value and one logit per legal move for each request of a batch.
pub trait Evaluator {
    /// Writes every reply of the batch.
    ///
    /// A reply is a pure function of its request: it does not depend on the rest of the batch, so
    /// that games do not depend on concurrent ones. The position's move number has no influence
    /// either, so that replies can be cached ([`Cached`](crate::Cached)).
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError>;
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        (**self).evaluate(batch)
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        (**self).evaluate(batch)
    }
}

/// An evaluator without knowledge: every position is a draw, all moves are equal.
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (value, logits) = batch.reply_mut(index);
            *value = Wdl::DRAW;
            logits.fill(0.0);
        }
        Ok(())
    }
}
