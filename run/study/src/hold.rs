//! Files that one process at a time writes again and again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use run::Result;
use store::StoreError;

/// Keeps other processes from writing to a file. The file may be replaced as a whole, and on
/// Windows a locked one cannot be read, so another one next to it is locked: its name ends with
/// `.lock`, and it is removed at the end.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    _file: File,
}

impl Hold {
    /// Holds a file, which need not exist.
    ///
    /// # Errors
    /// When another process holds it, or the disk refuses.
    pub fn of(path: &Path) -> Result<Hold> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let lock = PathBuf::from(name);
        loop {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            let opened = types::open_file(&lock, &options);
            let file = opened.map_err(StoreError::io("open", &lock))?;
            lock_file(&file, path)?;
            // The last holder may have removed it after it was opened.
            if is_there(&file).map_err(StoreError::io("read", &lock))? {
                return Ok(Hold {
                    path: lock,
                    _file: file,
                });
            }
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A file that stays is locked again by the next holder.
        let _ = fs::remove_file(&self.path);
    }
}

/// Locks an open file next to `path`.
fn lock_file(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked {
            path: path.to_owned(),
            holder: "another process".to_owned(),
        }
        .into()),
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock", path)(error).into()),
    }
}

/// Returns `true` if an open file still has a name.
#[cfg(unix)]
fn is_there(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() > 0)
}

/// This system keeps the name of an open file.
#[cfg(not(unix))]
fn is_there(_: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.json");
        let hold = Hold::of(&path).unwrap();
        let error = Hold::of(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("anchors.json is locked by another process: stop it first"),
            "{error}"
        );
        drop(hold);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        Hold::of(&path).unwrap();
    }
}
