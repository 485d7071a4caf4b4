//! The part of a player that can be exported: its network or its evaluation.

use crate::{EvaluationSource, ModelSource};

/// A network or an evaluation, as `crownhead export` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSource {
    /// A network, or all that are bundled.
    Network(ModelSource),
    /// A learned evaluation, or all that are bundled.
    Evaluation(EvaluationSource),
}
