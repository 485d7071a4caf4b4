//! The keys that exist, read from `configs/base.toml`: type from the value, range from the comment.

use std::fmt;
use std::sync::LazyLock;

use toml::Value;

use super::embedded;
use super::error::nearest;
use super::layer::Layer;

/// The schema of every configuration.
pub(crate) static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let text = embedded::text(embedded::BASE).expect("configs/base.toml is embedded");
    Schema::parse(text)
});

/// All keys, in the order of `configs/base.toml`.
pub(crate) struct Schema {
    keys: Vec<Key>,
}

/// One key of the configuration.
pub(crate) struct Key {
    /// Its full name, such as `search.simulations`.
    pub(crate) name: String,
    /// The value in the base, whose type every other value must have.
    pub(crate) default: Value,
    /// The comment above it: what it means and which values it may have.
    pub(crate) comment: String,
    domain: Domain,
}

/// The values a key may have.
#[derive(Debug, PartialEq)]
enum Domain {
    Any,
    Range { low: f64, high: f64 },
    OneOf(Vec<String>),
}

impl Schema {
    /// Reads the documented base file.
    fn parse(text: &str) -> Schema {
        let layer = Layer::parse("configs/base.toml", text).expect("configs/base.toml is valid");
        let keys = layer.entries.into_iter().map(|entry| {
            let comment = comment_above(text, entry.origin.line.unwrap_or(1));
            Key {
                name: entry.key,
                default: entry.value,
                domain: Domain::parse(&comment),
                comment,
            }
        });
        Schema {
            keys: keys.collect(),
        }
    }

    /// All keys in the order of the base file.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    /// The key of that name, or an explanation with the nearest one.
    pub(crate) fn key(&self, name: &str) -> Result<&Key, String> {
        self.keys
            .iter()
            .find(|key| key.name == name)
            .ok_or_else(|| {
                let is_section = self.keys.iter().any(|key| section(&key.name) == Some(name));
                if is_section {
                    return format!("`{name}` is a section, not a key");
                }
                let known = self.keys.iter().map(|key| key.name.as_str());
                format!("unknown key `{name}`{}", nearest(name, known))
            })
    }

    /// The key of that name, or the keys of the section of that name.
    pub(crate) fn key_or_section(&self, name: &str) -> Result<Vec<&Key>, String> {
        let is_meant = |key: &&Key| section(&key.name) == Some(name);
        let keys: Vec<&Key> = self.keys().filter(is_meant).collect();
        if keys.is_empty() {
            Ok(vec![self.key(name)?])
        } else {
            Ok(keys)
        }
    }

    /// Explains why `name` cannot be a table, unless it is a section.
    pub(crate) fn check_section(&self, name: &str) -> Result<(), String> {
        let mut sections = self.keys.iter().filter_map(|key| section(&key.name));
        if sections.clone().any(|section| section == name) {
            return Ok(());
        }
        if self.keys.iter().any(|key| key.name == name) {
            return Err(format!("`{name}` is a key, not a section"));
        }
        let hint = nearest(name, &mut sections);
        Err(format!("unknown section `{name}`{hint}"))
    }
}

impl Key {
    /// `value` with the type of this key, or what is wrong with it.
    pub(crate) fn accept(&self, value: Value) -> Result<Value, String> {
        let value = match (&self.default, value) {
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            (default, value) if default.same_type(&value) => value,
            (default, value) => {
                let (name, wanted) = (&self.name, article(default));
                return Err(format!(
                    "`{name}` must be {wanted}, not {}: {value}",
                    article(&value)
                ));
            }
        };
        if self.domain.contains(&value) {
            return Ok(value);
        }
        let hint = match (&self.domain, &value) {
            (Domain::OneOf(names), Value::String(name)) => {
                nearest(name, names.iter().map(String::as_str))
            }
            _ => String::new(),
        };
        Err(format!(
            "`{}` is {value}, not {}{hint}",
            self.name, self.domain
        ))
    }

    /// The value of `--set key=text`: bare words are strings where the key holds a string.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        let value = match Layer::parse("--set", &format!("value = {text}")) {
            Ok(mut layer) if layer.entries.len() == 1 => layer.entries.swap_remove(0).value,
            _ if self.default.is_str() => Value::String(text.to_owned()),
            _ => {
                let (name, wanted) = (&self.name, article(&self.default));
                return Err(format!("`{name}` must be {wanted}, not {text:?}"));
            }
        };
        self.accept(value)
    }
}

