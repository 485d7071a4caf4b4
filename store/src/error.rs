//! What can go wrong with files, said with the path and how to mend it.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use endgame::EndgameError;

use crate::record::{GameId, RecordError};
use crate::run_dir::ModelId;

/// The result of everything that touches a disk.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why something on disk could not be read, written or used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done, as in "failed to {action}".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The files of a model or of a training state could not be produced.
    #[error("fill {}: {source}", path.display())]
    Fill {
        /// The directory that was not created.
        path: PathBuf,
        /// The answer of whoever produces the files.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A JSON document does not say what it should.
    #[error("understand {}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// A document was written by another version of the program.
    #[error(
        "use {}: it has format {found} and this program knows {known}: go on with the version \
         that wrote it",
        path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// The format in the file.
        found: u32,
        /// The format that this program writes.
        known: u32,
    },
    /// Another process works in the directory.
    #[error("lock {}: {holder} is at work here: stop it first", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process and host, as the lock file names them.
        holder: String,
    },
    /// There is no run in the directory.
    #[error("open {}: no run.toml there, so this is not the directory of a run", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
    /// Something that is never changed has the name already.
    #[error("create {}: it is there already and never changes", path.display())]
    Exists {
        /// The file or directory.
        path: PathBuf,
    },
    /// There is a run in the directory already.
    #[error("create a run in {}: there is one already", path.display())]
    RunExists {
        /// The directory.
        path: PathBuf,
    },
    /// A model is asked for that the run does not have.
    #[error("find model {model} in {}: the run has {available}", path.display())]
    NoModel {
        /// The model.
        model: ModelId,
        /// The run's directory of models.
        path: PathBuf,
        /// Which models there are, in words.
        available: String,
    },
    /// The state says one thing and the files another.
    #[error("go on with {}: {missing} is missing", path.display())]
    Incomplete {
        /// The run.
        path: PathBuf,
        /// The file or directory that the state refers to.
        missing: String,
    },
    /// A file in `games/` is not a segment of this run.
    #[error("read {}: {reason}", path.display())]
    NotASegment {
        /// The file.
        path: PathBuf,
        /// What is wrong with its header.
        reason: String,
    },
    /// A game in a segment is intact and yet makes no sense.
    #[error("read the game at byte {offset} of {}: {source}", path.display())]
    Record {
        /// The segment.
        path: PathBuf,
        /// Where the game begins.
        offset: u64,
        /// What is wrong with it.
        source: RecordError,
    },
    /// A table cannot be written.
    #[error("write {}: {source}", path.display())]
    Table {
        /// Its file.
        path: PathBuf,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An endgame database cannot be used or written.
    #[error("use {}: {source}", path.display())]
    Endgame {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        source: EndgameError,
    },
    /// A game cannot be stored.
    #[error("store game {id}: {source}")]
    Game {
        /// The game.
        id: GameId,
        /// What is wrong with it.
        source: RecordError,
    },
}

impl StoreError {
    /// For `map_err`: an input or output error with what was being done to which file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err`: a document that does not parse.
    pub(crate) fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> StoreError {
        move |source| StoreError::Json {
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err`: a database that cannot be used or written.
    pub(crate) fn endgame(path: &Path) -> impl FnOnce(EndgameError) -> StoreError {
        move |source| StoreError::Endgame {
            path: path.to_owned(),
            source,
        }
    }
}
