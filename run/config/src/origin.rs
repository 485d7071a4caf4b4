//! Origins of runs.

use serde::{Deserialize, Serialize};

/// The origin of a run that did not start with an untrained network and no games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOrigin {
    /// The parts taken over.
    pub kind: OriginKind,
    /// The source: a model, as on the command line.
    pub from: String,
    /// Identity of that model's network.
    pub network: String,
    /// Note on parts that could not be taken over; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub without: String,
}

/// Parts that a run takes over from another.
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
