//! The directory of a distillation.
//!
//! ```text
//! evaluation.safetensors, manifest.json   the best evaluation so far
//! distillation.json                       settings and finished rounds
//! rounds/000002/                          evaluation and manifest of each round; before that
//!                                         its labels and training
//! games/                                  segments of games by round
//! lock                                    the process that writes
//! ```
//!
//! `distillation.json` is the only commit point: a round that it does not name is repeated, with
//! the games, the labels and the training that already exist.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic;
use crate::error::Result;
use crate::lock::Lock;

/// The network, in a directory that `crownhead distill` wrote.
pub const EVALUATION_FILE: &str = "evaluation.safetensors";
const MANIFEST: &str = "manifest.json";
const STATE: &str = "distillation.json";
const TRAINING: &str = "training";
const LABELS: &str = "labels";
const ROUNDS: &str = "rounds";
const GAMES: &str = "games";

/// Maximum size of a training in bytes: weights, moments and averages of a network a hundred times
/// as large. Also the maximum size of labels: half a billion positions.
const MAX_UNFINISHED_BYTES: u64 = 1 << 30;

/// The directory of a distillation, locked by this process.
#[derive(Debug)]
pub struct DistillDir {
    path: PathBuf,
    _lock: Lock,
}

/// The files of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationFiles<'a> {
    /// The network.
    pub evaluation: &'a [u8],
    /// The manifest for other programs.
    pub manifest: &'a [u8],
}

impl DistillDir {
    /// Locks a directory, creating it if it does not exist, and reads its state.
    ///
    /// # Errors
    /// If another process holds the lock, or the state is damaged.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(DistillDir, Option<T>)> {
        let lock = Lock::of_own_dir(path, STATE)?;
        atomic::ensure_dir(&path.join(ROUNDS))?;
        let state = atomic::read_json(&path.join(STATE))?;
        let dir = DistillDir {
            path: path.to_owned(),
            _lock: lock,
        };
        Ok((dir, state))
    }

    /// True if a directory holds a distillation, with or without an evaluation.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        path.join(STATE).is_file()
    }

    /// The directory of games played for training.
    pub fn games_path(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// The file of a round's evaluation.
    pub fn round_path(&self, round: u32) -> PathBuf {
        self.round_dir(round).join(EVALUATION_FILE)
    }

    /// The file of a round's training in progress.
    pub fn training_path(&self, round: u32) -> PathBuf {
        self.round_dir(round).join(TRAINING)
    }

    /// The training of a round, as written by [`DistillDir::save_training`].
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn training(&self, round: u32) -> Result<Option<Vec<u8>>> {
        unfinished(&self.training_path(round))
    }

    /// Replaces the training of a round.
    ///
    /// # Errors
    /// If writing fails; the previous file is then still complete.
    pub fn save_training(&self, round: u32, bytes: &[u8]) -> Result<()> {
        atomic::ensure_dir(&self.round_dir(round))?;
        atomic::write_file(&self.training_path(round), bytes)
    }

    /// The labels of a round, as written by [`DistillDir::save_labels`].
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn labels(&self, round: u32) -> Result<Option<Vec<u8>>> {
        unfinished(&self.labels_path(round))
    }

    /// Replaces the labels of a round.
    ///
    /// # Errors
    /// If writing fails; the previous file is then still complete.
    pub fn save_labels(&self, round: u32, bytes: &[u8]) -> Result<()> {
        atomic::ensure_dir(&self.round_dir(round))?;
        atomic::write_file(&self.labels_path(round), bytes)
    }

    /// Replaces the state.
    ///
    /// # Errors
    /// If writing fails; the last commit is then still valid.
    pub fn commit<T: Serialize>(&self, state: &T) -> Result<()> {
        atomic::write_json(&self.path.join(STATE), state)
    }

    /// Writes the evaluation of a round.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_round(&self, round: u32, files: EvaluationFiles<'_>) -> Result<()> {
        let dir = self.round_dir(round);
        atomic::ensure_dir(&dir)?;
        write(&dir, files)
    }

    /// Replaces the best evaluation.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_best(&self, files: EvaluationFiles<'_>) -> Result<()> {
        write(&self.path, files)
    }

    /// Removes the labels and the training of a finished round.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn remove_unfinished(&self, round: u32) -> Result<()> {
        atomic::remove_file(&self.labels_path(round))?;
        atomic::remove_file(&self.training_path(round))
    }

    fn labels_path(&self, round: u32) -> PathBuf {
        self.round_dir(round).join(LABELS)
    }

    fn round_dir(&self, round: u32) -> PathBuf {
        self.path.join(ROUNDS).join(format!("{round:06}"))
    }
}

fn unfinished(path: &Path) -> Result<Option<Vec<u8>>> {
    atomic::read_existing(path, MAX_UNFINISHED_BYTES)
}

fn write(dir: &Path, files: EvaluationFiles<'_>) -> Result<()> {
    atomic::write_file(&dir.join(EVALUATION_FILE), files.evaluation)?;
    atomic::write_file(&dir.join(MANIFEST), files.manifest)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::error::StoreError;

    #[test]
    fn what_was_committed_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (dir, state) = DistillDir::open::<u32>(&path).unwrap();
        assert_eq!(state, None);
        assert_eq!(dir.games_path(), path.join("games"));
        assert_eq!(dir.training(1).unwrap(), None);
        assert_eq!(dir.labels(1).unwrap(), None);
        dir.save_training(1, b"half").unwrap();
        dir.save_labels(1, b"some").unwrap();
        assert_eq!(dir.training(2).unwrap(), None);
        assert_eq!(dir.labels(1).unwrap().as_deref(), Some(&b"some"[..]));
        assert_eq!(dir.training(1).unwrap().as_deref(), Some(&b"half"[..]));
        let files = EvaluationFiles {
            evaluation: b"weights",
            manifest: b"{}",
        };
        dir.write_round(1, files).unwrap();
        dir.write_best(files).unwrap();
        dir.commit(&1).unwrap();
        dir.save_training(3, b"").unwrap();
        let file = fs::File::options().write(true).open(dir.training_path(3));
        file.unwrap().set_len(MAX_UNFINISHED_BYTES + 1).unwrap();
        assert!(matches!(dir.training(3), Err(StoreError::TooLarge { .. })));
        dir.remove_unfinished(1).unwrap();
        assert!(matches!(
            DistillDir::open::<u32>(&path),
            Err(StoreError::Locked { .. })
        ));
        let paths = [path.join(EVALUATION_FILE), dir.round_path(1)];
        drop(dir);
        let (dir, state) = DistillDir::open::<u32>(&path).unwrap();
        assert_eq!(state, Some(1));
        assert_eq!(dir.training(1).unwrap(), None);
        assert_eq!(dir.labels(1).unwrap(), None);
        for path in paths {
            assert_eq!(fs::read(path).unwrap(), b"weights");
        }
    }
}
