//! The file system as this crate uses it.
//!
//! Whatever changes it or reads a file is an [`Operation`] and goes through this module, so that a test can
//! let another [`Disk`] stand in for a directory and put faults in its way. Without one, every function does
//! what its namesake in `std::fs` does. What the callers of [`RunWriter::save_model`](crate::RunWriter::save_model)
//! and the like write into a new directory is not seen before it is synced.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Something that is done to the file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation<'a> {
    /// Opens a file, which may make or empty it.
    Open(&'a Path),
    /// Reads some bytes of a file, or the names in a directory.
    Read(&'a Path),
    /// Writes bytes to an open file.
    Write(&'a Path, &'a [u8]),
    /// Cuts a file off, or makes it longer.
    SetLength(&'a Path, u64),
    /// Waits until the bytes of a file, or the names in a directory, are on the device.
    Sync(&'a Path),
    /// Makes a directory.
    CreateDir(&'a Path),
    /// Gives a file or directory another name, which may be that of a file.
    Rename(&'a Path, &'a Path),
    /// Gives a file a second name.
    Link(&'a Path, &'a Path),
    /// Removes a file.
    RemoveFile(&'a Path),
    /// Removes an empty directory.
    RemoveDir(&'a Path),
}

impl<'a> Operation<'a> {
    /// The file or directory; the old name where there are two.
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

/// What can stand in for the file system.
pub trait Disk: Send + Sync {
    /// Does an operation or refuses it. `really` does it in the file system, a write with as many of its
    /// bytes at most as it is told. What comes back is how many bytes were read or written.
    ///
    /// # Errors
    /// What the program is to see.
    fn perform(
        &self,
        operation: Operation<'_>,
        really: &mut dyn FnMut(usize) -> io::Result<usize>,
    ) -> io::Result<usize>;
}

static STAND_INS: RwLock<Vec<(PathBuf, Arc<dyn Disk>)>> = RwLock::new(Vec::new());

/// A disk stands in for a directory until this is dropped.
#[derive(Debug)]
pub struct StandIn(PathBuf);

impl StandIn {
    /// Lets `disk` perform what happens in the directory `root` and below it.
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

/// Performs what has no number of bytes.
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
    /// The system's.
    pub fn open(path: &Path) -> io::Result<File> {
        open(path, OpenOptions::new().read(true))
    }

    /// Opens a file for writing and empties it; makes it where there is none.
    ///
    /// # Errors
    /// The system's.
    pub fn create(path: &Path) -> io::Result<File> {
        open(
            path,
            OpenOptions::new().write(true).create(true).truncate(true),
        )
    }

    /// Cuts the file off, or makes it longer.
    ///
    /// # Errors
    /// The system's.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        let operation = Operation::SetLength(&self.path, length);
        act(operation, || self.file.set_len(length))
    }

    /// Waits until the bytes of the file are on the device.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> io::Result<()> {
        act(Operation::Sync(&self.path), || self.file.sync_all())
    }

    /// Bytes of the file.
    ///
    /// # Errors
    /// The system's.
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

    /// What was written is the system's already.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Opens a file.
///
/// # Errors
/// The system's.
pub fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let mut file = None;
    perform(Operation::Open(path), |_| {
        file = Some(options.open(path)?);
        Ok(0)
    })?;
    let file =
        file.ok_or_else(|| io::Error::other("a disk must open the file it says it has opened"))?;
    Ok(File {
        path: path.to_owned(),
        file,
    })
}

/// Makes a directory.
///
/// # Errors
/// The system's.
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    act(Operation::CreateDir(path), || fs::create_dir(path))
}

/// Makes a directory and those above it that are missing.
///
/// # Errors
/// The system's.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    if path.is_dir() || path == Path::new("") {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_dir_all(parent)?;
    }
    match create_dir(path) {
        // Somebody else was faster.
        Err(_) if path.is_dir() => Ok(()),
        outcome => outcome,
    }
}

/// Removes a file.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    act(Operation::RemoveFile(path), || fs::remove_file(path))
}

/// Removes a file, or a directory with all that is in it; of a link the link alone.
pub(crate) fn remove_dir_all(path: &Path) -> io::Result<()> {
    if path.is_symlink() || !path.is_dir() {
        return remove_file(path);
    }
    read_dir(path)?
        .iter()
        .try_for_each(|entry| remove_dir_all(entry))?;
    act(Operation::RemoveDir(path), || fs::remove_dir(path))
}

/// Bytes of a file, or of all files in a directory.
pub(crate) fn size(path: &Path) -> io::Result<u64> {
    if path.is_symlink() || !path.is_dir() {
        return Ok(path.symlink_metadata()?.len());
    }
    read_dir(path)?.iter().map(|entry| size(entry)).sum()
}

/// Gives a file or directory another name.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    act(Operation::Rename(from, to), || fs::rename(from, to))
}

/// Gives a file a second name.
pub(crate) fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    act(Operation::Link(from, to), || fs::hard_link(from, to))
}

/// The paths in a directory, by name.
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

/// Waits until the names in a directory are on the device, where the system lets it be opened.
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

    /// Another process is faster at making directories, and nothing may be synced.
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
