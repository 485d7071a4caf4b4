//! Errors of this crate.

use std::io;

use rules::Variant;
use store::RunId;

use crate::ObjectError;

/// Why a fleet cannot be led or joined.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The share itself.
    #[error("{url} cannot be shared: {reason}")]
    Place {
        /// The URL that was given.
        url: String,
        /// Why not.
        reason: String,
    },
    /// An object of it.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// Nobody leads a run there.
    #[error("there is no fleet in {url}: begin one with crownhead train VARIANT --fleet {url}")]
    None {
        /// The place.
        url: String,
    },
    /// A document that is none.
    #[error("{name} is damaged: {reason}")]
    Document {
        /// The object.
        name: String,
        /// The fault.
        reason: String,
    },
    /// A volunteer cannot be invited.
    #[error("{reason}")]
    Volunteer {
        /// Why not, and what to do.
        reason: String,
    },
    /// The file of volunteers cannot be read or written.
    #[error("failed to {what} {file}, the file of volunteers that crownhead fleet invite writes")]
    Volunteers {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        file: String,
        /// Why not.
        source: io::Error,
    },
    /// Another version of the protocol.
    #[error(
        "the fleet speaks version {found} of the protocol, this program version {known}: use the same \
         version of crownhead on all machines"
    )]
    OtherProtocol {
        /// The fleet's.
        found: u32,
        /// This program's.
        known: u32,
    },
    /// Other rules.
    #[error("the fleet plays {variant} by rules version {found}, this program by {known}")]
    OtherRules {
        /// The game.
        variant: Variant,
        /// The fleet's.
        found: u32,
        /// This program's.
        known: u32,
    },
    /// The share is another run's.
    #[error(
        "the fleet belongs to run {found}, not to {expected}: give each run a place of its own"
    )]
    OtherRun {
        /// The run that it belongs to.
        found: RunId,
        /// The run that was expected.
        expected: RunId,
    },
    /// This machine plays other games than the fleet.
    #[error(
        "game {game} of the handshake comes out different on this machine: found {found}, expected \
         {expected}. It cannot play for this fleet: all need crownhead of the same behaviour and x86-64 \
         processors with FMA"
    )]
    OtherGames {
        /// The first one that differs, from 0.
        game: usize,
        /// The hash of the game that this machine played.
        found: String,
        /// The hash of the fleet's game.
        expected: String,
    },
}

impl ShareError {
    /// Tells requests that make no sense, so that nothing was tried, from failures.
    pub fn is_request(&self) -> bool {
        matches!(self, Self::Volunteer { .. })
    }
}
