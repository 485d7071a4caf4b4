//! A cache of values read from the files of runs, valid until a file changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Minimum age of a file's last change at the time of reading. Clocks of file systems are coarse: a
/// later change may have the same time.
const SETTLED: Duration = Duration::from_secs(2);

/// Values by the place that they were read from.
pub(crate) struct Memory<T>(Mutex<HashMap<PathBuf, Entry<T>>>);

struct Entry<T> {
    stamp: Stamp,
    value: T,
}

/// The state of some files.
#[derive(Clone, PartialEq)]
pub(crate) struct Stamp {
    /// Time of the last change, and size; `None` for a missing file.
    files: Vec<Option<(SystemTime, u64)>>,
    /// Is a process writing to the run?
    is_live: bool,
    /// Have all files been unchanged for some time?
    is_settled: bool,
}

impl Stamp {
    /// The present state of files and folders.
    pub(crate) fn of(files: &[PathBuf], is_live: bool) -> Stamp {
        let now = SystemTime::now();
        let file = |path: &PathBuf| {
            let data = path.metadata().ok()?;
            Some((data.modified().ok()?, data.len()))
        };
        let files: Vec<_> = files.iter().map(file).collect();
        let age = |(time, _): &(SystemTime, u64)| now.duration_since(*time).unwrap_or_default();
        let is_settled = files.iter().flatten().all(|file| age(file) >= SETTLED);
        Stamp {
            files,
            is_live,
            is_settled,
        }
    }
}

impl<T: Clone> Memory<T> {
    pub(crate) fn new() -> Memory<T> {
        Memory(Mutex::default())
    }

    /// The value read from a place when its files had this state, otherwise the value of `read`.
    pub(crate) fn get(&self, place: &Path, stamp: Stamp, read: impl FnOnce() -> T) -> T {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = lock().get(place)
            && entry.stamp == stamp
        {
            return entry.value.clone();
        }
        let value = read();
        if stamp.is_settled {
            let entry = Entry {
                stamp,
                value: value.clone(),
            };
            lock().insert(place.to_owned(), entry);
        }
        value
    }

    /// Forgets all places but these.
    pub(crate) fn keep(&self, is_kept: impl Fn(&Path) -> bool) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|place, _| is_kept(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_until_a_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        let memory = Memory::new();
        let get = |value: u32, is_live| {
            let stamp = Stamp::of(&[file.clone(), dir.path().join("none")], is_live);
            memory.get(dir.path(), stamp, || value)
        };
        let write = |text: &str, age: Duration| {
            std::fs::write(&file, text).unwrap();
            let file = std::fs::File::options().write(true).open(&file).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        write("x", Duration::ZERO);
        assert_eq!(
            [get(1, false), get(2, false)],
            [1, 2],
            "it may change within the clock's tick"
        );
        write("x", Duration::from_secs(60));
        assert_eq!([get(3, false), get(4, false)], [3, 3]);
        assert_eq!(
            [get(5, true), get(6, true)],
            [5, 5],
            "the lock is part of the state"
        );
        write("x", Duration::from_secs(50));
        assert_eq!(get(7, true), 7);
        memory.keep(|_| false);
        assert_eq!(get(8, true), 8);
    }
}
