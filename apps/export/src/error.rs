//! Errors of exports.

use endgame::EndgameError;
use model::ModelError;
use roster::{EvaluationError, RequestError, RosterError};
use run::RunError;
use store::StoreError;

/// The result of everything that this crate does.
pub type Result<T, E = ExportError> = std::result::Result<T, E>;

/// Errors of exports. Messages are whole statements.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The agent cannot be read.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The run of the agent cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The request makes no sense.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The disk refuses, or a file is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The network cannot be written in a format.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The evaluation cannot be written.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// An endgame database cannot be used.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// Something is missing. The message says how to get it.
    #[error("{0}")]
    Missing(String),
    /// Something failed within something larger.
    #[error("{what}: {source}")]
    Within {
        /// The larger thing that failed, as a statement.
        what: String,
        /// The cause.
        source: Box<ExportError>,
    },
}

impl ExportError {
    /// Returns `true` if the request makes no sense; nothing has been tried then.
    #[must_use]
    pub fn is_request(&self) -> bool {
        match self {
            Self::Request(_) => true,
            Self::Roster(error) => error.is_request(),
            Self::Run(error) => error.is_request(),
            Self::Within { source, .. } => source.is_request(),
            _ => false,
        }
    }
}

/// Names the larger thing that failed.
pub(crate) trait Within<T> {
    /// Puts `what`, a statement, in front of the error's message.
    fn within(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<ExportError>> Within<T> for std::result::Result<T, E> {
    fn within(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| ExportError::Within {
            what: what(),
            source: Box::new(error.into()),
        })
    }
}
