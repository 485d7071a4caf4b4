//! Files outside of runs that one process at a time writes again and again.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::{Result, StoreError};
use crate::lock::{Lock, holder_path};

/// Keeps other processes from writing to a file. The file may be replaced as a whole, and on
/// Windows a locked one cannot be read, so another one next to it is locked: its name ends with
/// `.lock`, and it is removed at the end.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    _lock: Lock,
}

impl Hold {
    /// Holds a file, which need not exist.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process holds it, or when the disk refuses.
    pub fn of(path: &Path) -> Result<Hold> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let beside = PathBuf::from(name);
        loop {
            let lock = Lock::acquire(&beside).map_err(|error| match error {
                StoreError::Locked { holder, .. } => StoreError::Locked {
                    path: path.to_owned(),
                    holder,
                },
                error => error,
            })?;
            // The last holder may have removed it after it was opened.
            if is_there(&lock).map_err(StoreError::io("read", &beside))? {
                return Ok(Hold {
                    path: beside,
                    _lock: lock,
                });
            }
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A file that stays is locked again by the next holder.
        if cfg!(windows) {
            let _ = disk::remove_file(&holder_path(&self.path));
        }
        let _ = disk::remove_file(&self.path);
    }
}

/// Returns `true` if a locked file still has a name.
#[cfg(unix)]
fn is_there(lock: &Lock) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(lock.system().metadata()?.nlink() > 0)
}

/// This system keeps the name of an open file.
#[cfg(not(unix))]
fn is_there(_: &Lock) -> io::Result<bool> {
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
        let holder = format!(
            "anchors.json is locked by process {} on",
            std::process::id()
        );
        assert!(error.contains(&holder), "{error}");
        drop(hold);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        Hold::of(&path).unwrap();
    }
}
