//! Settings of earlier versions that no longer exist.
//!
//! A run keeps them in its `run.toml`, because its identity is a hash of all settings that it was
//! started with. A value that matches the current behavior is accepted everywhere. Any other value
//! has no effect any longer: a run that has it prints a notice and continues, and files or options
//! that ask for it are rejected.

use toml::Value;

/// A setting that no longer exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retired {
    /// Its full name.
    pub(crate) name: &'static str,
    /// The setting that follows it in `run.toml`.
    pub(crate) before: &'static str,
    /// The value, as TOML, that matches the current behavior.
    usual: &'static str,
    /// The reason for its removal, and a replacement if there is one.
    reason: &'static str,
}

/// All retired settings, in the order of `run.toml`.
const RETIRED: [Retired; 11] = [
    Retired {
        name: "selfplay.network",
        before: "selfplay.games_per_generation",
        usual: "\"newest\"",
        reason: "the newest network always plays, because the champion did not learn faster",
    },
    Retired {
        name: "selfplay.archive_fraction",
        before: "selfplay.max_plies",
        usual: "0.0",
        reason: "games start at the initial position, because other starts gained nothing",
    },
    Retired {
        name: "selfplay.archive",
        before: "selfplay.max_plies",
        usual: "\"window\"",
        reason: "games start at the initial position, because other starts gained nothing",
    },
    Retired {
        name: "window.horizons",
        before: "window.policy_surprise",
        usual: "[]",
        reason: "the head `short_values` was never measured",
    },
    Retired {
        name: "window.forced",
        before: "window.held_out",
        usual: "\"skip\"",
        reason: "only full searches give samples; values of other positions were never measured",
    },
    Retired {
        name: "window.fast",
        before: "window.held_out",
        usual: "\"skip\"",
        reason: "only full searches give samples; values of other positions were never measured",
    },
    Retired {
        name: "train.short_values_weight",
        before: "train.value_root_fraction",
        usual: "0.0",
        reason: "the head `short_values` was never measured",
    },
    Retired {
        name: "train.plies_left_weight",
        before: "train.value_root_fraction",
        usual: "0.0",
        reason: "the head `plies_left` was never measured",
    },
    Retired {
        name: "endgame.prove",
        before: "fleet.mode",
        usual: "false",
        reason: "proofs during self-play gained nothing",
    },
    Retired {
        name: "endgame.adjudicate",
        before: "fleet.mode",
        usual: "false",
        reason: "games that the database ended gained nothing in english and taught endings less; \
                 endgame.lessons trains on endings",
    },
    Retired {
        name: "endgame.relabel",
        before: "fleet.mode",
        usual: "false",
        reason: "exact values as targets gained nothing; endgame.lessons trains on endings",
    },
];

impl Retired {
    /// The retired setting with that name.
    pub(crate) fn named(name: &str) -> Option<&'static Retired> {
        RETIRED.iter().find(|retired| retired.name == name)
    }

    /// The retired settings in front of another setting.
    pub(crate) fn in_front_of(name: &str) -> impl Iterator<Item = &'static Retired> {
        RETIRED.iter().filter(move |retired| retired.before == name)
    }

    /// Returns `true` if a value matches the current behavior.
    pub(crate) fn is_usual(&self, value: &Value) -> bool {
        let is_zero = matches!(value, Value::Integer(0)) && self.usual == "0.0";
        is_zero || value.to_string() == self.usual
    }

    /// Error for a file or option with another value.
    pub(crate) fn fault(&self) -> String {
        format!(
            "`{}` no longer exists: {}; leave it out",
            self.name, self.reason
        )
    }

    /// Notice for a run that was started with another value.
    pub(crate) fn notice(&self, value: &Value) -> String {
        let Retired { name, reason, .. } = self;
        format!("`{name}` = {value} no longer has an effect: {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    #[test]
    fn they_are_gone_and_their_places_are_there() {
        for retired in RETIRED {
            assert!(SCHEMA.key(retired.name).is_err(), "{}", retired.name);
            assert!(SCHEMA.key(retired.before).is_ok(), "{}", retired.before);
        }
    }
}
