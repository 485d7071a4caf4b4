//! The directory of a distillation.
//!
//! ```text
//! evaluation.safetensors, manifest.json   the best evaluation so far
//! distillation.json                       settings and finished rounds
//! rounds/000002/                          what each round has learnt: evaluation and manifest; until then
//!                                         labels and training.safetensors
//! games/                                  segments of games, a round's under its number
//! lock                                    the process that writes
//! ```
//!
//! `distillation.json` is the only commit point: a round that it does not name is repeated, with the games,
//! the labels and the training that are there.

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
const TRAINING: &str = "training.safetensors";
const LABELS: &str = "labels";
const ROUNDS: &str = "rounds";
const GAMES: &str = "games";

/// Bytes of a training at most: weights, moments and averages of a network a hundred times as large. Bytes of
/// labels at most: those of half a billion positions.
const MAX_UNFINISHED_BYTES: u64 = 1 << 30;

/// The directory of a distillation, locked by this process.
#[derive(Debug)]
pub struct DistillDir {
    path: PathBuf,
    _lock: Lock,
}

/// An evaluation as its files.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationFiles<'a> {
    /// The network.
    pub evaluation: &'a [u8],
    /// How other programs use it.
    pub manifest: &'a [u8],
}

impl DistillDir {
    /// Locks a directory, creating it if it does not exist, and reads the state in it.
    ///
    /// # Errors
    /// When another process holds the lock, or the state is damaged.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(DistillDir, Option<T>)> {
        let lock = Lock::of_dir(path)?;
        atomic::ensure_dir(&path.join(ROUNDS))?;
        let state = atomic::read_json(&path.join(STATE))?;
        let dir = DistillDir {
            path: path.to_owned(),
            _lock: lock,
        };
        Ok((dir, state))
    }

    /// Where the games are that were played to learn from.
    pub fn games_path(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// The file of what a round has learnt.
    pub fn round_path(&self, round: u32) -> PathBuf {
        self.round_dir(round).join(EVALUATION_FILE)
    }

    /// The file of a round's training, as long as it goes on.
    pub fn training_path(&self, round: u32) -> PathBuf {
        self.round_dir(round).join(TRAINING)
    }

    /// The training of a round, as [`DistillDir::save_training`] wrote it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn training(&self, round: u32) -> Result<Option<Vec<u8>>> {
        unfinished(&self.training_path(round))
    }

    /// Replaces the training of a round.
    ///
    /// # Errors
    /// When writing fails; what was there is then still whole.
    pub fn save_training(&self, round: u32, bytes: &[u8]) -> Result<()> {
        atomic::ensure_dir(&self.round_dir(round))?;
        atomic::write_file(&self.training_path(round), bytes)
    }

    /// The labels of a round, as [`DistillDir::save_labels`] wrote them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn labels(&self, round: u32) -> Result<Option<Vec<u8>>> {
        unfinished(&self.labels_path(round))
    }

    /// Replaces the labels of a round.
    ///
    /// # Errors
    /// When writing fails; what was there is then still whole.
    pub fn save_labels(&self, round: u32, bytes: &[u8]) -> Result<()> {
        atomic::ensure_dir(&self.round_dir(round))?;
        atomic::write_file(&self.labels_path(round), bytes)
    }

    /// Replaces the state.
    ///
    /// # Errors
    /// When writing fails; the last commit is then still valid.
    pub fn commit<T: Serialize>(&self, state: &T) -> Result<()> {
        atomic::write_json(&self.path.join(STATE), state)
    }

    /// Writes what a round has learnt.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_round(&self, round: u32, files: EvaluationFiles<'_>) -> Result<()> {
        let dir = self.round_dir(round);
        atomic::ensure_dir(&dir)?;
        write(&dir, files)
    }

    /// Replaces the best evaluation.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_best(&self, files: EvaluationFiles<'_>) -> Result<()> {
        write(&self.path, files)
    }

    /// Forgets the labels and the training of a round that is finished.
    ///
    /// # Errors
    /// When they cannot be removed.
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
    if !path.exists() {
        return Ok(None);
    }
    atomic::read_bounded(path, MAX_UNFINISHED_BYTES).map(Some)
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
