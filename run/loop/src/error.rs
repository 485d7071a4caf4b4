//! Errors of a run.

use std::error::Error;
use std::iter;
use std::path::{Path, PathBuf};

use endgame::EndgameError;
use eval::EvalError;
use model::ModelError;
use ratings::RatingError;
use search::EvaluatorError;
use selfplay::SelfplayError;
use store::StoreError;
use trainer::TrainError;

use config::{ConfigError, RunFileError};
use roster::{EvaluationError, RosterError};

pub use roster::RequestError;

/// Result type of this crate.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

/// Error of a run, a model or a player. Messages are complete statements.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Invalid configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Invalid request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// File system error or damaged file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Model error.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Training error.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Self-play error.
    #[error("self-play failed: {0}")]
    Selfplay(#[from] SelfplayError),
    /// Evaluator error.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Match or tournament error.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// Rating error.
    #[error(transparent)]
    Rating(#[from] RatingError),
    /// Endgame database error.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// Error in training a learned evaluation.
    #[error(transparent)]
    Distill(#[from] distill::StateError),
    /// Learned evaluation error.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Player error.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// Error of the machines that play for a run.
    #[error("{0}")]
    Fleet(#[source] Box<dyn Error + Send + Sync>),
    /// Something required is missing. The message says how to get it.
    #[error("{0}")]
    Missing(String),
    /// Threads could not be started.
    #[error("failed to start threads: {source}")]
    Threads {
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A run cannot be opened.
    #[error(
        "{source}. Nothing was changed. `crownhead check {run}` lists the faults, \
         `crownhead repair {run}` repairs what can be repaired",
        run = types::shell_word(&path.to_string_lossy())
    )]
    Opening {
        /// The run.
        path: PathBuf,
        /// The cause.
        source: Box<RunError>,
    },
    /// A failure with its context.
    #[error("{what}: {source}")]
    Within {
        /// The operation that failed, as a statement.
        what: String,
        /// The cause.
        source: Box<RunError>,
    },
}

impl From<RunFileError> for RunError {
    fn from(error: RunFileError) -> RunError {
        match error {
            RunFileError::Config(error) => error.into(),
            RunFileError::Store(error) => error.into(),
        }
    }
}

impl RunError {
    /// Wraps this error as a failure to open the run in `path`, unless the run itself is fine.
    #[must_use]
    pub(crate) fn opening(self, path: &Path) -> RunError {
        match self {
            Self::Store(StoreError::Locked { .. } | StoreError::NotARun { .. }) => self,
            error => Self::Opening {
                path: path.to_owned(),
                source: Box::new(error),
            },
        }
    }

    /// Returns `true` if the request itself was invalid and nothing has been tried.
    #[must_use]
    pub fn is_request(&self) -> bool {
        match self {
            Self::Config(_) | Self::Request(_) => true,
            Self::Eval(error) => matches!(
                error,
                EvalError::OtherTerms { .. } | EvalError::NamedTwice { .. }
            ),
            Self::Roster(error) => error.is_request(),
            Self::Within { source, .. } => source.is_request(),
            _ => false,
        }
    }
}

/// Adds context to errors.
pub trait Within<T> {
    /// Puts `what`, a statement, in front of the error's message.
    ///
    /// # Errors
    ///
    /// Returns the error with the statement.
    fn within(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<RunError>> Within<T> for std::result::Result<T, E> {
    fn within(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| RunError::Within {
            what: what(),
            source: Box::new(error.into()),
        })
    }
}

/// An error and its causes on one line. Some errors already include their cause in their message;
/// it is not repeated.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut words = String::new();
    for cause in iter::successors(Some(error), |&error| error.source()) {
        let text = cause.to_string();
        if words.contains(&text) {
            continue;
        }
        if !words.is_empty() {
            words.push_str(": ");
        }
        words.push_str(&text);
    }
    words
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("no player")]
    struct NoPlayer(#[source] ModelError);

    #[derive(Debug, thiserror::Error)]
    #[error("{0} (make one)")]
    struct AdvisedPlayer(#[source] ModelError);

    #[test]
    fn a_cause_is_said_once() {
        let denied = io::Error::other("permission denied");
        let opening = StoreError::io("open", Path::new("run.toml"))(denied);
        let words = opening.to_string();
        assert!(words.contains("permission denied"), "{words}");
        assert_eq!(error_chain(&opening), words);
        let error = Err::<(), _>(opening).within(|| "failed to go on".to_owned());
        let error = error.unwrap_err();
        assert_eq!(error_chain(&error), format!("failed to go on: {words}"));
    }

    #[test]
    fn a_missing_model_is_named_once() {
        let missing = || model::Model::load("/nope".as_ref()).err().unwrap();
        let expected = missing().to_string();
        assert!(expected.contains("/nope"), "{expected}");
        assert_eq!(error_chain(&missing()), expected);
        assert_eq!(error_chain(&RunError::from(missing())), expected);
        let within = error_chain(&NoPlayer(missing()));
        assert_eq!(within, format!("no player: {expected}"));
        let advised = AdvisedPlayer(missing());
        assert_eq!(error_chain(&advised), format!("{expected} (make one)"));
    }
}
