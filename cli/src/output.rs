//! Where results go.

use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document, or one line a record
    Json,
    /// A table for spreadsheets, from commands that rate players
    Csv,
}

/// A request that makes no sense: the process ends with status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Ctrl-C, after which everything that is finished has been saved: the process ends with status 130,
/// as shells expect of an interrupted program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Standard output in the format that was asked for.
pub(crate) struct Output {
    format: Format,
    out: BufWriter<StdoutLock<'static>>,
}

impl Output {
    /// Takes standard output for the rest of the process.
    pub(crate) fn stdout(format: Format) -> Output {
        Output {
            format,
            out: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Whether results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// The format that was asked for.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
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
