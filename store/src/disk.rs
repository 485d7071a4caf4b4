//! The file system interface of this crate.
//!
//! Every change and every read is an [`Operation`] and passes through this module, so that a test
//! can substitute another [`Disk`] for a directory and inject faults. Otherwise every function does
//! the same as its namesake in `std::fs`. Files that callers of
//! [`RunWriter::save_model`](crate::RunWriter::save_model) and similar functions write to a new
//! directory are only seen when they are synced.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// A file system operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation<'a> {
    /// Opens a file, possibly creating or truncating it.
    Open(&'a Path),
    /// Reads some bytes of a file, or the names in a directory.
    Read(&'a Path),
    /// Writes bytes to an open file.
    Write(&'a Path, &'a [u8]),
    /// Truncates or extends a file.
    SetLength(&'a Path, u64),
    /// Waits until the bytes of a file, or the names in a directory, are on the device.
    Sync(&'a Path),
    /// Creates a directory.
    CreateDir(&'a Path),
    /// Renames a file or directory, possibly replacing a file.
    Rename(&'a Path, &'a Path),
    /// Creates a hard link to a file.
    Link(&'a Path, &'a Path),
    /// Removes a file.
    RemoveFile(&'a Path),
    /// Removes an empty directory.
    RemoveDir(&'a Path),
}

impl<'a> Operation<'a> {
    /// The file or directory; for two paths the old name.
    pub fn path(&self) -> &'a Path {
        match *self {
            Operation::Open(path)
            | Operation::Read(path)
            | Operation::Write(path, _)
            | Operation::SetLength(path, _)
            | Operation::Sync(path)
            | Operation::CreateDir(path)
            | Operation::Rename(path, _)
            | Operation::Link(path, _)
            | Operation::RemoveFile(path)
            | Operation::RemoveDir(path) => path,
        }
    }
}

/// A substitute for the file system.
pub trait Disk: Send + Sync {
    /// Performs an operation or fails it. `really` performs it in the file system; for a write,
    /// with at most the given number of its bytes. Returns the number of bytes read or written.
    ///
    /// # Errors
    /// The error that the program should see.
    fn perform(
        &self,
        operation: Operation<'_>,
        really: &mut dyn FnMut(usize) -> io::Result<usize>,
    ) -> io::Result<usize>;
}

static STAND_INS: RwLock<Vec<(PathBuf, Arc<dyn Disk>)>> = RwLock::new(Vec::new());

/// Substitutes a disk for a directory until it is dropped.
#[derive(Debug)]
pub struct StandIn(PathBuf);

impl StandIn {
    /// Lets `disk` perform all operations in the directory `root` and below it.
    #[must_use]
    pub fn new(root: &Path, disk: Arc<dyn Disk>) -> StandIn {
        let mut all = STAND_INS.write().unwrap_or_else(PoisonError::into_inner);
        all.push((root.to_owned(), disk));
        StandIn(root.to_owned())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let mut all = STAND_INS.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(root, _)| *root != self.0);
    }
}

fn perform(
    operation: Operation<'_>,
    mut really: impl FnMut(usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let all = STAND_INS.read().unwrap_or_else(PoisonError::into_inner);
    let stands_in = |(root, _): &&(PathBuf, _)| operation.path().starts_with(root);
    let found = all.iter().find(stands_in).map(|(_, disk)| Arc::clone(disk));
    drop(all);
    match found {
        Some(disk) => disk.perform(operation, &mut really),
        None => really(usize::MAX),
    }
}

/// Performs an operation that has no number of bytes.
fn act(operation: Operation<'_>, really: impl Fn() -> io::Result<()>) -> io::Result<()> {
    perform(operation, |_| really().map(|()| 0)).map(drop)
}

/// An open file.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    file: fs::File,
}

impl File {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The system's error.
    pub fn open(path: &Path) -> io::Result<File> {
        open(path, OpenOptions::new().read(true))
    }

    /// Opens a file for writing and truncates it; creates it if it does not exist.
    ///
    /// # Errors
    /// The system's error.
    pub fn create(path: &Path) -> io::Result<File> {
        open(
            path,
            OpenOptions::new().write(true).create(true).truncate(true),
        )
    }

    /// Truncates or extends the file.
    ///
    /// # Errors
    /// The system's error.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        let operation = Operation::SetLength(&self.path, length);
        act(operation, || self.file.set_len(length))
    }

    /// Waits until the bytes of the file are on the device.
    ///
    /// # Errors
    /// The system's error.
    pub fn sync(&self) -> io::Result<()> {
        act(Operation::Sync(&self.path), || self.file.sync_all())
    }

    /// Size of the file in bytes.
    ///
    /// # Errors
    /// The system's error.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The system's file, for locking it.
    pub(crate) fn system(&self) -> &fs::File {
        &self.file
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        perform(Operation::Read(&self.path), |_| self.file.read(buffer))
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        perform(Operation::Write(&self.path, bytes), |limit| {
            self.file.write(&bytes[..limit.min(bytes.len())])
        })
    }

    /// Written bytes are already in the system's hands.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Opens a file and nothing else: [`types::open_file`].
///
/// # Errors
/// The system's error, also for anything but a regular file.
pub fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let mut file = None;
    perform(Operation::Open(path), |_| {
        file = Some(types::open_file(path, options)?);
        Ok(0)
    })?;
    let file =
        file.ok_or_else(|| io::Error::other("a disk must open the file it says it has opened"))?;
    Ok(File {
        path: path.to_owned(),
        file,
    })
}

/// Creates a directory.
///
/// # Errors
/// The system's error.
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    act(Operation::CreateDir(path), || fs::create_dir(path))
}

/// Creates a directory and its missing parents.
///
/// # Errors
/// The system's error.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    if path.is_dir() || path == Path::new("") {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_dir_all(parent)?;
    }
    match create_dir(path) {
        // Another process created it first.
        Err(_) if path.is_dir() => Ok(()),
        outcome => outcome,
    }
}