impl Domain {
    /// Finds `Range: A to B.`, `Range: A or more.` or `One of: a, b.` in a comment.
    fn parse(comment: &str) -> Domain {
        if let Some(names) = statement(comment, "One of: ") {
            return Domain::OneOf(names.split(", ").map(str::to_owned).collect());
        }
        let Some(range) = statement(comment, "Range: ") else {
            return Domain::Any;
        };
        let number = |text: &str| {
            text.parse()
                .expect("bounds in configs/base.toml are numbers")
        };
        match range.split_once(" to ") {
            Some((low, high)) => Domain::Range {
                low: number(low),
                high: number(high),
            },
            None => {
                let low = range
                    .strip_suffix(" or more")
                    .expect("a range is `A to B` or `A or more`");
                Domain::Range {
                    low: number(low),
                    high: f64::INFINITY,
                }
            }
        }
    }

    fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Domain::Range { low, high }, Value::Integer(number)) => {
                (*low..=*high).contains(&(*number as f64))
            }
            (Domain::Range { low, high }, Value::Float(number)) => (*low..=*high).contains(number),
            (Domain::OneOf(names), Value::String(name)) => names.contains(name),
            _ => true,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Any => f.write_str("anything"),
            Domain::Range { low, high } if high.is_infinite() => write!(f, "{low} or more"),
            Domain::Range { low, high } => write!(f, "{low} to {high}"),
            Domain::OneOf(names) => write!(f, "one of {}", names.join(", ")),
        }
    }
}

/// The section of a full key name; none for keys at the top.
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

/// The comment lines directly above `line` (from 1), joined by spaces.
fn comment_above(text: &str, line: usize) -> String {
    let lines: Vec<&str> = text.lines().take(line - 1).collect();
    let n_comment = lines
        .iter()
        .rev()
        .take_while(|line| line.starts_with('#'))
        .count();
    let comment = lines[lines.len() - n_comment..].iter();
    comment
        .map(|line| line.trim_start_matches(['#', ' ']))
        .collect::<Vec<_>>()
        .join(" ")
}

/// What follows `label` up to the end of its sentence.
fn statement<'a>(comment: &'a str, label: &str) -> Option<&'a str> {
    let rest = &comment[comment.find(label)? + label.len()..];
    let end = rest.find(". ").unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# A count. Range: 1 to 8.
count = 3

[part]
# A share. Range: 0 to 0.5. The paper has 0.25.
share = 0.25
# A
# kind. One of: one, two.
kind = \"one\"
# Open. Range: 0 or more.
open = 0
";

    #[test]
    fn ranges_come_from_the_comments() {
        let schema = Schema::parse(TEXT);
        let domains: Vec<&Domain> = schema.keys().map(|key| &key.domain).collect();
        let one_of = Domain::OneOf(vec!["one".to_owned(), "two".to_owned()]);
        let open = Domain::Range {
            low: 0.0,
            high: f64::INFINITY,
        };
        let (eight, half) = (
            Domain::Range {
                low: 1.0,
                high: 8.0,
            },
            Domain::Range {
                low: 0.0,
                high: 0.5,
            },
        );
        assert_eq!(domains, [&eight, &half, &one_of, &open]);
    }

    #[test]
    fn values_are_checked_and_the_message_says_how_to_mend_them() {
        let schema = Schema::parse(TEXT);
        let fault = |name: &str, text: &str| schema.key(name).unwrap().read(text).unwrap_err();
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
            fault("part.kind", "on"),
            "`part.kind` is \"on\", not one of one, two (did you mean `one`?)"
        );
        assert_eq!(
            fault("part.share", "nan"),
            "`part.share` is nan, not 0 to 0.5"
        );
        assert_eq!(
            schema.key("part.share").unwrap().read("0"),
            Ok(Value::Float(0.0))
        );
        assert_eq!(
            schema.key("part.kind").unwrap().read("two"),
            Ok(Value::String("two".to_owned()))
        );
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let schema = Schema::parse(TEXT);
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
    fn every_number_and_name_in_the_base_has_a_range_and_a_comment() {
        for key in SCHEMA.keys() {
            let free = key.default.is_bool() || key.default.is_array();
            assert!(
                free || key.domain != Domain::Any,
                "{} states no range",
                key.name
            );
            assert!(
                key.accept(key.default.clone()).is_ok(),
                "{}'s own value is out",
                key.name
            );
        }
    }
}
