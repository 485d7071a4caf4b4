//! Errors of this crate: the fault, the path, and the remedy.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use crate::ids::{ModelId, RunId};
use crate::record::{GameId, RecordError};

/// Result type of this crate.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Error of reading, writing or using a file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system reported an error.
    #[error("failed to {action} {}: {source}", path.display())]
    Io {
        /// The operation that failed, a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The files of a model or of a training state could not be produced.
    #[error("failed to write the files of {}: {source}", path.display())]
    Fill {
        /// The directory that was not created.
        path: PathBuf,
        /// The error of the caller that writes the files.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Malformed JSON document.
    #[error("failed to parse {}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The fault and its place.
        source: serde_json::Error,
    },
    /// A file does not belong where it is, or is damaged.
    #[error("{} cannot be used: {source}", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: Misfit,
    },
    /// The parts of a run contradict each other; nothing in it was changed.
    #[error("{} contradicts the rest of the run: {found}; expected: {expected}", path.display())]
    Contradiction {
        /// The file that says it.
        path: PathBuf,
        /// Its content, and what contradicts it.
        found: String,
        /// The expected content.
        expected: String,
    },
    /// A file is larger than its limit.
    #[error("{} is larger than {limit} bytes, the limit for such a file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A directory holds files of something else.
    #[error(
        "{} holds files and no {state}: choose a new folder, so that none of them is replaced",
        path.display()
    )]
    Taken {
        /// The directory.
        path: PathBuf,
        /// The file that would be in one of the kind that was expected.
        state: String,
    },
    /// Another process is using the directory.
    #[error("{} is locked by {holder}: stop it first", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process and host, as the lock file names them.
        holder: String,
    },
    /// There is no run in the directory.
    #[error(
        "{} is not a run directory: it has no run.toml; name one that a training has made, such as \
         runs/english",
        path.display()
    )]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory that is never replaced already exists.
    #[error("{} already exists and is immutable", path.display())]
    Exists {
        /// The file or directory.
        path: PathBuf,
    },
    /// The directory holds files that do not belong to a run.
    #[error(
        "{} is not empty and holds no run: it has {found}; give a new or an empty directory",
        path.display()
    )]
    NotEmpty {
        /// The directory.
        path: PathBuf,
        /// The name of one of its files.
        found: String,
    },
    /// The directory already holds a run.
    #[error("{} already holds a run", path.display())]
    RunExists {
        /// The directory.
        path: PathBuf,
    },
    /// The run does not have this model.
    #[error("{} has no model {model}: it has {available}", path.display())]
    NoModel {
        /// The model.
        model: ModelId,
        /// The run's directory of models.
        path: PathBuf,
        /// The existing models as text.
        available: String,
    },
    /// The state refers to something that does not exist.
    #[error("{} is incomplete: {missing} is missing", path.display())]
    Incomplete {
        /// The run.
        path: PathBuf,
        /// The file or directory that the state refers to.
        missing: String,
    },
    /// A file in `games/` is not a segment of this run.
    #[error("{} is not a segment of this run: {reason}", path.display())]
    NotASegment {
        /// The file.
        path: PathBuf,
        /// The fault of its header.
        reason: String,
    },
    /// A game in a segment has a valid checksum and invalid content.
    #[error("the game at byte {offset} of {} is invalid: {source}", path.display())]
    Record {
        /// The segment.
        path: PathBuf,
        /// Offset of the game, in bytes.
        offset: u64,
        /// The fault.
        source: RecordError,
    },
    /// An endgame database or an opening book cannot be used or written.
    #[error("{} is unusable: {source}", path.display())]
    Unusable {
        /// Its file.
        path: PathBuf,
        /// The fault.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A game cannot be stored.
    #[error("game {id} cannot be stored: {source}")]
    Game {
        /// The game.
        id: GameId,
        /// The fault.
        source: RecordError,
    },
}

impl StoreError {
    /// For `map_err`: an I/O error with the operation and the path.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err`: a file that does not belong where it is.
    pub fn misfit(path: &Path) -> impl FnOnce(Misfit) -> StoreError {
        move |source| StoreError::Misfit {
            path: path.to_owned(),
            source,
        }
    }

    /// The error of a file whose content contradicts the rest of its run.
    pub fn contradiction(
        path: &Path,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> StoreError {
        StoreError::Contradiction {
            path: path.to_owned(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// For `map_err`: a document that cannot be parsed.
    pub(crate) fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> StoreError {
        move |source| StoreError::Json {
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err`: a database that cannot be used or written.
    pub(crate) fn unusable<E>(path: &Path) -> impl FnOnce(E) -> StoreError
    where
        E: Error + Send + Sync + 'static,
    {
        move |source| StoreError::Unusable {
            path: path.to_owned(),
            source: source.into(),
        }
    }
}

/// Reason not to use a file in its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// The file belongs to another run.
    #[error("it belongs to another run: found {found}, expected {expected}")]
    Foreign {
        /// The actual content.
        found: String,
        /// The expected content.
        expected: String,
    },
    /// The file was damaged after it was written.
    #[error("it is damaged: found {found}, expected {expected}")]
    Damaged {
        /// The actual content.
        found: String,
        /// The content of an intact file.
        expected: String,
    },
    /// The file was written by a newer version of the program.
    #[error(
        "it was written by a newer version of the program: found format {found}, expected at most {expected}"
    )]
    Newer {
        /// Its format.
        found: u32,
        /// The newest format that this program reads.
        expected: u32,
    },
}

impl Misfit {
    /// Rejects a file that names another run than the one it was found in. A run without an
    /// identity has files without one.
    pub fn unless_run(found: Option<RunId>, expected: Option<RunId>) -> Result<(), Misfit> {
        let name = |id: Option<RunId>| {
            id.map_or_else(
                || "no identity of a run".to_owned(),
                |id| format!("run {id}"),
            )
        };
        if found == expected {
            return Ok(());
        }
        Err(Misfit::Foreign {
            found: name(found),
            expected: name(expected),
        })
    }
}
