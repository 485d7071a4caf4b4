//! Errors of configurations.

use store::StoreError;

use super::limits::{MAX_KEYS, MAX_LAYERS};

/// A configuration that cannot be used. Every message names the place and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("cannot read the configuration: {0}")]
    Unreadable(#[from] StoreError),
    /// A file has more keys than any configuration.
    #[error("{0} has more than {MAX_KEYS} keys, the limit: leave some out")]
    TooManyKeys(String),
    /// A file is not TOML. The parser's message shows the line.
    #[error("{name} is not valid TOML: {message}")]
    Syntax {
        /// The file, or the option it came with.
        name: String,
        /// The parser's message.
        message: String,
    },
    /// The settings in the `run.toml` of a run differ from those that the run was started with.
    #[error(
        "{name} cannot be used: it is damaged: found settings with the hash {found}, expected {expected}"
    )]
    Damaged {
        /// The file.
        name: String,
        /// The hash of its settings.
        found: String,
        /// The hash stated in it.
        expected: String,
    },
    /// `--preset` or `extends` names nothing that exists.
    #[error("no preset named {name:?}; {hint}")]
    UnknownPreset {
        /// The name as given.
        name: String,
        /// The existing names.
        hint: String,
    },
    /// Files extend each other in a circle.
    #[error("`extends` goes in a circle: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// The chain of `extends` is too long.
    #[error("more than {MAX_LAYERS} files `extend` each other, the limit; the first: {0}")]
    TooDeep(String),
    /// Keys and values that the schema does not allow: all of them or the first twenty.
    #[error("{}", list("the configuration cannot be used", .0))]
    Faults(Vec<String>),
    /// The options differ from the settings that the run was started with.
    #[error(
        "{}; leave these options out, or name a new directory for another run",
        list("the run was started with other settings", .0)
    )]
    Differs(Vec<String>),
}

/// `title: fault` for one fault, an indented list for several.
fn list(title: &str, faults: &[String]) -> String {
    match faults {
        [fault] => format!("{title}: {fault}"),
        _ => format!("{title}:\n  {}", faults.join("\n  ")),
    }
}
