//! One layer: a TOML file flattened to keys and values, each with its line.

use std::fmt;

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::limits::MAX_KEYS;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// A file name, or the option that gave the value.
    pub name: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The full name, such as `search.simulations`.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: Value,
    /// Its place in a file, or its option.
    pub(crate) origin: Origin,
}

/// One file of settings.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The layer below this one, if it names one.
    pub(crate) extends: Option<String>,
    /// Keys and values in the order of the file.
    pub(crate) entries: Vec<Entry>,
    /// Tables that occur, which must be sections.
    pub(crate) tables: Vec<(String, Origin)>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Origin {
    /// An option of the command line.
    pub(crate) fn option(name: &str) -> Origin {
        Origin {
            name: name.to_owned(),
            line: None,
        }
    }
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
            entries: Vec::new(),
            tables: Vec::new(),
        };
        flattener.flatten("", spans.get_ref(), &values);
        if flattener.n_found() > MAX_KEYS {
            return Err(ConfigError::TooManyKeys(name.to_owned()));
        }
        let Flattener {
            mut entries,
            tables,
            ..
        } = flattener;
        entries.sort_by_key(|entry| entry.origin.line);
        let extends = match entries.iter().position(|entry| entry.key == "extends") {
            None => None,
            Some(index) => match entries.remove(index) {
                Entry {
                    value: Value::String(below),
                    ..
                } => Some(below),
                Entry { origin, .. } => {
                    let fault = format!("{origin}: `extends` must be a string");
                    return Err(ConfigError::Faults(vec![fault]));
                }
            },
        };
        Ok(Layer {
            extends,
            entries,
            tables,
        })
    }

    /// Removes a key, or a table and everything in it.
    pub(crate) fn remove(&mut self, name: &str) {
        let is_below = |key: &str| {
            key.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.entries.retain(|entry| !is_below(&entry.key));
        self.tables.retain(|(table, _)| !is_below(table));
    }
}

struct Flattener<'a> {
    name: &'a str,
    text: &'a str,
    entries: Vec<Entry>,
    tables: Vec<(String, Origin)>,
}

impl Flattener<'_> {
    /// Walks the table with spans and the one with values in parallel.
    fn flatten(&mut self, prefix: &str, spans: &DeTable<'_>, values: &toml::Table) {
        for (key, span) in spans {
            if self.n_found() > MAX_KEYS {
                return;
            }
            let full = format!("{prefix}{}", key.get_ref());
            let origin = self.origin_at(key.span().start);
            match (span.get_ref(), &values[key.get_ref().as_ref()]) {
                (DeValue::Table(spans), Value::Table(values)) => {
                    self.tables.push((full.clone(), origin));
                    self.flatten(&format!("{full}."), spans, values);
                }
                (_, value) => {
                    self.entries.push(Entry {
                        key: full,
                        value: value.clone(),
                        origin,
                    });
                }
            }
        }
    }

    fn n_found(&self) -> usize {
        self.entries.len() + self.tables.len()
    }

    fn origin_at(&self, byte: usize) -> Origin {
        let line = self.text[..byte].matches('\n').count() + 1;
        Origin {
            name: self.name.to_owned(),
            line: Some(line),
        }
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
            .entries
            .iter()
            .map(|entry| format!("{} {}", entry.origin, entry.key))
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
