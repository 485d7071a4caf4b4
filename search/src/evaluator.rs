//! Who judges positions: the one thing the search knows about networks.

use std::error::Error;

use crate::{Batch, Wdl};

/// Judges positions: a value and one logit per legal move for each request of a batch.
pub trait Evaluator {
    /// Writes every reply of the batch.
    ///
    /// A reply is a pure function of its request: it never depends on the rest of the batch, so
    /// that games do not depend on which other games are played beside them. The position's move
    /// number has no influence either, so that a reply can be used again ([`Cached`](crate::Cached)).
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

/// Why there is no usable evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// The evaluator itself failed.
    #[error("the evaluator failed: {0}")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// A reply is missing or holds NaN or infinity.
    #[error(
        "the evaluation of {fen} holds a number that is not finite: \
         the network's weights are damaged or its training diverged"
    )]
    NotFinite {
        /// The position.
        fen: String,
    },
}

/// Knows nothing: every position is a draw, every move as good as the next.
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
