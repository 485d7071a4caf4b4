//! Scalars over the course of a run, as lines of JSON and as TensorBoard event files.

mod scalar;
mod tensorboard;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

pub use scalar::Scalar;
use tensorboard::EventFile;

use crate::atomic;
use crate::error::{Result, StoreError};
use crate::run_dir::{RunDir, RunWriter};

/// Scalars at one moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Optimiser steps done: the axis of all curves.
    pub step: u64,
    /// The generation that is being worked on.
    pub generation: u32,
    /// The values. One that is not finite becomes `null`.
    pub values: &'a [(Scalar, f64)],
}

/// A point as a run's `metrics.jsonl` has it. Its values may include scalars that only a newer
/// program knows.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct MetricLine {
    /// Optimiser steps done.
    pub step: u64,
    /// The generation that was being worked on.
    pub generation: u32,
    /// Seconds since 1970.
    pub time: f64,
    /// The values by tag; none where one was not finite.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
}

impl RunDir {
    /// The points of `metrics.jsonl`, oldest first. Lines that are no points, such as one that is being
    /// written, are passed over.
    pub fn metrics(&self) -> Result<Vec<MetricLine>> {
        let path = self.metrics_path();
        if !path.exists() {
            return Ok(Vec::new());
        }
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }
}

/// Writes points to `metrics.jsonl` and to `tensorboard/`.
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    lines: File,
    events: EventFile,
}

impl Metrics {
    /// Goes on writing after a step: later points, which the run will make again, and a torn last line are
    /// dropped.
    pub fn open(run: &RunWriter, step: u64) -> Result<Metrics> {
        let path = run.metrics_path();
        let kept = kept_lines(&path, step)?;
        atomic::write_file(&path, kept.as_bytes())?;
        let lines = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        let events = EventFile::create(&run.tensorboard_path(), now(), step + 1)?;
        Ok(Metrics {
            path,
            lines,
            events,
        })
    }

    /// Writes a point.
    pub fn write(&mut self, point: &Point<'_>) -> Result<()> {
        let time = now();
        let mut line =
            serde_json::to_vec(&Line { time, point }).map_err(StoreError::json(&self.path))?;
        line.push(b'\n');
        self.lines
            .write_all(&line)
            .map_err(StoreError::io("write", &self.path))?;
        self.events.write(time, point)
    }
}

/// A line of the file: where and when, then the values by tag.
struct Line<'a> {
    time: f64,
    point: &'a Point<'a>,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.point.values.len() + 3))?;
        map.serialize_entry("step", &self.point.step)?;
        map.serialize_entry("generation", &self.point.generation)?;
        map.serialize_entry("time", &self.time)?;
        for (scalar, value) in self.point.values {
            map.serialize_entry(scalar.tag(), value)?;
        }
        map.end()
    }
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

fn kept_lines(path: &Path, step: u64) -> Result<String> {
    #[derive(Deserialize)]
    struct Head {
        step: u64,
    }
    if !path.exists() {
        return Ok(String::new());
    }
    let bytes = fs::read(path).map_err(StoreError::io("read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let is_kept = |line: &&str| {
        line.ends_with('\n') && serde_json::from_str(line).is_ok_and(|head: Head| head.step <= step)
    };
    Ok(text.split_inclusive('\n').filter(is_kept).collect())
}

#[cfg(test)]
mod tests {
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
        let mut metrics = Metrics::open(&run, 0).unwrap();
        for step in [0, 10, 20, 30] {
            let values = [(Scalar::PolicyLoss, 0.5), (Scalar::ValueLoss, f64::NAN)];
            metrics
                .write(&Point {
                    step,
                    generation: 1,
                    values: &values,
                })
                .unwrap();
        }
        drop(metrics);
        let path = run.metrics_path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with(r#"{"step":0,"generation":1,"time":1"#),
            "{text}"
        );
        assert!(
            text.contains(r#""loss/policy":0.5,"loss/value":null}"#),
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
        drop(Metrics::open(&run, 100).unwrap());
        assert_eq!(steps(&path), [0, 10, 20], "the torn line is gone");
        drop(Metrics::open(&run, 10).unwrap());
        assert_eq!(steps(&path), [0, 10], "what comes after the step is gone");
    }
}