/// Removes a file.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    act(Operation::RemoveFile(path), || {
        patiently(cfg!(windows), || fs::remove_file(path))
    })
}

/// Removes a file, or a directory with its content; of a link only the link.
pub(crate) fn remove_dir_all(path: &Path) -> io::Result<()> {
    if path.is_symlink() || !path.is_dir() {
        return remove_file(path);
    }
    read_dir(path)?
        .iter()
        .try_for_each(|entry| remove_dir_all(entry))?;
    act(Operation::RemoveDir(path), || {
        patiently(cfg!(windows), || fs::remove_dir(path))
    })
}

/// Size of a file, or of all files in a directory, in bytes.
pub(crate) fn size(path: &Path) -> io::Result<u64> {
    if path.is_symlink() || !path.is_dir() {
        return Ok(path.symlink_metadata()?.len());
    }
    read_dir(path)?.iter().map(|entry| size(entry)).sum()
}

/// Renames a file or directory.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    act(Operation::Rename(from, to), || {
        patiently(cfg!(windows), || fs::rename(from, to))
    })
}

/// Pauses before further attempts in milliseconds, two seconds in total.
const PAUSES: [u64; 7] = [5, 15, 60, 120, 300, 500, 1000];

/// Repeats an attempt on Windows while other programs use the file: virus scanners and indexers
/// open each new file for a moment, and a page may be reading it.
fn patiently(is_windows: bool, attempt: impl Fn() -> io::Result<()>) -> io::Result<()> {
    for pause in PAUSES {
        match attempt() {
            Err(error) if is_windows && is_in_use(&error) => {
                thread::sleep(Duration::from_millis(pause));
            }
            outcome => return outcome,
        }
    }
    attempt()
}

/// Windows' errors for files that other programs use: access denied, a sharing violation, a lock
/// violation, and a directory from which an open file was removed.
fn is_in_use(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(5 | 32 | 33 | 145))
}

/// Creates a hard link to a file.
pub(crate) fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    act(Operation::Link(from, to), || fs::hard_link(from, to))
}

