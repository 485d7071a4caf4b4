//! The evaluator: everything the search knows about networks.

use types::Wdl;

use crate::{Batch, EvaluatorError};

/// Evaluates positions: a value and one logit per legal move for each request of a batch.
pub trait Evaluator {
    /// Writes every reply of the batch.
    ///
    /// A reply is a pure function of its request. It must not depend on the rest of the batch, so
    /// that concurrent games do not affect each other, nor on the move number, so that it can be
    /// cached ([`Cached`](crate::Cached)).
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

/// An evaluator without knowledge: every position is a draw, and all moves are equal.
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
