//! Settings that changed in a run.

use serde::{Deserialize, Serialize};
use toml::Value;

/// One setting that changed with the beginning of a generation.
///
/// What a run does depends on these and on what it was started with: the same changes at the same
/// generations give the same weights, whenever they were asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingChange {
    /// The first generation with the new value.
    pub generation: u32,
    /// The setting's full name.
    pub key: String,
    /// Its value before.
    pub old: Value,
    /// Its value from then on.
    pub new: Value,
    /// The state of the run then; nothing while that generation has not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
}

/// A point of a run, between two generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// Optimiser steps done.
    pub step: u64,
    /// Samples made.
    pub samples: u64,
}

impl SettingChange {
    /// The change of a number as a number.
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
            "from generation {generation} on {key} is {new} instead of {old}"
        )
    }
}