/// The paths in a directory, sorted by name.
pub(crate) fn read_dir(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    perform(Operation::Read(path), |_| {
        for entry in fs::read_dir(path)? {
            entries.push(entry?.path());
        }
        Ok(0)
    })?;
    entries.sort();
    Ok(entries)
}

/// Waits until the names in a directory are on the device, if the system can open it.
pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
    match act(Operation::Sync(path), || fs::File::open(path)?.sync_all()) {
        // On Windows, which journals renames, and for a directory whose names may not be read.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates another process that creates directories first, and forbids syncing.
    struct Rival;

    impl Disk for Rival {
        fn perform(
            &self,
            operation: Operation<'_>,
            really: &mut dyn FnMut(usize) -> io::Result<usize>,
        ) -> io::Result<usize> {
            if let Operation::Sync(_) = operation {
                return Err(ErrorKind::PermissionDenied.into());
            }
            if let Operation::CreateDir(_) = operation {
                really(usize::MAX)?;
            }
            really(usize::MAX)
        }
    }

    #[test]
    fn directories_are_there_whoever_makes_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let rival = StandIn::new(folder.path(), Arc::new(Rival));
        create_dir_all(&path).unwrap();
        drop(rival);
        assert!(path.is_dir());
        create_dir_all(&path).unwrap();
        create_dir_all(Path::new("")).unwrap();
        let file = path.join("file");
        fs::write(&file, "").unwrap();
        assert!(create_dir_all(&file).is_err());
        assert!(create_dir_all(&file.join("c")).is_err());
    }

    #[test]
    fn a_file_in_use_is_tried_again_on_windows() {
        use std::cell::Cell;

        let calls = |is_windows, fault| {
            let n_calls = Cell::new(0);
            let outcome = patiently(is_windows, || {
                n_calls.set(n_calls.get() + 1);
                match n_calls.get() {
                    3 => Ok(()),
                    _ => Err(io::Error::from_raw_os_error(fault)),
                }
            });
            (n_calls.get(), outcome.is_ok())
        };
        assert_eq!(calls(true, 32), (3, true));
        assert_eq!(calls(true, 2), (1, false));
        assert_eq!(calls(false, 32), (1, false));
    }

    #[test]
    fn a_directory_that_may_not_be_synced_is_no_fault_and_any_other_is() {
        let folder = tempfile::tempdir().unwrap();
        sync_dir(folder.path()).unwrap();
        let missing = sync_dir(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let _rival = StandIn::new(folder.path(), Arc::new(Rival));
        sync_dir(folder.path()).unwrap();
    }

    #[test]
    fn the_size_of_a_directory_is_that_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        create_dir_all(&folder.path().join("inner")).unwrap();
        for (name, length) in [("a", 5), ("inner/b", 70), ("inner/c", 900)] {
            fs::write(folder.path().join(name), vec![0; length]).unwrap();
        }
        assert_eq!(size(folder.path()).unwrap(), 975);
        assert_eq!(size(&folder.path().join("a")).unwrap(), 5);
        assert!(size(&folder.path().join("none")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_size_of_a_link_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, vec![0; 10_000]).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        let length = folder.path().as_os_str().len() as u64;
        assert_eq!(size(&link).unwrap(), length);
        assert_eq!(size(folder.path()).unwrap(), 10_000 + length);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, doomed, link] = ["kept", "doomed", "link"].map(|name| folder.path().join(name));
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "bytes").unwrap();
        create_dir_all(&doomed.join("inner")).unwrap();
        std::os::unix::fs::symlink(&kept, doomed.join("inner/link")).unwrap();
        std::os::unix::fs::symlink(&kept, &link).unwrap();
        remove_dir_all(&doomed).unwrap();
        remove_dir_all(&link).unwrap();
        assert_eq!(
            read_dir(folder.path()).unwrap(),
            std::slice::from_ref(&kept)
        );
        assert_eq!(fs::read(kept.join("file")).unwrap(), b"bytes");
    }
}
