//! Errors of evaluators.

use std::error::Error;

/// The error of a failed evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// The evaluator itself failed.
    #[error("the evaluator failed: {0}")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// A missing or non-finite reply.
    #[error(
        "the evaluation of {fen} is not finite: the network's weights are damaged or its training \
         diverged"
    )]
    NotFinite {
        /// The position as FEN.
        fen: String,
    },
}
