//! PDN files that grow while games are played.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use run::RequestError;
use store::StoreError;

use crate::Result;

/// A file that receives games as they end.
#[derive(Debug)]
pub(crate) struct PdnFile {
    path: PathBuf,
    file: File,
}

impl PdnFile {
    /// Opens the file to add games after those that it has, or creates it.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn open(path: &Path) -> Result<PdnFile> {
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(StoreError::io("write", path))?;
        let is_new = !file
            .metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
        if !is_new && is_utf16(path) {
            let shown = path.display();
            return Err(RequestError(format!(
                "{shown} is UTF-16, and games are written as UTF-8: name another file"
            ))
            .into());
        }
        let mut opened = PdnFile {
            path: path.to_owned(),
            file,
        };
        if !is_new {
            // The last game may lack its line break.
            opened.add("\n")?;
        }
        Ok(opened)
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

/// True if a file begins with the mark of UTF-16.
fn is_utf16(path: &Path) -> bool {
    let mut mark = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut mark));
    read.is_ok() && [[0xff, 0xfe], [0xfe, 0xff]].contains(&mark)
}

/// A notice that games are added to a file that is there.
#[must_use]
pub fn appends_to(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok().filter(|metadata| metadata.is_file());
    let n_bytes = metadata.map_or(0, |metadata| metadata.len());
    (n_bytes > 0 && !is_utf16(path)).then(|| {
        let shown = path.display();
        format!("{shown} has {n_bytes} bytes already: the games are added at its end")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_added_to_those_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        assert_eq!(appends_to(&path), None);
        for text in ["1. 11-15 *", "1. 9-13 *"] {
            PdnFile::open(&path).unwrap().add(text).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "1. 11-15 *\n1. 9-13 *");
        assert!(appends_to(&path).unwrap().contains("has 20 bytes already"));
        std::fs::write(&path, b"\xff\xfe1\0").unwrap();
        let error = PdnFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("is UTF-16"), "{error}");
        assert_eq!(appends_to(&path), None);
        assert_eq!(std::fs::read(&path).unwrap().len(), 4);
    }
}
