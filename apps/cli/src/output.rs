//! Standard output in one of several formats.

use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer as _};
use serde_json::ser::{CompactFormatter, Compound};

use crate::paint::Paint;

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document, or one line per record
    Json,
    /// A table for spreadsheets, from commands that rate players
    Csv,
}

/// Ctrl-C, after all finished work has been saved: the process ends with status 130, as shells
/// expect of an interrupted program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// A JSON document in progress.
pub(crate) type Document<'a> =
    Compound<'a, &'a mut BufWriter<StdoutLock<'static>>, CompactFormatter>;

/// Standard output in the requested format.
pub(crate) struct Output {
    format: Format,
    out: BufWriter<StdoutLock<'static>>,
}

impl Output {
    /// Locks standard output for the rest of the process.
    pub(crate) fn stdout(format: Format) -> Output {
        Output {
            format,
            out: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Returns `true` if results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// The requested format.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// As [`json`](Output::json), for a document that `fill` fills in; [`json_line`] is shorter.
    pub(crate) fn document(
        &mut self,
        fill: impl FnOnce(&mut Document<'_>) -> serde_json::Result<()>,
    ) -> anyhow::Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut self.out);
        let mut document = serializer.serialize_map(None)?;
        fill(&mut document)?;
        document.end()?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// As [`result`](Output::result), in the colors and signs of the terminal.
    pub(crate) fn painted(&mut self, result: &(impl Serialize + Display)) -> anyhow::Result<()> {
        match self.is_json() {
            true => self.json(result),
            false => Ok(write!(
                self,
                "{}",
                Paint::stdout().lines(&result.to_string())
            )?),
        }
    }

    /// Writes a result: as a line of JSON, or as text.
    pub(crate) fn result(&mut self, result: &(impl Serialize + Display)) -> anyhow::Result<()> {
        match self.is_json() {
            true => self.json(result),
            false => Ok(write!(self, "{result}")?),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
