//! What a run began from.

use serde::{Deserialize, Serialize};

/// What a run began from that did not begin with an untrained network and no games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOrigin {
    /// What it took over.
    pub kind: OriginKind,
    /// From where: a model, as the command line names it.
    pub from: String,
    /// Identity of that model's network.
    pub network: String,
    /// What could not be taken over, in words; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub without: String,
}

/// What a run took over from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginKind {
    /// Weights.
    Init,
    /// Everything up to a generation.
    Fork,
    /// Recorded games.
    Retrain,
}

impl std::fmt::Display for RunOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let taken = match self.kind {
            OriginKind::Init => "the weights of",
            OriginKind::Fork => "a fork of",
            OriginKind::Retrain => "the recorded games of",
        };
        write!(f, "{taken} {}", self.from)?;
        match self.without.as_str() {
            "" => Ok(()),
            without => write!(f, "; {without}"),
        }
    }
}
