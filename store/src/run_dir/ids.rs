//! Numbers of models and training states, six digits wide in names.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of a model of a run: 0 is the untrained network, 42 the product of generation 42.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelId(pub u32);

impl ModelId {
    /// The number after this one.
    pub fn next(self) -> ModelId {
        ModelId(self.0 + 1)
    }

    /// The model with exactly this directory name.
    pub(super) fn from_name(name: &str) -> Option<ModelId> {
        number(name).map(ModelId)
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}", self.0)
    }
}

impl FromStr for ModelId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<ModelId, ParseIntError> {
        text.parse().map(ModelId)
    }
}

/// A saved training state, numbered in the order of saving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrainId(pub u32);

impl TrainId {
    /// The training state with exactly this directory name.
    pub(super) fn from_name(name: &str) -> Option<TrainId> {
        number(name).map(TrainId)
    }
}

impl fmt::Display for TrainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}", self.0)
    }
}

fn number(name: &str) -> Option<u32> {
    name.parse()
        .ok()
        .filter(|number| format!("{number:06}") == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_may_leave_out_zeros_and_names_may_not() {
        assert_eq!("42".parse(), Ok(ModelId(42)));
        assert_eq!(ModelId::from_name("42"), None);
        assert_eq!(ModelId::from_name("+00042"), None);
        assert_eq!(ModelId::from_name("000042"), Some(ModelId(42)));
        assert_eq!(ModelId::from_name("1234567"), Some(ModelId(1_234_567)));
        assert_eq!(ModelId(42).to_string(), "000042");
    }
}
