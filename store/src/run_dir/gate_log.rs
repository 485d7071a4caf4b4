//! The log of a gate in progress: a line with its terms, then one line per pair. Each line is JSON,
//! a space and the CRC-32C of the JSON in eight hexadecimal digits.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};
use crate::set_aside::SetAside;

/// The pairs of a gate in progress. Each one is on disk when [`GateLog::append`] returns.
#[derive(Debug)]
pub struct GateLog {
    path: PathBuf,
    file: File,
}

impl GateLog {
    /// Continues the log at `path` if it has the same terms; otherwise starts a new one.
    ///
    /// A torn or damaged line and all lines after it are dropped: those pairs are played again.
    pub(super) fn open<T: DeserializeOwned>(
        path: PathBuf,
        terms: &impl Serialize,
        aside: &mut SetAside,
    ) -> Result<(GateLog, Vec<T>)> {
        let first = line(&path, terms)?;
        let old = atomic::read_existing(&path, atomic::MAX_DOCUMENT_BYTES)?.unwrap_or_default();
        let (mut kept, mut pairs) = (first.clone(), Vec::new());
        if let Some(lines) = old.strip_prefix(first.as_slice()) {
            for line in lines.split_inclusive(|&byte| byte == b'\n') {
                let Some(pair) = document(line).and_then(|json| serde_json::from_slice(json).ok())
                else {
                    break;
                };
                kept.extend_from_slice(line);
                pairs.push(pair);
            }
        }
        if !(old.starts_with(&kept) || old.is_empty()) {
            aside.copy(&path, "it belongs to a gate with other terms")?;
        } else if old[kept.len().min(old.len())..].contains(&b'\n') {
            aside.copy(&path, "one of its pairs is damaged")?;
        }
        atomic::write_file(&path, &kept)?;
        let file = disk::open(&path, OpenOptions::new().append(true))
            .map_err(StoreError::io("open", &path))?;
        Ok((GateLog { path, file }, pairs))
    }

    /// Appends a pair.
    pub fn append(&mut self, pair: &impl Serialize) -> Result<()> {
        let line = line(&self.path, pair)?;
        self.file
            .write_all(&line)
            .map_err(StoreError::io("write", &self.path))?;
        self.file.sync().map_err(StoreError::io("sync", &self.path))
    }
}

fn line(path: &Path, document: &impl Serialize) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(document).map_err(StoreError::json(path))?;
    let checksum = crc32c::crc32c(&line);
    line.extend(format!(" {checksum:08x}\n").into_bytes());
    Ok(line)
}

/// The JSON of an intact line.
fn document(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\n")?;
    let (json, checksum) = line.split_at_checked(line.len().checked_sub(9)?)?;
    let expected = format!(" {:08x}", crc32c::crc32c(json));
    (checksum == expected.as_bytes()).then_some(json)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_log_goes_on_after_a_torn_line_and_only_under_its_terms() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("000001.log");
        let open = |terms: &str| {
            let mut aside = SetAside::new(dir.path());
            GateLog::open::<u32>(path.clone(), &terms, &mut aside).unwrap()
        };
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
        assert!(!dir.path().join("set-aside").exists());
        let whole = fs::read(&path).unwrap();
        for byte in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[byte] ^= 1;
            fs::write(&path, flipped).unwrap();
            assert!([7, 8, 5].starts_with(&open("a").1), "byte {byte}");
            fs::write(&path, &whole).unwrap();
        }
        assert!(open("b").1.is_empty());
        assert!(open("a").1.is_empty());
    }
}
