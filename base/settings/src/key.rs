//! The description of a setting.

use std::fmt;

use serde::Serialize;

/// A setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its full name, such as `search.simulations`.
    pub name: String,
    /// The declared value.
    pub default: Value,
    /// Its meaning, as lines of text.
    pub doc: &'static str,
    /// The permitted values.
    pub domain: Domain,
    /// The rule for changes during a run.
    pub change: Change,
    /// The value in runs older than the setting, if it differs from the default.
    pub formerly: Option<Value>,
}

/// The rule for changes of a setting during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Never.
    Never,
    /// From the next generation on; recorded in the run.
    NextGeneration,
    /// At any time, since results do not depend on it.
    Anytime,
}

/// A value of any type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any number.
    Float(f64),
    /// One or more words.
    Text(String),
}

/// The permitted values of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// All values of its type.
    Any,
    /// Numbers between two inclusive bounds.
    Range {
        /// The lower bound.
        low: f64,
        /// The upper bound; infinite if there is none.
        high: f64,
    },
    /// One of these names.
    OneOf(&'static [&'static str]),
}

/// Types of settings, converted to a [`Value`].
pub trait ToValue {
    /// Converts to a value of any type.
    fn to_value(&self) -> Value;
}

macro_rules! integers {
    ($($type:ty),*) => {
        $(impl ToValue for $type {
            fn to_value(&self) -> Value {
                Value::Integer(*self as i64)
            }
        })*
    };
}

integers!(u32, u64, usize);

impl ToValue for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ToValue for f64 {
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

impl ToValue for f32 {
    fn to_value(&self) -> Value {
        // The shortest decimal: 0.1, not 0.10000000149.
        Value::Float(
            self.to_string()
                .parse()
                .unwrap_or_else(|_| f64::from(*self)),
        )
    }
}

impl ToValue for &str {
    fn to_value(&self) -> Value {
        Value::Text((*self).to_owned())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Key {
    /// A setting without a restricted domain that never changes in a run.
    #[must_use]
    pub fn new(name: &str, default: &impl ToValue, doc: &'static str) -> Key {
        Key {
            name: name.to_owned(),
            default: default.to_value(),
            doc,
            domain: Domain::Any,
            change: Change::Never,
            formerly: None,
        }
    }

    /// Restricts it to numbers from `low` to `high`, which may be infinite.
    #[must_use]
    pub fn range(mut self, low: impl Into<f64>, high: impl Into<f64>) -> Key {
        let (low, high) = (low.into(), high.into());
        self.domain = Domain::Range { low, high };
        self
    }

    /// Restricts it to one of these names.
    #[must_use]
    pub fn one_of(mut self, names: &'static [&'static str]) -> Key {
        self.domain = Domain::OneOf(names);
        self
    }

    /// Sets the value in runs older than the setting, if it differs from the default.
    #[must_use]
    pub fn formerly(mut self, value: &impl ToValue) -> Key {
        self.formerly = Some(value.to_value());
        self
    }

    /// Permits changes in a run, from the next generation on.
    #[must_use]
    pub fn may_change(mut self) -> Key {
        self.change = Change::NextGeneration;
        self
    }

    /// Permits changes at any time, because results do not depend on the setting.
    #[must_use]
    pub fn free(mut self) -> Key {
        self.change = Change::Anytime;
        self
    }

    /// Moves the key into a section.
    #[must_use]
    pub fn within(mut self, section: &str) -> Key {
        self.name = format!("{section}.{}", self.name);
        self
    }

    /// The fault of a value, if any.
    #[must_use]
    pub fn fault(&self, value: &Value) -> Option<String> {
        (!self.domain.contains(value))
            .then(|| format!("`{}` is {value}, not {}", self.name, self.domain))
    }

    /// The documentation and the permitted values, as lines of text.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let domain = match &self.domain {
            Domain::Any => None,
            Domain::Range { .. } => Some(format!("Range: {}.", self.domain)),
            Domain::OneOf(names) => Some(format!("One of: {}.", names.join(", "))),
        };
        let change = match self.change {
            Change::Never => None,
            Change::NextGeneration => Some("May change in a run, from the next generation on."),
            Change::Anytime => Some("May change at any time."),
        };
        let doc = self.doc.lines().map(|line| line.trim_start().to_owned());
        doc.chain(domain).chain(change.map(str::to_owned))
    }
}

impl Domain {
    /// True if a value belongs to the domain. Values of another type than the domain's are
    /// accepted.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Domain::Range { low, high }, Value::Integer(number)) => {
                (*low..=*high).contains(&(*number as f64))
            }
            (Domain::Range { low, high }, Value::Float(number)) => (*low..=*high).contains(number),
            (Domain::OneOf(names), Value::Text(name)) => names.contains(&name.as_str()),
            _ => true,
        }
    }
}

impl fmt::Display for Value {
    /// Formats the value as in a configuration file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Text(text) => write!(f, "{text:?}"),
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
