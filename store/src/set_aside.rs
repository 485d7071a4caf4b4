//! Moves files of a run out of the way: to `set-aside/DATE/`, with the reasons in `reasons.txt`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;

use crate::atomic;
use crate::disk;
use crate::error::{Result, StoreError};

/// The directory in the run.
pub(crate) const SET_ASIDE: &str = "set-aside";
/// The list of the files in a directory, with the reasons.
pub(crate) const REASONS: &str = "reasons.txt";
/// Maximum size of a copied file in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A file that was moved to `set-aside/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The original path.
    pub from: PathBuf,
    /// The new path.
    pub to: PathBuf,
    /// The reason.
    pub why: String,
}

/// Moves files and directories of a run out of the way. Deletes and replaces nothing.
#[derive(Debug)]
pub struct SetAside {
    run: PathBuf,
    dir: PathBuf,
    moved: Vec<Moved>,
}

impl SetAside {
    /// Uses a directory named after the current time, created when it is needed.
    pub(crate) fn new(run: &Path) -> SetAside {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.map_or(0, |since| since.as_secs() as i64);
        let date = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        let name = date.format("%Y-%m-%dT%H-%M-%SZ").to_string();
        SetAside {
            run: run.to_owned(),
            dir: run.join(SET_ASIDE).join(name),
            moved: Vec::new(),
        }
    }

    /// The files moved so far.
    pub fn moved(&self) -> &[Moved] {
        &self.moved
    }

    /// Moves a file or directory of the run; skips one that does not exist.
    ///
    /// # Errors
    /// If the disk fails; the file is then unchanged.
    pub fn take(&mut self, from: &Path, why: impl Into<String>) -> Result<()> {
        if !from.exists() {
            return Ok(());
        }
        let to = self.place(from, why.into())?;
        atomic::rename(from, &to)?;
        atomic::sync_parent(from)
    }

    /// Keeps a copy of a file that is about to be replaced, so that a version exists at all times;
    /// skips one that does not exist.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn copy(&mut self, from: &Path, why: impl Into<String>) -> Result<()> {
        if !from.exists() {
            return Ok(());
        }
        let bytes = atomic::read_bounded(from, MAX_BYTES)?;
        let to = self.place(from, why.into())?;
        atomic::write_file(&to, &bytes)
    }

    /// Adds a lost file to the list.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn note_loss(&self, path: &Path, why: &str) -> Result<()> {
        atomic::ensure_dir(&self.dir)?;
        self.list(path.strip_prefix(&self.run).unwrap_or(path), why)
    }

    fn list(&self, name: &Path, why: &str) -> Result<()> {
        let reasons = self.dir.join(REASONS);
        disk::open(&reasons, OpenOptions::new().create(true).append(true))
            .and_then(|mut file| writeln!(file, "{}: {why}", types::portable_path(name)))
            .map_err(StoreError::io("write", &reasons))
    }

    /// Finds a free name for it, and adds the reason to the list.
    fn place(&mut self, from: &Path, why: String) -> Result<PathBuf> {
        let name = from.strip_prefix(&self.run).unwrap_or(from).to_owned();
        let mut to = self.dir.join(&name);
        let mut number = 1;
        while to.exists() {
            number += 1;
            to = self.dir.join(format!("{}-{number}", name.display()));
        }
        atomic::ensure_dir(to.parent().unwrap_or(&self.dir))?;
        self.list(&name, &why)?;
        let (from, place) = (from.to_owned(), to.clone());
        self.moved.push(Moved {
            from,
            to: place,
            why,
        });
        Ok(to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_in_the_way_is_kept_with_the_reason() {
        let run = tempfile::tempdir().unwrap();
        let file = run.path().join("models/x");
        fs::create_dir(run.path().join("models")).unwrap();
        let mut aside = SetAside::new(run.path());
        for text in ["one", "two", "three"] {
            fs::write(&file, text).unwrap();
            aside.take(&file, format!("it is {text}")).unwrap();
            assert!(!file.exists());
        }
        aside.take(&file, "it is gone").unwrap();
        let texts = aside
            .moved()
            .iter()
            .map(|moved| fs::read_to_string(&moved.to).unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), ["one", "two", "three"]);
        let names = aside.moved().iter().map(|moved| moved.to.clone());
        let expected = ["x", "x-2", "x-3"].map(|name| aside.dir.join("models").join(name));
        assert_eq!(names.collect::<Vec<_>>(), expected);
        fs::write(&file, "four").unwrap();
        aside.copy(&file, "it changes").unwrap();
        for path in [&file, &aside.moved()[3].to] {
            assert_eq!(fs::read_to_string(path).unwrap(), "four");
        }
        let reasons = fs::read_to_string(aside.dir.join(REASONS)).unwrap();
        let expected = "it is one|it is two|it is three|it changes".split('|');
        let expected = expected.map(|why| format!("models/x: {why}\n"));
        assert_eq!(reasons, expected.collect::<String>());
    }
}
