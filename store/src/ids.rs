//! Identities of runs, and numbers of models and training states, six digits wide in names.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The identity of a run: a hash of its variant, its rules and its fixed settings. Runs that must
/// have equal files have equal identities. Text is 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for RunId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<RunId, ParseIntError> {
        u64::from_str_radix(text, 16).map(RunId)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for RunId {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<RunId, ParseIntError> {
        text.parse()
    }
}

impl RunId {
    /// The identity at a key of the text of a `run.toml`.
    pub(crate) fn at_key(text: &str, key: &str) -> Option<RunId> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        let value = line.trim_start().strip_prefix('=')?.trim();
        value.trim_matches('"').parse().ok()
    }
}

/// The number of a model of a run: 0 is the untrained network, 42 the model of generation 42.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelId(pub u32);

impl ModelId {
    /// The number after this one.
    pub fn next(self) -> ModelId {
        ModelId(self.0 + 1)
    }

    /// The model with exactly this directory name.
    pub(crate) fn from_name(name: &str) -> Option<ModelId> {
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
    pub(crate) fn from_name(name: &str) -> Option<TrainId> {
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

    #[test]
    fn the_configuration_states_the_identity() {
        let text = "# run_id = 1\nvariant = \"thai\"\nrun_id = \"00000000000000ff\"\n";
        assert_eq!(RunId::at_key(text, "run_id"), Some(RunId(255)));
        assert_eq!(RunId::at_key("seed = 1\n", "run_id"), None);
        assert_eq!(RunId::at_key(text, "games_run_id"), None);
        let fork = format!("{text}games_run_id = \"000000000000000e\"\n");
        assert_eq!(RunId::at_key(&fork, "run_id"), Some(RunId(255)));
        assert_eq!(RunId::at_key(&fork, "games_run_id"), Some(RunId(14)));
    }

    #[test]
    fn an_identity_is_text_in_documents() {
        let id = RunId(255);
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!(text, "\"00000000000000ff\"");
        assert_eq!(serde_json::from_str::<RunId>(&text).unwrap(), id);
        assert!(serde_json::from_str::<RunId>("\"xyzzy\"").is_err());
    }
}
