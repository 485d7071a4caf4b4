//! The identity of an engine, and protocol versions.

use std::ops::RangeInclusive;

use rules::Variant;

use super::frame::Frame;

/// The description that an engine sends of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, without `=`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The variants that it plays, at least one; the first is the default.
    pub variants: Vec<Variant>,
    /// The default frame.
    pub frame: Frame,
    /// The options of the analyzer that clients can set.
    pub parameters: Vec<Parameter>,
}

/// A parameter: an option of the analyzer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, for [`set_option`](crate::Analyzer::set_option).
    pub name: &'static str,
    /// Its first value.
    pub value: String,
    /// Its values, if they are whole numbers; `None` for any text.
    pub range: Option<RangeInclusive<u32>>,
}

/// A protocol version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// The version of Scan 2.0 and JoclyBoard.
    One,
    /// The version of Scan 3.
    Two,
}

impl Version {
    /// The prefix of players for engines of this version: `hub1:COMMAND` or `hub:COMMAND`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Version::One => "hub1",
            Version::Two => "hub",
        }
    }
}
