//! The directory of a comparison.
//!
//! ```text
//! results.json     terms, time used, all matches, verdicts: the only commit point
//! curves.svg       ratings of all runs over time
//! runs/wide-1/     the run of an arm with a seed
//! lock             the process that writes
//! ```

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic;
use crate::error::Result;
use crate::lock::Lock;

const RESULTS: &str = "results.json";
const CURVES: &str = "curves.svg";
const RUNS: &str = "runs";

/// The directory of a comparison, locked by this process.
#[derive(Debug)]
pub struct CompareDir {
    path: PathBuf,
    _lock: Lock,
}

impl CompareDir {
    /// Locks a directory, creating it if it does not exist, and reads its results.
    ///
    /// # Errors
    /// If another process holds the lock, or the results are damaged.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(CompareDir, Option<T>)> {
        let lock = Lock::of_own_dir(path, RESULTS)?;
        atomic::ensure_dir(&path.join(RUNS))?;
        let results = atomic::read_json(&path.join(RESULTS))?;
        let dir = CompareDir {
            path: path.to_owned(),
            _lock: lock,
        };
        Ok((dir, results))
    }

    /// Directory of the run of an arm with a seed.
    pub fn run_path(&self, arm: &str, seed: u64) -> PathBuf {
        self.path.join(RUNS).join(format!("{arm}-{seed}"))
    }

    /// Replaces the results.
    ///
    /// # Errors
    /// If writing fails; the last commit is then still valid.
    pub fn commit<T: Serialize>(&self, results: &T) -> Result<()> {
        atomic::write_json(&self.path.join(RESULTS), results)
    }

    /// Replaces the picture of the ratings.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_curves(&self, svg: &str) -> Result<()> {
        atomic::write_file(&self.path.join(CURVES), svg.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::StoreError;

    #[test]
    fn what_was_committed_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, results) = CompareDir::open::<u32>(folder.path()).unwrap();
        assert_eq!(results, None);
        dir.commit(&7).unwrap();
        let again = CompareDir::open::<u32>(folder.path());
        assert!(matches!(again, Err(StoreError::Locked { .. })));
        drop(dir);
        let (dir, results) = CompareDir::open::<u32>(folder.path()).unwrap();
        assert_eq!(results, Some(7));
        assert!(dir.run_path("wide", 2).ends_with("runs/wide-2"));
    }
}
