//! The lock that keeps a second process out of a run.

use std::fs::{OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::atomic;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};

/// Name of the locked file in a directory with one writer.
pub(crate) const LOCK: &str = "lock";

/// The files that say what a directory with a lock is: a run, a distillation, a tournament, a
/// comparison.
const STATES: [&str; 4] = [
    "run.toml",
    "distillation.json",
    "tournament.json",
    "results.json",
];

/// Maximum number of bytes read of a holder's name.
const MAX_HOLDER_BYTES: u64 = 1 << 10;

/// A locked file. The system releases it when the process ends for any reason.
#[derive(Debug)]
pub(crate) struct Lock {
    #[cfg_attr(not(unix), expect(dead_code, reason = "it stays open for its lock"))]
    file: File,
}

impl Lock {
    /// Locks a directory, creating it if it does not exist.
    pub(crate) fn of_dir(dir: &Path) -> Result<Lock> {
        atomic::ensure_dir(dir)?;
        Lock::acquire(&dir.join(LOCK))
    }

    /// Locks a directory whose progress is in the file `state`, one of [`STATES`], like
    /// [`Lock::of_dir`]. A directory with other files, and neither this one nor a lock, is refused,
    /// and so is one of another kind.
    pub(crate) fn of_own_dir(dir: &Path, state: &str) -> Result<Lock> {
        let has = |name: &str| dir.join(name).exists();
        let is_other = STATES.iter().any(|&other| other != state && has(other));
        let is_own = has(state) || has(LOCK) && !is_other;
        if !is_own && !atomic::entries(dir)?.is_empty() {
            return Err(StoreError::Taken {
                path: dir.to_owned(),
                state: state.to_owned(),
            });
        }
        Lock::of_dir(dir)
    }

    /// Locks a file and writes the holder into it.
    pub(crate) fn acquire(path: &Path) -> Result<Lock> {
        Lock::acquire_with(path, cfg!(windows))
    }

    /// On Windows no other program can read a locked file: a hidden one next to it has the name.
    fn acquire_with(path: &Path, is_windows: bool) -> Result<Lock> {
        let mut file = open(path)?;
        let beside = holder_path(path);
        match try_lock(file.system()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: path.to_owned(),
                    holder: match is_windows {
                        true => holder(&mut open(&beside)?),
                        false => holder(&mut file),
                    },
                });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
        }
        let mut beside = is_windows.then(|| open(&beside)).transpose()?;
        let name = gethostname::gethostname();
        let text = format!(
            "process {} on {}\n",
            std::process::id(),
            name.to_string_lossy()
        );
        let named = beside.as_mut().unwrap_or(&mut file);
        named
            .set_len(0)
            .and_then(|()| named.write_all(text.as_bytes()))
            .map_err(StoreError::io("write", path))?;
        Ok(Lock { file })
    }

    /// The locked file.
    #[cfg(unix)]
    pub(crate) fn system(&self) -> &std::fs::File {
        self.file.system()
    }

    /// Returns `true` if a process holds a lock, `false` if it cannot be checked.
    pub(crate) fn is_held(path: &Path) -> bool {
        let file = File::open(path);
        file.is_ok_and(|file| {
            matches!(
                file.system().try_lock_shared(),
                Err(TryLockError::WouldBlock)
            )
        })
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    disk::open(path, options).map_err(StoreError::io("open", path))
}

/// The file that has the holder's name on Windows.
pub(crate) fn holder_path(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}-holder", atomic::file_name(path)))
}

/// Checking a lock holds it for a moment, so locking is retried.
fn try_lock(file: &std::fs::File) -> Result<(), TryLockError> {
    for _ in 0..20 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            answer => return answer,
        }
    }
    file.try_lock()
}

/// The holder named in the first bytes of the file.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(MAX_HOLDER_BYTES).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_on_windows_reads_the_holder_next_to_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let _lock = Lock::acquire_with(&path, true).unwrap();
        let message = Lock::acquire_with(&path, true).unwrap_err().to_string();
        let holder = format!("process {} on", std::process::id());
        assert!(message.contains(&holder), "{message}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    }

    #[test]
    fn a_folder_with_another_purpose_is_not_locked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        drop(Lock::of_own_dir(path, "own.json").unwrap());
        // A process that ended before it wrote anything leaves its lock.
        drop(Lock::of_own_dir(path, "own.json").unwrap());
        std::fs::write(path.join("games.pdn"), "").unwrap();
        drop(Lock::of_own_dir(path, "own.json").unwrap());
        std::fs::write(path.join("run.toml"), "").unwrap();
        let error = Lock::of_own_dir(path, "own.json").unwrap_err();
        assert!(matches!(error, StoreError::Taken { .. }), "{error}");
        std::fs::write(path.join("own.json"), "").unwrap();
        Lock::of_own_dir(path, "own.json").unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_second_process_learns_who_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::acquire(&path).unwrap();
        let message = Lock::acquire(&path).unwrap_err().to_string();
        assert!(
            message.contains(&format!("process {} on", std::process::id())),
            "{message}"
        );
        assert!(Lock::is_held(&path));
        std::fs::write(&path, "%".repeat(1 << 20)).unwrap();
        let message = Lock::acquire(&path).unwrap_err().to_string();
        assert_eq!(
            message.matches('%').count() as u64,
            MAX_HOLDER_BYTES,
            "{message}"
        );
        std::fs::write(&path, " \n").unwrap();
        let message = Lock::acquire(&path).unwrap_err().to_string();
        assert!(message.contains("another process"), "{message}");
        drop(lock);
        assert!(!Lock::is_held(&path));
        Lock::acquire(&path).unwrap();
        assert!(!Lock::is_held(&dir.path().join("none")));
    }
}
