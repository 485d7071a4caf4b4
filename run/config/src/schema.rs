//! The existing keys, and messages for invalid ones.

use std::sync::LazyLock;

use rules::did_you_mean;
use settings::{Change, Domain, Key};
use toml::Value;

use super::layer::Layer;
use super::limits::MAX_FAULTS;
use super::resolve::Setting;
use super::retired::Retired;
use super::sections::RunConfig;

/// The schema of every configuration.
pub static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema {
    keys: RunConfig::keys(),
});

/// All keys, in the order of `configs/base.toml`.
pub struct Schema {
    keys: Vec<Key>,
}

impl Schema {
    /// All keys in the order of the base file.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    /// The key with that name, or an error that suggests the nearest one.
    pub(crate) fn key(&self, name: &str) -> Result<&Key, String> {
        self.find(name).ok_or_else(|| {
            if self.is_section(name) {
                return format!("`{name}` is a section, not a key");
            }
            if let Some(retired) = Retired::named(name) {
                return retired.fault();
            }
            let known = self.keys.iter().map(|key| key.name.as_str());
            format!("unknown key `{name}`{}", did_you_mean(name, known))
        })
    }

    fn find(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The key with that name, or the keys of the section with that name.
    ///
    /// # Errors
    /// An error that suggests the nearest name if there is none with that name.
    pub fn key_or_section(&self, name: &str) -> Result<Vec<&Key>, String> {
        let is_meant = |key: &&Key| section(&key.name) == Some(name);
        let keys: Vec<&Key> = self.keys().filter(is_meant).collect();
        if keys.is_empty() {
            Ok(vec![self.key(name)?])
        } else {
            Ok(keys)
        }
    }

    /// Parses `text` as a value of the named key, or explains why it cannot.
    pub fn read(&self, name: &str, text: &str) -> Result<Value, String> {
        self.key(name).and_then(|key| read(key, text))
    }

    /// The same value, independent of the file format.
    pub fn value(&self, name: &str, text: &str) -> Result<settings::Value, String> {
        self.read(name, text).map(|value| from_toml(&value))
    }

    /// Returns `true` if an assignment to a retired key matches the current behavior.
    pub(crate) fn is_obsolete(&self, name: &str, text: &str) -> bool {
        let value = parse(text).unwrap_or_else(|| Value::String(text.to_owned()));
        Retired::named(name).is_some_and(|retired| retired.is_usual(&value))
    }

    /// The conditions under which a setting may change in a run.
    pub(crate) fn change(&self, name: &str) -> Change {
        self.find(name).map_or(Change::Never, |key| key.change)
    }

    /// The value of a key in runs older than the key, if that is not its default.
    pub(crate) fn formerly(&self, name: &str) -> Option<Value> {
        self.find(name)?.formerly.as_ref().map(to_toml)
    }

    /// The settings of a layer: the known ones, with the types of their keys, and the retired ones.
    /// Adds errors to `faults`, up to their limit.
    pub(crate) fn check(&self, layer: Layer, faults: &mut Vec<String>) -> Checked {
        for (name, origin) in &layer.tables {
            if faults.len() < MAX_FAULTS
                && let Err(fault) = self.check_section(name)
            {
                faults.push(format!("{origin}: {fault}"));
            }
        }
        let in_unknown_section = |key: &str| {
            key.rsplit_once('.')
                .is_some_and(|(table, _)| !self.is_section(table))
        };
        let mut checked = Checked::default();
        for setting in layer.settings {
            let key = &setting.key;
            if in_unknown_section(key) || faults.len() >= MAX_FAULTS {
                continue; // reported with the section, or too many faults already
            }
            if Retired::named(key).is_some() {
                checked.retired.push(setting);
                continue;
            }
            let accepted = self.key(key);
            match accepted.and_then(|key| accept(key, setting.value.clone())) {
                Ok(value) => checked.accepted.push(Setting { value, ..setting }),
                Err(fault) => faults.push(format!("{}: {fault}", setting.origin)),
            }
        }
        checked
    }

    pub(crate) fn is_section(&self, name: &str) -> bool {
        self.keys.iter().any(|key| section(&key.name) == Some(name))
    }

    /// Returns an error if `name` is not a section.
    pub(crate) fn check_section(&self, name: &str) -> Result<(), String> {
        if self.is_section(name) {
            return Ok(());
        }
        if self.find(name).is_some() {
            return Err(format!("`{name}` is a key, not a section"));
        }
        let hint = did_you_mean(name, self.keys.iter().filter_map(|key| section(&key.name)));
        Err(format!("unknown section `{name}`{hint}"))
    }
}

/// The settings of a layer, split by whether their keys exist.
#[derive(Default)]
pub(crate) struct Checked {
    /// Settings with the types of their keys.
    pub(crate) accepted: Vec<Setting>,
    /// Settings of retired keys.
    pub(crate) retired: Vec<Setting>,
}

/// `configs/base.toml`: every setting with its documentation and default.
#[must_use]
pub fn base_toml() -> String {
    let mut text = String::from(
        "# All settings of Crownhead with their defaults.\n#\n# This file is generated from the \
         declarations in the program: crownhead config base prints it.\n# Other files in this \
         folder only hold differences. To see the settings of a run, with the source of\n# each \
         value: crownhead config show VARIANT [--preset NAME] [--set key=value].\n\n",
    );
    let mut current = None;
    for key in SCHEMA.keys() {
        if section(&key.name) != current {
            current = section(&key.name);
            text.push_str(&format!("\n[{}]\n", current.unwrap_or_default()));
        }
        for line in key.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        let name = key.name.rsplit('.').next().unwrap_or_default();
        text.push_str(&format!("{name} = {}\n", key.default));
    }
    text
}

/// Converts `value` to the type of `key`, or explains why it cannot.
pub(super) fn accept(key: &Key, value: Value) -> Result<Value, String> {
    let value = match (to_toml(&key.default), value) {
        (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
        (default, value) if default.same_type(&value) => value,
        (default, value) => {
            let (name, wanted) = (&key.name, article(&default));
            return Err(format!(
                "`{name}` must be {wanted}, not {}: {value}",
                article(&value)
            ));
        }
    };
    let Some(fault) = key.fault(&from_toml(&value)) else {
        return Ok(value);
    };
    let hint = match (&key.domain, &value) {
        (Domain::OneOf(names), Value::String(name)) => did_you_mean(name, names.iter().copied()),
        _ => String::new(),
    };
    Err(fault + &hint)
}

/// Parses the text of a value of `key`: bare words are strings if the key holds a string.
fn read(key: &Key, text: &str) -> Result<Value, String> {
    let default = to_toml(&key.default);
    let value = match parse(text) {
        Some(value) => value,
        None if default.is_str() => Value::String(text.to_owned()),
        None => {
            let (name, wanted) = (&key.name, article(&default));
            return Err(format!("`{name}` must be {wanted}, not {text:?}"));
        }
    };
    accept(key, value)
}

/// Parses a text as a TOML value, if it is one.
fn parse(text: &str) -> Option<Value> {
    let layer = Layer::parse("--set", &format!("value = {text}"));
    let mut settings = layer.ok()?.settings;
    (settings.len() == 1).then(|| settings.swap_remove(0).value)
}

/// A default as TOML.
fn to_toml(value: &settings::Value) -> Value {
    match value {
        settings::Value::Bool(value) => Value::Boolean(*value),
        settings::Value::Integer(number) => Value::Integer(*number),
        settings::Value::Float(number) => Value::Float(*number),
        settings::Value::Text(text) => Value::String(text.clone()),
    }
}

/// Converts a value to one of the types of settings.
pub(crate) fn from_toml(value: &Value) -> settings::Value {
    match value {
        Value::Boolean(value) => settings::Value::Bool(*value),
        Value::Integer(number) => settings::Value::Integer(*number),
        Value::Float(number) => settings::Value::Float(*number),
        Value::String(text) => settings::Value::Text(text.clone()),
        other => settings::Value::Text(other.to_string()),
    }
}

/// The section of a full key name; `None` for top-level keys.
fn section(name: &str) -> Option<&str> {
    name.split_once('.').map(|(section, _)| section)
}

/// A value's type with its article.
fn article(value: &Value) -> String {
    let name = value.type_str();
    let article = if name.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;

    settings::settings! {
        /// A part.
        pub struct Part {
            /// A share.
            share: f64 = 0.25, range(0, 0.5);
            /// A kind.
            kind: String = "one".to_owned(), one_of(&["one", "two"]);
        }
    }

    settings::settings! {
        /// All.
        pub struct All {
            /// A count.
            count: u32 = 3, range(1, 8);
        }
        sections {
            /// A part.
            part: Part,
        }
    }

    fn schema() -> Schema {
        Schema { keys: All::keys() }
    }

    #[test]
    fn the_base_file_follows_from_the_declarations() {
        let file = embedded::text(embedded::BASE).unwrap();
        for (number, (found, expected)) in file.lines().zip(base_toml().lines()).enumerate() {
            assert_eq!(
                found,
                expected,
                "line {}: print the file with crownhead config base",
                number + 1
            );
        }
        assert_eq!(file.len(), base_toml().len());
    }

    #[test]
    fn values_are_checked_and_the_message_says_how_to_mend_them() {
        let schema = schema();
        let read = |name: &str, text: &str| schema.read(name, text);
        let fault = |name: &str, text: &str| read(name, text).unwrap_err();
        assert_eq!(fault("count", "9"), "`count` is 9, not 1 to 8");
        assert_eq!(
            fault("count", "many"),
            "`count` must be an integer, not \"many\""
        );
        assert_eq!(
            fault("count", "1.5"),
            "`count` must be an integer, not a float: 1.5"
        );
        assert_eq!(
            fault("part.kind", "xyz"),
            "`part.kind` is \"xyz\", not one of one, two"
        );
        assert_eq!(
            fault("part.kind", "tow"),
            "`part.kind` is \"tow\", not one of one, two (did you mean `two`?)"
        );
        assert_eq!(
            fault("part.share", "nan"),
            "`part.share` is NaN, not 0 to 0.5"
        );
        assert_eq!(read("part.share", "0"), Ok(Value::Float(0.0)));
        assert_eq!(
            read("part.kind", "two"),
            Ok(Value::String("two".to_owned()))
        );
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let schema = schema();
        let fault = |name: &str| schema.key(name).err().unwrap();
        assert_eq!(
            fault("part.knid"),
            "unknown key `part.knid` (did you mean `part.kind`?)"
        );
        assert_eq!(fault("part"), "`part` is a section, not a key");
        assert_eq!(fault("zzz"), "unknown key `zzz`");
        assert_eq!(
            schema.check_section("prat").unwrap_err(),
            "unknown section `prat` (did you mean `part`?)"
        );
        assert_eq!(
            schema.check_section("count").unwrap_err(),
            "`count` is a key, not a section"
        );
    }

    #[test]
    fn every_number_and_name_has_a_range_and_a_default_within_it() {
        for key in SCHEMA.keys() {
            let default = to_toml(&key.default);
            assert!(
                default.is_bool() || key.domain != Domain::Any,
                "{} states no range",
                key.name
            );
            assert!(!key.doc.trim().is_empty(), "{} says nothing", key.name);
            assert!(
                accept(key, default).is_ok(),
                "{}'s default is out",
                key.name
            );
        }
    }
}
