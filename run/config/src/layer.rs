//! One layer: a TOML file flattened to settings, each with its line.

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::limits::MAX_KEYS;
use super::resolve::{Asked, Setting};

/// One file of settings.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The layer below this one, if it names one.
    pub(crate) extends: Option<String>,
    /// The settings in the order of the file.
    pub(crate) settings: Vec<Setting>,
    /// Tables that occur, which must be sections, with their places in the file.
    pub(crate) tables: Vec<(String, String)>,
}

impl Layer {
    /// Parses `text`; `name` is used in messages.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Layer, ConfigError> {
        let syntax = |error: toml::de::Error| ConfigError::Syntax {
            name: name.to_owned(),
            message: error.to_string(),
        };
        let values: toml::Table = toml::from_str(text).map_err(syntax)?;
        let spans = DeTable::parse(text).map_err(syntax)?;
        let mut flattener = Flattener {
            name,
            text,
            settings: Vec::new(),
            tables: Vec::new(),
        };
        flattener.flatten("", spans.get_ref(), &values);
        if flattener.n_found() > MAX_KEYS {
            return Err(ConfigError::TooManyKeys(name.to_owned()));
        }
        flattener.settings.sort_by_key(|(line, _)| *line);
        let settings = flattener.settings.into_iter();
        let mut layer = Layer {
            extends: None,
            settings: settings.map(|(_, setting)| setting).collect(),
            tables: flattener.tables,
        };
        if let Some(Setting { value, origin, .. }) = layer.take("extends") {
            let Value::String(below) = value else {
                let fault = format!("{origin}: `extends` must be a string");
                return Err(ConfigError::Faults(vec![fault]));
            };
            layer.extends = Some(below);
        }
        Ok(layer)
    }

    /// Removes and returns the setting of a key, if there is one.
    pub(crate) fn take(&mut self, key: &str) -> Option<Setting> {
        let mut settings = self.settings.iter();
        let index = settings.position(|setting| setting.key == key)?;
        Some(self.settings.remove(index))
    }

    /// Removes a key, or a table and everything in it.
    pub(crate) fn remove(&mut self, name: &str) {
        let is_below = |key: &str| {
            key.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.settings.retain(|setting| !is_below(&setting.key));
        self.tables.retain(|(table, _)| !is_below(table));
    }
}

struct Flattener<'a> {
    name: &'a str,
    text: &'a str,
    /// Each with its line.
    settings: Vec<(usize, Setting)>,
    tables: Vec<(String, String)>,
}

impl Flattener<'_> {
    /// Walks the table with spans and the one with values in parallel.
    fn flatten(&mut self, prefix: &str, spans: &DeTable<'_>, values: &toml::Table) {
        for (key, span) in spans {
            if self.n_found() > MAX_KEYS {
                return;
            }
            let full = format!("{prefix}{}", key.get_ref());
            let line = self.text[..key.span().start].matches('\n').count() + 1;
            let origin = format!("{}:{line}", self.name);
            match (span.get_ref(), &values[key.get_ref().as_ref()]) {
                (DeValue::Table(spans), Value::Table(values)) => {
                    self.tables.push((full.clone(), origin));
                    self.flatten(&format!("{full}."), spans, values);
                }
                (_, value) => {
                    let setting = Setting {
                        key: full,
                        value: value.clone(),
                        origin,
                        asked: Asked::No,
                    };
                    self.settings.push((line, setting));
                }
            }
        }
    }

    fn n_found(&self) -> usize {
        self.settings.len() + self.tables.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_lines() {
        let text = "extends = \"small\"\na = 1\n\n[b]\nc = [\n  1,\n]\nd.e = 2\n";
        let layer = Layer::parse("my.toml", text).unwrap();
        let found: Vec<String> = layer
            .settings
            .iter()
            .map(|setting| format!("{} {}", setting.origin, setting.key))
            .collect();
        assert_eq!(found, ["my.toml:2 a", "my.toml:5 b.c", "my.toml:8 b.d.e"]);
        assert_eq!(layer.extends.as_deref(), Some("small"));
    }

    #[test]
    fn a_syntax_error_shows_the_line() {
        let error = Layer::parse("my.toml", "a = 1\nb =\n")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("my.toml is not valid TOML: ") && error.contains("line 2"),
            "{error}"
        );
    }
}
