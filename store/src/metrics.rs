//! Curves of a run as lines of JSON.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};
use crate::run_dir::{RunDir, RunWriter};

/// Maximum size of `metrics.jsonl` in bytes: a hundred thousand generations.
const MAX_BYTES: u64 = 512 << 20;

/// A line of `metrics.jsonl`: values at one time of a run. The tags depend on the program that
/// wrote it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MetricLine {
    /// Optimizer steps: the axis of all curves.
    pub step: u64,
    /// The generation in progress.
    pub generation: u32,
    /// Unix time in seconds.
    pub time: f64,
    /// The values by tag, such as `loss/policy`; `None` if a value is missing.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
}

impl RunDir {
    /// The lines of `metrics.jsonl`, oldest first. Invalid lines are skipped, because the last one
    /// may be incomplete.
    pub fn metrics(&self) -> Result<Vec<MetricLine>> {
        let bytes = read(&self.metrics_path())?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }

    /// Number of invalid lines in `metrics.jsonl`; a last one without a line end may still be in
    /// progress.
    pub fn metrics_damage(&self) -> Result<usize> {
        let bytes = read(&self.metrics_path())?;
        let whole = bytes.split_inclusive(|&byte| byte == b'\n');
        let whole = whole.filter(|line| line.ends_with(b"\n"));
        let bad = whole.filter(|line| serde_json::from_slice::<MetricLine>(line).is_err());
        Ok(bad.count())
    }
}

/// Appends to `metrics.jsonl`.
#[derive(Debug)]
pub struct MetricWriter {
    path: PathBuf,
    lines: File,
}

impl MetricWriter {
    /// Resumes writing after the lines to keep, and returns the number of the others: lines that
    /// the run will write again, and an incomplete last one.
    pub fn open(
        run: &RunWriter,
        stays: impl Fn(&MetricLine) -> bool,
    ) -> Result<(MetricWriter, usize)> {
        let path = run.metrics_path();
        let bytes = read(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_kept = |line: &&str| {
            line.ends_with('\n') && serde_json::from_str(line).is_ok_and(|line| stays(&line))
        };
        let kept: Vec<&str> = text.split_inclusive('\n').filter(is_kept).collect();
        let n_dropped = text.split_inclusive('\n').count() - kept.len();
        atomic::write_file(&path, kept.concat().as_bytes())?;
        let lines = disk::open(&path, OpenOptions::new().append(true))
            .map_err(StoreError::io("open", &path))?;
        Ok((MetricWriter { path, lines }, n_dropped))
    }

    /// Writes a line.
    pub fn write(&mut self, line: &MetricLine) -> Result<()> {
        let mut bytes = serde_json::to_vec(line).map_err(StoreError::json(&self.path))?;
        bytes.push(b'\n');
        self.lines
            .write_all(&bytes)
            .map_err(StoreError::io("write", &self.path))
    }
}

/// Writes a file of these lines, replacing an existing one.
pub(crate) fn write(path: &Path, lines: &[MetricLine]) -> Result<()> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line).map_err(StoreError::json(path))?;
        text.push(b'\n');
    }
    atomic::write_file(path, &text)
}

/// The bytes of `metrics.jsonl`; none if there is no file.
fn read(path: &Path) -> Result<Vec<u8>> {
    Ok(atomic::read_existing(path, MAX_BYTES)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn steps(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        let number = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["step"].as_u64().unwrap()
        };
        text.lines().map(number).collect()
    }

    #[test]
    fn going_on_drops_what_will_be_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunWriter::create(dir.path(), "").unwrap();
        let up_to = |step| MetricWriter::open(&run, move |line| line.step <= step);
        let (mut metrics, _) = up_to(0).unwrap();
        for step in [0, 10, 20, 30] {
            let values = [("loss/policy", Some(0.5)), ("loss/value", None)];
            let line = MetricLine {
                step,
                generation: 1,
                time: 1000.5,
                values: values.map(|(tag, value)| (tag.to_owned(), value)).into(),
            };
            metrics.write(&line).unwrap();
        }
        drop(metrics);
        let path = run.metrics_path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with(
                r#"{"step":0,"generation":1,"time":1000.5,"loss/policy":0.5,"loss/value":null}"#
            ),
            "{text}"
        );

        fs::write(&path, &text[..text.len() - 9]).unwrap();
        let read = RunDir::open(dir.path()).unwrap().metrics().unwrap();
        assert_eq!(
            read.iter().map(|line| line.step).collect::<Vec<_>>(),
            [0, 10, 20],
            "a torn line is not read"
        );
        assert_eq!(read[2].values["loss/policy"], Some(0.5));
        assert_eq!(read[2].values["loss/value"], None);
        assert_eq!(run.metrics_damage().unwrap(), 0, "it may be in writing");
        drop(up_to(100).unwrap());
        assert_eq!(steps(&path), [0, 10, 20], "the torn line is gone");
        let (_, n_dropped) = up_to(9).unwrap();
        assert_eq!((steps(&path), n_dropped), (vec![0], 2));
        fs::write(&path, text.replacen("\"step\":1", "\"stop\":1", 1)).unwrap();
        assert_eq!(run.metrics_damage().unwrap(), 1);
        drop(up_to(20).unwrap());
        assert_eq!(steps(&path), [0, 20], "what comes after the step is gone");

        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(MAX_BYTES + 1).unwrap();
        let is_too_large = |error| matches!(error, StoreError::TooLarge { .. });
        assert!(is_too_large(run.metrics().unwrap_err()));
        assert!(is_too_large(run.metrics_damage().unwrap_err()));
        assert!(is_too_large(up_to(10).unwrap_err()));
    }
}
