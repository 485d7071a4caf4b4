//! How exactly networks that play are computed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The numbers in which the trunk's blocks may be computed. Training always has 32 bits.
///
/// A processor has [`Int8`](Self::Int8) and a device of burn mostly has [`F16`](Self::F16); what has
/// no such numbers computes in [`F32`](Self::F32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The network's own 32 bits.
    F32,
    /// 16 bits, on a GPU.
    F16,
    /// 8 bits for the weights and inputs of the convolutions; sums, and all other layers, have 32.
    /// Fast where the processor has VNNI instructions.
    Int8,
}

impl Precision {
    /// Those that a processor has, the most exact first.
    pub const OF_CPU: [Self; 2] = [Self::F32, Self::Int8];

    /// The names of all, in the order of the variants.
    pub const NAMES: &[&str] = &["f32", "f16", "int8"];

    /// The precision's name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Int8 => "int8",
        }
    }
}

impl settings::ToValue for Precision {
    fn to_value(&self) -> settings::Value {
        self.name().to_value()
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
