//! An atomic file for content that is too large for memory.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{rename, temporary_name};
use crate::disk::{self, File};
use crate::error::{Result, StoreError};

/// A file that appears under its name when it is finished. If it is dropped before, it leaves
/// nothing.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: BufWriter<File>,
    is_finished: bool,
}

impl AtomicFile {
    /// Creates a file. An existing one stays until the new one is finished.
    ///
    /// # Errors
    /// If the directory does not exist or is not writable, or the name belongs to a device or
    /// another special file, which would be replaced.
    pub fn create(path: &Path) -> Result<AtomicFile> {
        types::check_file(path).map_err(StoreError::io("replace", path))?;
        let temporary = temporary_name(path);
        if temporary.is_symlink() {
            let removed = disk::remove_file(&temporary);
            removed.map_err(StoreError::io("remove", &temporary))?;
        }
        let file = File::create(&temporary).map_err(StoreError::io("create", &temporary))?;
        Ok(AtomicFile {
            path: path.to_owned(),
            temporary,
            writer: BufWriter::new(file),
            is_finished: false,
        })
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// As [`create`](AtomicFile::create) and [`finish`](AtomicFile::finish).
    pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(content)
            .map_err(StoreError::io("write", path))?;
        file.finish()
    }

    /// Gives the file its name. It is on disk when this returns.
    ///
    /// # Errors
    /// If the rest of it cannot be written, or its name belongs to a directory.
    pub fn finish(mut self) -> Result<()> {
        self.writer
            .flush()
            .and_then(|()| self.writer.get_ref().sync())
            .map_err(StoreError::io("write", &self.temporary))?;
        rename(&self.temporary, &self.path)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // The original error has already been reported; `remove_leftovers` deletes this file.
            let _ = disk::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::entries;
    use super::*;

    #[cfg(unix)]
    #[test]
    fn neither_links_nor_devices_are_written_to() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().unwrap();
        let [mine, path, temporary] =
            ["mine", "games.pdn", ".tmp-games.pdn"].map(|name| dir.path().join(name));
        fs::write(&mine, "mine").unwrap();
        symlink(&mine, &path).unwrap();
        symlink(&mine, &temporary).unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"games").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "games");
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        let error = AtomicFile::create(Path::new("/dev/null")).unwrap_err();
        assert!(error.to_string().contains("it is a device"), "{error}");
    }

    #[test]
    fn only_a_finished_file_takes_the_place_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pdn");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_to_string(&file.temporary).unwrap(), "half");
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(entries(dir.path()).unwrap().len(), 1);
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(entries(dir.path()).unwrap().len(), 1);
    }
}
