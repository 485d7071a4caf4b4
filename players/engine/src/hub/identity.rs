//! The identity of an engine, and the versions of the protocol.

use rules::Variant;

use super::frame::Frame;

/// The description that an engine gives of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, without `=`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The variants it plays, at least one; the first is the default.
    pub variants: Vec<Variant>,
    /// The default frame of positions.
    pub frame: Frame,
}

/// A version of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// That of Scan 2.0 and JoclyBoard.
    One,
    /// That of Scan 3.
    Two,
}

impl Version {
    /// The prefix of players that are engines of this version: `hub1:COMMAND` or `hub:COMMAND`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Version::One => "hub1",
            Version::Two => "hub",
        }
    }
}
