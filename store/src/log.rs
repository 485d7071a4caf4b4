//! The log files of a run: `logs/000001.log` and so on.

use std::fs::OpenOptions;
use std::io::{self, Write};
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

/// Creates the next file and removes the oldest ones.
fn begin(dir: &Path) -> io::Result<Bounded> {
    disk::create_dir_all(dir)?;
    let mut numbers: Vec<u32> = disk::read_dir(dir)?
        .iter()
        .filter_map(|path| number(path))
        .collect();
    numbers.sort_unstable();
    let next = numbers.last().map_or(1, |newest| newest + 1);
    let too_many = (numbers.len() + 1).saturating_sub(MAX_FILES);
    for old in &numbers[..too_many] {
        disk::remove_file(&path(dir, *old))?;
    }
    let options = &mut OpenOptions::new();
    Ok(Bounded {
        file: disk::open(&path(dir, next), options.write(true).create_new(true))?,
        left: MAX_BYTES,
    })
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
