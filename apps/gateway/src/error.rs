//! Errors of volunteers and their file.

use std::io;

/// Error in inviting or reading volunteers.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A volunteer cannot be invited: the reason, and the remedy.
    #[error("{0}")]
    Volunteer(String),
    /// The file of volunteers cannot be read or written.
    #[error("failed to {what} {file}, the file of volunteers that crownhead-gateway invite writes")]
    File {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// A line of the file is invalid.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The fault.
        reason: String,
    },
}
