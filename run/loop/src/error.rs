//! What can go wrong in a run.

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

/// The result of everything that this crate does.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

/// Why a run, a model or a player could not be used. Messages are statements, not fragments.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What was asked for.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The disk, or what is on it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Training.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Self-play.
    #[error("self-play failed: {0}")]
    Selfplay(#[from] SelfplayError),
    /// The network.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Matches and tournaments.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// Ratings of results.
    #[error(transparent)]
    Rating(#[from] RatingError),
    /// An endgame database.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// Training of a learned evaluation.
    #[error(transparent)]
    Distill(#[from] distill::StateError),
    /// A learned evaluation.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A player.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The machines that play for a run.
    #[error("{source}")]
    Fleet {
        /// `true` if the request made no sense.
        is_request: bool,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A table for other programs.
    #[error("failed to write {}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What is needed is not there. The message says how to get it.
    #[error("{0}")]
    Missing(String),
    /// The threads of the run.
    #[error("failed to start threads: {source}")]
    Threads {
        /// Why not.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A run cannot be opened.
    #[error(
        "{source}. Nothing was changed. `crownhead check {run}` says what is wrong with it, `crownhead repair \
         {run}` mends what can be mended",
        run = path.display()
    )]
    Opening {
        /// The run.
        path: PathBuf,
        /// Why not.
        source: Box<RunError>,
    },
    /// Something failed within something larger.
    #[error("{what}: {source}")]
    Within {
        /// What failed, as a statement.
        what: String,
        /// Why.
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
    /// This error as one of opening the run in `path`, unless the run is not what is wrong.
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

    /// Whether what was asked for makes no sense, and nothing has been tried.
    #[must_use]
    pub fn is_request(&self) -> bool {
        match self {
            Self::Config(_) | Self::Request(_) => true,
            Self::Eval(error) => matches!(
                error,
                EvalError::OtherTerms { .. } | EvalError::NamedTwice { .. }
            ),
            Self::Roster(error) => error.is_request(),
            Self::Fleet { is_request, .. } => *is_request,
            Self::Within { source, .. } => source.is_request(),
            _ => false,
        }
    }
}

/// Says within what something failed.
pub(crate) trait Within<T> {
    /// Puts `what`, a statement, in front of the error's message.
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

/// An error and its causes in one line, as a statement. Some errors name their cause themselves; it is
/// not said twice.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut words = String::new();
    for cause in iter::successors(Some(error), |&error| error.source()) {
        let text = cause.to_string();
        if words.ends_with(&text) {
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
    }
}
