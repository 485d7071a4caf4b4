//! Tree search over the rules, guided by an evaluator.

mod batch;
mod evaluator;
mod wdl;

pub use batch::{Batch, Reply, Request};
pub use evaluator::{Evaluator, EvaluatorError, Uniform};
pub use wdl::Wdl;
