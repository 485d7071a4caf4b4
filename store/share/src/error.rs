//! Errors of this crate.

use store::RunId;

use crate::ObjectError;

/// Error in leading or joining a fleet.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The place cannot be used as a share.
    #[error("{url} cannot be shared: {reason}")]
    Place {
        /// The URL that was given.
        url: String,
        /// The reason.
        reason: String,
    },
    /// Error of one of its objects.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// There is no fleet.
    #[error(
        "there is no fleet in {url}: start one with crownhead train VARIANT --fleet {}",
        types::shell_word(url)
    )]
    None {
        /// The place.
        url: String,
    },
    /// Malformed document.
    #[error("{name} is damaged: {reason}")]
    Document {
        /// The object.
        name: String,
        /// The fault.
        reason: String,
    },
    /// The fleet uses another version of the protocol or of the rules. The message says which.
    #[error("{0}")]
    OtherVersion(String),
    /// The share belongs to another run.
    #[error("the fleet belongs to run {found}, not to {expected}: use another place for each run")]
    OtherRun {
        /// The run it belongs to.
        found: RunId,
        /// The expected run.
        expected: RunId,
    },
    /// Another process leads the fleet.
    #[error(
        "the fleet in {url} is led by {holder}: stop it first, or use another place for each run"
    )]
    Led {
        /// The place.
        url: String,
        /// The process and its host.
        holder: String,
    },
    /// This machine plays different games from the fleet.
    #[error(
        "game {game} of the handshake differs on this machine: found {found}, expected {expected}. \
         It cannot play for this fleet: all machines need equivalent versions of crownhead and \
         processors with FMA or NEON"
    )]
    OtherGames {
        /// Index of the first game that differs.
        game: usize,
        /// Hash of this machine's game.
        found: String,
        /// Hash of the fleet's game.
        expected: String,
    },
}
