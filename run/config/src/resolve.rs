//! One checked configuration.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use toml::{Table, Value};

use super::error::ConfigError;
use super::sections::RunConfig;

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The full name, such as `search.simulations`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The source of the value: a file with the line, or an option.
    pub origin: String,
    /// The way it was requested, if at all.
    pub asked: Asked,
}

/// The way in which a user requested a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Not requested: the base and the variant's file are only defaults.
    No,
    /// Part of a preset, the initial settings of a run.
    ByPreset,
    /// Given in a file or by an option.
    Directly,
}

/// A complete configuration and the origin of every value.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The values, typed.
    pub config: RunConfig,
    /// The same values by key, in the order of `configs/base.toml`.
    pub settings: Vec<Setting>,
}

impl Resolved {
    /// Builds the typed configuration from `settings`, which must hold every key once, and checks
    /// combinations of keys.
    pub fn new(settings: Vec<Setting>) -> Result<Resolved, ConfigError> {
        let config: RunConfig = nest(&settings)
            .try_into()
            .map_err(|error: toml::de::Error| {
                ConfigError::Faults(vec![error.to_string().trim_end().replace('\n', " ")])
            })?;
        let faults = config.contradictions();
        if faults.is_empty() {
            Ok(Resolved { config, settings })
        } else {
            Err(ConfigError::Faults(faults))
        }
    }

    /// Replaces `device`, for example [`AUTO`](crate::AUTO) by the device that was chosen.
    pub fn set_device(&mut self, device: &str) {
        self.config.device = device.to_owned();
        let mut settings = self.settings.iter_mut();
        if let Some(setting) = settings.find(|setting| setting.key == "device") {
            setting.value = device.into();
        }
    }

    /// The values, nested in their sections.
    pub fn table(&self) -> Table {
        nest(&self.settings)
    }

    /// The source of each value, by its key.
    pub fn origins(&self) -> BTreeMap<&str, &str> {
        let settings = self.settings.iter();
        settings
            .map(|s| (s.key.as_str(), s.origin.as_str()))
            .collect()
    }

    /// The setting with that name.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }
}

impl fmt::Display for Resolved {
    /// Formats as TOML, with the source of each value as a comment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comment = |setting: &Setting| format!("# {}", setting.origin);
        f.write_str(&render(&self.settings, comment))
    }
}

/// Settings nested in their sections.
fn nest(settings: &[Setting]) -> Table {
    let mut root = Table::new();
    for Setting { key, value, .. } in settings {
        let (table, key) = match key.split_once('.') {
            None => (&mut root, key.as_str()),
            Some((section, key)) => {
                let table = root.entry(section).or_insert_with(|| Table::new().into());
                (table.as_table_mut().expect("sections are tables"), key)
            }
        };
        table.insert(key.to_owned(), value.clone());
    }
    root
}

/// Formats settings as TOML, one paragraph per section, each value followed by its note, if any.
pub(crate) fn render(settings: &[Setting], note: impl Fn(&Setting) -> String) -> String {
    let mut text = String::new();
    let mut current = "";
    for setting in settings {
        let (section, key) = setting.key.split_once('.').unwrap_or(("", &setting.key));
        if section != current {
            let _ = writeln!(text, "\n[{section}]");
            current = section;
        }
        let line = format!("{key} = {}", setting.value);
        let note = note(setting);
        let _ = if note.is_empty() {
            writeln!(text, "{line}")
        } else {
            writeln!(text, "{line:<39} {note}")
        };
    }
    text
}
