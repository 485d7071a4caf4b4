//! Errors of this crate.

use std::error::Error;
use std::path::PathBuf;

use endgame::EndgameError;
use eval::EvalError;
use fleet::FleetError;

use model::ModelError;
use ratings::RatingError;
use roster::{EvaluationError, RosterError};
use run::RunError;
use run::config::{ConfigError, RunFileError};
use search::EvaluatorError;
use selfplay::SelfplayError;
use store::StoreError;
use trainer::TrainError;

pub use roster::RequestError;

/// Result type of this crate.
pub type Result<T, E = LabError> = std::result::Result<T, E>;

/// Error of this crate. Messages are complete statements.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A run failed, or cannot be opened.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A player cannot be used.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The request makes no sense.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The disk refuses, or a file is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A match or tournament failed.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// An endgame database cannot be made or used.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// Machines that play together failed.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The state of a distillation cannot be used.
    #[error(transparent)]
    Distill(#[from] distill::StateError),
    /// A table for other programs cannot be written.
    #[error("failed to write {}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Threads cannot be started.
    #[error("failed to start threads: {source}")]
    Threads {
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Something is missing. The message says how to get it.
    #[error("{0}")]
    Missing(String),
    /// A failure with its context.
    #[error("{what}: {source}")]
    Within {
        /// The operation that failed, as a statement.
        what: String,
        /// The cause.
        source: Box<LabError>,
    },
}

/// Converts errors of lower crates as a run does.
macro_rules! as_of_runs {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for LabError {
            fn from(error: $error) -> LabError {
                LabError::Run(error.into())
            }
        })+
    };
}

as_of_runs!(
    ConfigError,
    RunFileError,
    ModelError,
    TrainError,
    SelfplayError,
    EvaluatorError,
    RatingError,
    EvaluationError,
);

impl LabError {
    /// Returns `true` if the request was invalid and nothing has been tried.
    #[must_use]
    pub fn is_request(&self) -> bool {
        match self {
            Self::Run(error) => error.is_request(),
            Self::Roster(error) => error.is_request(),
            Self::Fleet(error) => error.is_request(),
            Self::Request(_) => true,
            Self::Eval(error) => matches!(
                error,
                EvalError::OtherTerms { .. } | EvalError::NamedTwice { .. }
            ),
            Self::Within { source, .. } => source.is_request(),
            _ => false,
        }
    }
}

/// Adds context to errors.
pub(crate) trait Within<T> {
    /// Puts `what`, a statement, in front of the error's message.
    fn within(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<LabError>> Within<T> for std::result::Result<T, E> {
    fn within(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| LabError::Within {
            what: what(),
            source: Box::new(error.into()),
        })
    }
}
