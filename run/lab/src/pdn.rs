//! PDN files that grow while games are played.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use store::StoreError;

use crate::Result;

/// A file that receives games as they end.
#[derive(Debug)]
pub(crate) struct PdnFile {
    path: PathBuf,
    file: File,
}

impl PdnFile {
    /// Creates the file, replacing one that exists.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn create(path: &Path) -> Result<PdnFile> {
        Ok(PdnFile {
            path: path.to_owned(),
            file: File::create(path).map_err(StoreError::io("write", path))?,
        })
    }

    /// Appends games.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn add(&mut self, games: &str) -> Result<()> {
        let written = self.file.write_all(games.as_bytes());
        Ok(written.map_err(StoreError::io("write", &self.path))?)
    }
}
