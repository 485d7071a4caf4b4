//! How exactly the network is computed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The numbers in which a processor computes the trunk's convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The network's own 32 bits.
    F32,
    /// 8 bits for their weights and inputs; sums, and all other layers, have 32. Fast where the
    /// processor has VNNI instructions.
    Int8,
}

impl Precision {
    /// All precisions, the most exact first.
    pub const ALL: [Self; 2] = [Self::F32, Self::Int8];

    /// The precision's name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
