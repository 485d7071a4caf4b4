//! The part of a player that can be exported: its network or its evaluation.

use crate::{EvaluationSource, ModelSource};

/// A network or an evaluation for `crownhead export`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSource {
    /// A network, or all bundled ones.
    Network(ModelSource),
    /// A learned evaluation, or all bundled ones.
    Evaluation(EvaluationSource),
}
