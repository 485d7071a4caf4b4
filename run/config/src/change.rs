//! Settings that changed in a run.

use serde::{Deserialize, Serialize};
use toml::Value;
use trainer::StepsAt;

/// A setting that changed at the start of a generation.
///
/// The behavior of a run depends on its changes and its initial settings: the same changes at the
/// same generations give the same weights, whenever they were requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingChange {
    /// The first generation with the new value.
    pub generation: u32,
    /// The setting's full name.
    pub key: String,
    /// Its old value.
    pub old: Value,
    /// Its new value.
    pub new: Value,
    /// Progress of the run when the change took effect; `None` while that generation has not
    /// started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<StepsAt>,
}

impl SettingChange {
    /// The new value, if it is a number.
    pub fn number(&self) -> Option<f64> {
        match self.new {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            Value::Boolean(value) => Some(f64::from(u8::from(value))),
            _ => None,
        }
    }
}

impl std::fmt::Display for SettingChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SettingChange {
            generation,
            key,
            old,
            new,
            ..
        } = self;
        write!(
            f,
            "from generation {generation} on, {key} is {new} instead of {old}"
        )
    }
}
