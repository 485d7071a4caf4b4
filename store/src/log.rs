//! The log files of a run: `logs/000001.log` and so on.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::disk::{self, File};

/// Maximum number of files, one for each log that was written.
const MAX_FILES: usize = 20;
/// Maximum size of a file in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A log of bounded size, whose file is created at the first write. The oldest files of the
/// directory are deleted then.
#[derive(Debug)]
pub struct RunLog {
    dir: PathBuf,
    open: Option<Bounded>,
}

/// A file with its remaining capacity in bytes.
#[derive(Debug)]
struct Bounded {
    file: File,
    left: usize,
}

impl RunLog {
    /// A log in a directory, which need not exist yet.
    pub fn new(dir: &Path) -> RunLog {
        RunLog {
            dir: dir.to_owned(),
            open: None,
        }
    }
}

impl Write for RunLog {
    /// A log that cannot be written must not end the training: the bytes are dropped.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.open.is_none() {
            self.open = begin(&self.dir).ok();
        }
        if let Some(Bounded { file, left }) =
            self.open.as_mut().filter(|log| log.left >= bytes.len())
        {
            *left -= bytes.len();
            let _ = file.write_all(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Both ends of a log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogExcerpt {
    /// The first bytes as text.
    pub first: String,
    /// The last bytes as text.
    pub last: String,
}

impl RunLog {
    /// Excerpts of the files of a directory, the oldest first, with `n_bytes` at both ends. A file
    /// that cannot be read is left out.
    pub fn excerpts(dir: &Path, n_bytes: u64) -> Vec<LogExcerpt> {
        let files = files(dir).unwrap_or_default();
        let excerpts = files.iter().map(|(_, path)| excerpt(path, n_bytes));
        excerpts.filter_map(io::Result::ok).collect()
    }
}

fn excerpt(path: &Path, n_bytes: u64) -> io::Result<LogExcerpt> {
    let mut file = File::open(path)?;
    let mut read = |from: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        io::Read::take(&mut file, n_bytes).read_to_end(&mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let length = disk::size(path)?;
    Ok(LogExcerpt {
        first: read(0)?,
        last: read(length.saturating_sub(n_bytes))?,
    })
}

/// Creates the next file and removes the oldest ones.
fn begin(dir: &Path) -> io::Result<Bounded> {
    disk::create_dir_all(dir)?;
    let files = files(dir)?;
    let next = files.last().map_or(1, |(newest, _)| newest + 1);
    let too_many = (files.len() + 1).saturating_sub(MAX_FILES);
    for (_, old) in &files[..too_many] {
        disk::remove_file(old)?;
    }
    let options = &mut OpenOptions::new();
    Ok(Bounded {
        file: disk::open(&path(dir, next), options.write(true).create_new(true))?,
        left: MAX_BYTES,
    })
}

/// The log files of a directory with their numbers, ascending.
fn files(dir: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let paths = disk::read_dir(dir)?.into_iter();
    let mut files: Vec<_> = paths
        .filter_map(|path| Some((number(&path)?, path)))
        .collect();
    files.sort_unstable();
    Ok(files)
}

fn path(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:06}.log"))
}

fn number(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".log")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_call_has_a_file_and_old_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        for _ in 0..MAX_FILES + 3 {
            let mut log = begin(dir.path()).unwrap();
            log.file.write_all(b"x").unwrap();
        }
        let mut found: Vec<u32> = fs::read_dir(dir.path())
            .unwrap()
            .filter_map(|entry| number(&entry.unwrap().path()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, (4..=MAX_FILES as u32 + 3).collect::<Vec<_>>());
    }

    #[test]
    fn excerpts_are_the_ends_of_the_files_in_order() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["one two", "three", ""] {
            begin(dir.path())
                .unwrap()
                .file
                .write_all(text.as_bytes())
                .unwrap();
        }
        fs::write(dir.path().join("notes.txt"), "no log").unwrap();
        let excerpts = RunLog::excerpts(dir.path(), 3);
        let ends: Vec<_> = excerpts
            .iter()
            .map(|log| (&log.first[..], &log.last[..]))
            .collect();
        assert_eq!(ends, [("one", "two"), ("thr", "ree"), ("", "")]);
        assert!(RunLog::excerpts(&dir.path().join("nowhere"), 3).is_empty());
    }

    #[test]
    fn a_file_has_a_largest_size() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = RunLog::new(dir.path());
        let block = vec![b'x'; MAX_BYTES / 2 + 1];
        for _ in 0..2 {
            log.write_all(&block).unwrap();
        }
        let size = || fs::metadata(path(dir.path(), 1)).unwrap().len();
        assert_eq!(size(), block.len() as u64);
        for _ in 0..3 {
            log.write_all(b"x").unwrap();
        }
        assert_eq!(size(), block.len() as u64 + 3, "there is room for these");
    }
}
