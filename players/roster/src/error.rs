//! Errors of players and of their files.

use config::{ConfigError, RunFileError};
use endgame::EndgameError;
use engine::PlayerError;
use eval::EvalError;
use model::ModelError;
use nnue::NetworkError;
use search::EvaluatorError;
use store::StoreError;

/// The result type of this crate.
pub type Result<T, E = RosterError> = std::result::Result<T, E>;

/// An invalid request, such as an unknown player. The message says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RequestError(pub String);

/// Errors of players. Messages are whole statements.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    /// The configuration of a run cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An invalid request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model cannot be read or evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A network failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// A baseline cannot be used.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// An endgame database cannot be used.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// A learned evaluation cannot be used.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Something is missing. The message says how to get it.
    #[error("{0}")]
    Missing(String),
    /// An error with its context.
    #[error("{what}: {source}")]
    Within {
        /// The context, as a statement.
        what: String,
        /// The cause.
        source: Box<RosterError>,
    },
}

/// Errors of learned evaluations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The file cannot be read.
    #[error("{0} (crownhead distill RUN --to DIR makes an evaluation)")]
    Read(#[from] StoreError),
    /// The file is not an evaluation.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The manifest cannot be serialized.
    #[error("failed to write the manifest: {0}")]
    Manifest(#[from] serde_json::Error),
}

impl From<RunFileError> for RosterError {
    fn from(error: RunFileError) -> RosterError {
        match error {
            RunFileError::Config(error) => error.into(),
            RunFileError::Store(error) => error.into(),
        }
    }
}

impl RosterError {
    /// Returns `true` if the request was invalid and nothing was attempted.
    #[must_use]
    pub fn is_request(&self) -> bool {
        match self {
            Self::Config(_) | Self::Request(_) => true,
            Self::Within { source, .. } => source.is_request(),
            _ => false,
        }
    }
}

/// Adds context to errors.
pub(crate) trait Within<T> {
    /// Prepends `what`, a statement, to the error's message.
    fn within(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<RosterError>> Within<T> for std::result::Result<T, E> {
    fn within(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| RosterError::Within {
            what: what(),
            source: Box::new(error.into()),
        })
    }
}
