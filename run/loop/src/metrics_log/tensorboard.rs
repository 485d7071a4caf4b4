//! TensorBoard event files.
//!
//! The `SummaryWriter` of tensorboard-rs writes from a thread that panics when the disk is full,
//! after which every call panics too. This module uses its parts without the thread and returns
//! errors.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use protobuf::Message;
use protobuf::well_known_types::Value;
use store::StoreError;
use store::disk::{self, File};
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_proto::plugin_hparams::{HParamsPluginData, SessionStartInfo};
use tensorboard_proto::summary::{
    Summary, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData,
};
use tensorboard_proto::tensor::TensorProto;
use tensorboard_proto::tensor_shape::{TensorShapeProto, TensorShapeProto_Dim};
use tensorboard_proto::types::DataType;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary;

use crate::Result;

/// One event file. A process that resumes a run creates another one in the same directory.
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
    /// Creates an event file. TensorBoard then ignores points from `first_step` on in earlier
    /// files. Users delete the directory to see new curves only, so it is created if it is missing.
    pub(super) fn create(dir: &Path, time: f64, first_step: u64) -> Result<EventFile> {
        disk::create_dir_all(dir).map_err(StoreError::io("create", dir))?;
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

    /// Writes one point of a curve.
    pub(super) fn scalar(&mut self, time: f64, step: u64, tag: &str, value: f64) -> Result<()> {
        self.summary(time, step, summary::scalar(tag, value as f32))
    }

    /// Writes a text, which TensorBoard renders as Markdown.
    pub(super) fn text(&mut self, time: f64, step: u64, tag: &str, text: &str) -> Result<()> {
        let mut tensor = tensor(DataType::DT_STRING);
        tensor.set_string_val(vec![text.as_bytes().to_vec()].into());
        let metadata = metadata("text", Vec::new());
        self.summary(time, step, tensor_summary(tag, tensor, metadata))
    }

    /// Writes the settings of a run for TensorBoard's table of runs. Runs of one `group` are seeds
    /// of one experiment.
    pub(super) fn hparams(
        &mut self,
        time: f64,
        group: &str,
        settings: impl Iterator<Item = (String, toml::Value)>,
    ) -> Result<()> {
        let mut start = SessionStartInfo::new();
        start.set_hparams(
            settings
                .map(|(name, value)| (name, hparam(&value)))
                .collect(),
        );
        start.set_group_name(group.to_owned());
        start.set_start_time_secs(time);
        let mut data = HParamsPluginData::new();
        data.set_session_start_info(start);
        let content = data.write_to_bytes().map_err(std::io::Error::other);
        let content = content.map_err(StoreError::io("write", &self.path))?;
        let mut nothing = tensor(DataType::DT_FLOAT);
        nothing.set_float_val(vec![0.0]);
        let tag = "_hparams_/session_start_info";
        self.summary(
            time,
            0,
            tensor_summary(tag, nothing, metadata("hparams", content)),
        )
    }

    fn summary(&mut self, time: f64, step: u64, summary: Summary) -> Result<()> {
        let mut event = Event::new();
        event.set_wall_time(time);
        event.set_step(step as i64);
        event.set_summary(summary);
        self.append(&event)
    }

    fn append(&mut self, event: &Event) -> Result<()> {
        let bytes = event.write_to_bytes().map_err(std::io::Error::other);
        bytes
            .and_then(|bytes| self.records.write(&bytes))
            .map_err(|source| StoreError::io("write", &self.path)(source).into())
    }
}

/// An empty tensor for one number or text.
fn tensor(of: DataType) -> TensorProto {
    let mut one = TensorShapeProto_Dim::new();
    one.set_size(1);
    let mut shape = TensorShapeProto::new();
    shape.set_dim(vec![one].into());
    let mut tensor = TensorProto::new();
    tensor.set_dtype(of);
    tensor.set_tensor_shape(shape);
    tensor
}

/// Names the TensorBoard plugin that displays a value.
fn metadata(plugin: &str, content: Vec<u8>) -> SummaryMetadata {
    let mut data = SummaryMetadata_PluginData::new();
    data.set_plugin_name(plugin.to_owned());
    data.set_content(content);
    let mut metadata = SummaryMetadata::new();
    metadata.set_plugin_data(data);
    metadata
}

fn tensor_summary(tag: &str, tensor: TensorProto, metadata: SummaryMetadata) -> Summary {
    let mut value = Summary_Value::new();
    value.set_tag(tag.to_owned());
    value.set_tensor(tensor);
    value.set_metadata(metadata);
    let mut summary = Summary::new();
    summary.set_value(vec![value].into());
    summary
}

/// Numbers and booleans unchanged, everything else as text.
fn hparam(value: &toml::Value) -> Value {
    let mut hparam = Value::new();
    match value {
        toml::Value::Integer(number) => hparam.set_number_value(*number as f64),
        toml::Value::Float(number) => hparam.set_number_value(*number),
        toml::Value::Boolean(is_on) => hparam.set_bool_value(*is_on),
        toml::Value::String(text) => hparam.set_string_value(text.clone()),
        other => hparam.set_string_value(other.to_string()),
    }
    hparam
}

/// TensorBoard reads files in the order of their names, so the name starts with the time.
fn create_file(dir: &Path, time: f64) -> Result<(PathBuf, File)> {
    let host = gethostname::gethostname();
    let (seconds, host, process) = (time as u64, host.to_string_lossy(), std::process::id());
    let name = format!("events.out.tfevents.{seconds:010}.{host}.{process}");
    let mut path = dir.join(format!("{name}.0"));
    let mut n = 0;
    while path.exists() {
        n += 1;
        path = dir.join(format!("{name}.{n}"));
    }
    let mut options = OpenOptions::new();
    let file = disk::open(&path, options.write(true).create_new(true))
        .map_err(StoreError::io("create", &path))?;
    Ok((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorboard_rs::masked_crc32c::masked_crc32c;

    /// The events of a file: length (u64), its checksum, the message, its checksum.
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
        first.scalar(1001.0, 40, "rating/elo", 123.5).unwrap();

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

    #[test]
    fn settings_are_what_the_plugin_reads() {
        let run = tempfile::tempdir().unwrap();
        let mut file = EventFile::create(run.path(), 1000.5, 1).unwrap();
        let settings = [
            ("seed", toml::Value::Integer(7)),
            ("search.mode", "puct".into()),
            ("is_fast", true.into()),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        file.hparams(1001.0, "thai", settings.into_iter()).unwrap();
        file.text(1001.0, 3, "config", "seed = 7").unwrap();

        let events = events(&file.path);
        let values = |event: &Event| event.get_summary().value[0].clone();
        let (hparams, text) = (values(&events[2]), values(&events[3]));
        let data = hparams.get_metadata().get_plugin_data();
        assert_eq!(data.get_plugin_name(), "hparams");
        let data = HParamsPluginData::parse_from_bytes(data.get_content()).unwrap();
        let start = data.get_session_start_info();
        assert_eq!(start.get_group_name(), "thai");
        assert_eq!(start.hparams["seed"].get_number_value(), 7.0);
        assert_eq!(start.hparams["search.mode"].get_string_value(), "puct");
        assert!(start.hparams["is_fast"].get_bool_value());
        assert_eq!(text.get_tensor().string_val[0], b"seed = 7");
        let plugin = text.get_metadata().get_plugin_data();
        assert_eq!(plugin.get_plugin_name(), "text");
    }
}
