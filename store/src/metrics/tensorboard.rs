//! TensorBoard event files.
//!
//! The `SummaryWriter` of tensorboard-rs writes from a thread that panics when the disk is full, and so
//! does every later call. Its parts are used here without the thread: errors come back as errors.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use protobuf::Message;
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary;

use super::Point;
use crate::error::{Result, StoreError};

/// One event file. A process that goes on with a run begins another one in the same directory.
pub(super) struct EventFile {
    path: PathBuf,
    records: RecordWriter<File>,
}

impl std::fmt::Debug for EventFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl EventFile {
    /// Begins a file. TensorBoard then drops what earlier files say from `first_step` on. People delete
    /// the directory to see new curves only, so it is made where it is missing.
    pub(super) fn create(dir: &Path, time: f64, first_step: u64) -> Result<EventFile> {
        fs::create_dir_all(dir).map_err(StoreError::io("create", dir))?;
        let (path, file) = create_file(dir, time)?;
        let mut events = EventFile {
            path,
            records: RecordWriter::new(file),
        };

        let mut version = Event::new();
        version.set_wall_time(time);
        version.set_file_version("brain.Event:2".to_owned());
        events.append(&version)?;

        let mut session = SessionLog::new();
        session.set_status(SessionLog_SessionStatus::START);
        let mut start = Event::new();
        start.set_wall_time(time);
        start.set_step(first_step as i64);
        start.set_session_log(session);
        events.append(&start)?;
        Ok(events)
    }

    /// Writes a point, an event for each value.
    pub(super) fn write(&mut self, time: f64, point: &Point<'_>) -> Result<()> {
        for (scalar, value) in point.values {
            let mut event = Event::new();
            event.set_wall_time(time);
            event.set_step(point.step as i64);
            event.set_summary(summary::scalar(scalar.tag(), *value as f32));
            self.append(&event)?;
        }
        Ok(())
    }

    fn append(&mut self, event: &Event) -> Result<()> {
        let bytes = event.write_to_bytes().map_err(std::io::Error::other);
        bytes
            .and_then(|bytes| self.records.write(&bytes))
            .map_err(StoreError::io("write", &self.path))
    }
}

/// Files are read in the order of their names, so the time comes first.
fn create_file(dir: &Path, time: f64) -> Result<(PathBuf, File)> {
    let host = gethostname::gethostname();
    let (seconds, host, process) = (time as u64, host.to_string_lossy(), std::process::id());
    let mut n = 0;
    loop {
        let path = dir.join(format!(
            "events.out.tfevents.{seconds:010}.{host}.{process}.{n}"
        ));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => n += 1,
            Err(error) => return Err(StoreError::io("create", &path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Scalar;
    use tensorboard_rs::masked_crc32c::masked_crc32c;

    /// The events of a file: length u64, its checksum, the message, its checksum.
    fn events(path: &Path) -> Vec<Event> {
        let mut bytes = std::fs::read(path).unwrap();
        let mut events = Vec::new();
        while !bytes.is_empty() {
            let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
            let message = &bytes[12..12 + length];
            let crc = u32::from_le_bytes(bytes[12 + length..16 + length].try_into().unwrap());
            assert_eq!(crc, masked_crc32c(message));
            events.push(Event::parse_from_bytes(message).unwrap());
            bytes.drain(..16 + length);
        }
        events
    }

    #[test]
    fn scalars_are_events_after_a_start() {
        let run = tempfile::tempdir().unwrap();
        let dir = run.path().join("tensorboard");
        let mut first = EventFile::create(&dir, 1000.5, 1).unwrap();
        let second = EventFile::create(&dir, 1000.5, 41).unwrap();
        assert_ne!(
            first.path, second.path,
            "a process can go on twice within a second"
        );
        let point = Point {
            step: 40,
            generation: 2,
            values: &[(Scalar::Elo, 123.5)],
        };
        first.write(1001.0, &point).unwrap();

        let events = events(&first.path);
        assert_eq!(events.len(), 3);
        assert_eq!(events[0].get_file_version(), "brain.Event:2");
        assert_eq!(events[1].get_step(), 1);
        let value = &events[2].get_summary().value[0];
        assert_eq!(
            (events[2].get_step(), events[2].get_wall_time()),
            (40, 1001.0)
        );
        assert_eq!(
            (value.get_tag(), value.get_simple_value()),
            ("rating/elo", 123.5)
        );
    }
}
