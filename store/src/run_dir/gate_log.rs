//! The log of a gate in progress: a line with its terms, then a line for each pair.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic;
use crate::error::{Result, StoreError};

/// The pairs of a gate in progress. Each one is on disk when [`GateLog::append`] returns.
#[derive(Debug)]
pub struct GateLog {
    path: PathBuf,
    file: File,
}

impl GateLog {
    /// Continues the log at `path` if it has the same terms, else begins a new one.
    ///
    /// A torn or damaged line and all lines after it are dropped: those pairs are played again.
    pub(super) fn open<T: DeserializeOwned>(
        path: PathBuf,
        terms: &impl Serialize,
    ) -> Result<(GateLog, Vec<T>)> {
        let first = line(&path, terms)?;
        let old = match path.exists() {
            true => fs::read(&path).map_err(StoreError::io("read", &path))?,
            false => Vec::new(),
        };
        let (mut kept, mut pairs) = (first.clone(), Vec::new());
        if let Some(lines) = old.strip_prefix(first.as_slice()) {
            for line in lines.split_inclusive(|&byte| byte == b'\n') {
                let Some(pair) = line
                    .strip_suffix(b"\n")
                    .and_then(|line| serde_json::from_slice(line).ok())
                else {
                    break;
                };
                kept.extend_from_slice(line);
                pairs.push(pair);
            }
        }
        atomic::write_file(&path, &kept)?;
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        Ok((GateLog { path, file }, pairs))
    }

    /// Appends a pair.
    pub fn append(&mut self, pair: &impl Serialize) -> Result<()> {
        let line = line(&self.path, pair)?;
        self.file
            .write_all(&line)
            .map_err(StoreError::io("write", &self.path))?;
        self.file
            .sync_data()
            .map_err(StoreError::io("sync", &self.path))
    }
}

fn line(path: &Path, document: &impl Serialize) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(document).map_err(StoreError::json(path))?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_goes_on_after_a_torn_line_and_only_under_its_terms() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("000001.log");
        let open = |terms: &str| GateLog::open::<u32>(path.clone(), &terms).unwrap();
        let (mut log, pairs) = open("a");
        assert!(pairs.is_empty());
        [7, 8, 9].iter().for_each(|pair| log.append(pair).unwrap());
        drop(log);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let (mut log, pairs) = open("a");
        assert_eq!(pairs, [7, 8]);
        log.append(&5).unwrap();
        assert_eq!(open("a").1, [7, 8, 5]);
        assert!(open("b").1.is_empty());
        assert!(open("a").1.is_empty());
    }
}
