//! Errors of fleets.

use config::ConfigError;
use eval::EvalError;
use model::ModelError;
use roster::RosterError;
use run::{RequestError, RunError};
use selfplay::SelfplayError;
use share::{ObjectError, ShareError};
use store::StoreError;
use trainer::TrainError;

/// Result type of this crate.
pub type Result<T, E = FleetError> = std::result::Result<T, E>;

/// Errors of leading a fleet or playing for one. Messages are complete statements.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Error of the run, a player or the disk.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Error of the share, or of data that other machines wrote there.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A game cannot be added to the run.
    #[error("failed to save a game: {0}")]
    Game(#[source] StoreError),
    /// A device of this machine computes different results from its CPU.
    #[error(
        "{device} does not agree with the results of this machine's CPU: {agreement}. It cannot \
            play for this fleet"
    )]
    OtherDevice {
        /// The device.
        device: String,
        /// Comparison of the two.
        agreement: String,
    },
    /// The trainer has repeated a chunk of this machine and got different games.
    #[error(
        "the trainer has excluded this machine: {reason}. Check for defective memory, \
         overclocking, or a different build of crownhead"
    )]
    Excluded {
        /// The first difference.
        reason: String,
    },
    /// The share has been gone for too long.
    #[error(
        "the share has been gone for {minutes} minutes: {reason}. Check that the trainer runs and \
         that the place can be reached, then start the worker again"
    )]
    Gone {
        /// Time that the machine has waited, in minutes.
        minutes: u64,
        /// The last error.
        reason: String,
    },
    /// A machine was excluded after its pairs had been counted in a match.
    #[error("a machine that played for the run was found to play different games")]
    Disbelieved,
    /// Something is missing. The message says how to get it.
    #[error("{0}")]
    Missing(String),
}

impl FleetError {
    /// Distinguishes invalid requests, where nothing was tried, from failures.
    #[must_use]
    pub fn is_request(&self) -> bool {
        matches!(self, Self::Run(error) if error.is_request())
    }
}

impl From<ObjectError> for FleetError {
    fn from(error: ObjectError) -> FleetError {
        FleetError::Share(error.into())
    }
}

impl From<FleetError> for RunError {
    fn from(error: FleetError) -> RunError {
        match error {
            FleetError::Run(error) => error,
            error => RunError::Fleet(Box::new(error)),
        }
    }
}

/// Converts errors of lower crates as a run does.
macro_rules! as_of_runs {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for FleetError {
            fn from(error: $error) -> FleetError {
                FleetError::Run(error.into())
            }
        })+
    };
}

as_of_runs!(
    ConfigError,
    EvalError,
    ModelError,
    RequestError,
    RosterError,
    SelfplayError,
    StoreError,
    TrainError,
);
