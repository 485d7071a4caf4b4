//! Errors in records.

use std::fmt::Display;

/// The fault of an invalid record, or of the segment that it was read from. Plies are counted from
/// 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(String);

impl RecordError {
    /// A fault, as a statement.
    pub(crate) fn new(fault: impl Display) -> RecordError {
        RecordError(fault.to_string())
    }

    /// Bytes that end too early.
    pub(super) fn truncated(inside: &str) -> RecordError {
        RecordError(format!("the bytes end inside {inside}"))
    }

    /// A game with more plies than a record holds.
    pub(super) fn too_long(n_plies: impl Display) -> RecordError {
        let most = u16::MAX;
        RecordError(format!(
            "the game has {n_plies} plies: a record holds at most {most}"
        ))
    }

    /// A game of another variant than the segment that it is in.
    pub(crate) fn other_variant(found: impl Display, expected: impl Display) -> RecordError {
        RecordError(format!("this is a game of {found}, not of {expected}"))
    }
}
