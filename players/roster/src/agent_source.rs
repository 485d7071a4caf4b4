//! The part of a player that can be exported: its network or its evaluation.

use std::str::FromStr;

use crate::{EvaluationSource, ModelSource, PlayerSpec, RequestError, Result};

/// A network or an evaluation, as `crownhead export` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSource {
    /// A network, or all that are bundled.
    Network(ModelSource),
    /// A learned evaluation, or all that are bundled.
    Evaluation(EvaluationSource),
}

impl AgentSource {
    /// The player of this source, as it would be written.
    ///
    /// # Errors
    /// When the path can't be written as text.
    pub fn spec(&self) -> Result<PlayerSpec, RequestError> {
        match self {
            AgentSource::Network(source) => source.to_string().parse(),
            AgentSource::Evaluation(source) => source.to_string().parse(),
        }
    }
}

impl FromStr for AgentSource {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<AgentSource, RequestError> {
        let spec: PlayerSpec = text.parse()?;
        let agent = spec.agent().filter(|_| !spec.has_options());
        agent.ok_or_else(|| {
            RequestError(format!(
                "{text} has no network and no evaluation of its own to export: write run:DIR, run:DIR@42, \
                 model:DIR, bundled:VARIANT, ab:DIR or ab:bundled, without options"
            ))
        })
    }
}
