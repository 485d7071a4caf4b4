//! Standard output in one of several formats.

use std::fmt::{self, Display};
use std::io::{self, StdoutLock, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer as _};
use serde_json::Serializer;
use serde_json::ser::{Compound, Formatter};
use types::{printable, steers};

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

/// Prints a line of any text on standard error, if possible.
pub(crate) fn note(text: fmt::Arguments<'_>) {
    line(&printable(&text.to_string()));
}

/// Prints a line on standard error, if possible. It may have colors, so foreign text in it must be
/// printable.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks whether the program was started with its standard output closed, before the runtime opens
/// `/dev/null` in its place, where results would be lost without an error. After that it is too
/// late: parents that discard results, such as Python and node, open `/dev/null` in the same way.
#[ctor::ctor(unsafe)]
fn look_at_standard_output() {
    // Under Wine this folder has other files.
    let is_closed = cfg!(unix) && Path::new("/dev/fd").is_dir() && !Path::new("/dev/fd/1").exists();
    IS_CLOSED.store(is_closed, Ordering::Relaxed);
}

/// Fails if standard output is closed.
pub(crate) fn require_standard_output() -> io::Result<()> {
    match IS_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other(
            "the result cannot be written: standard output is closed",
        )),
        false => Ok(()),
    }
}

/// Standard output. Writing to a closed one fails.
pub(crate) struct Stdout(StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        require_standard_output()?;
        self.0.write(bytes)
    }

    /// Unlike the provided method, leaves parts of a line to the line buffer below.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        require_standard_output()?;
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Compact JSON, in which foreign text cannot steer a terminal: serde_json itself escapes only the
/// control characters of ASCII.
#[derive(Clone, Debug)]
pub(crate) struct PrintableJson;

impl Formatter for PrintableJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for part in fragment.split_inclusive(steers) {
            let mut letters = part.chars();
            match letters.next_back().filter(|&last| steers(last)) {
                // All such letters have 16 bits.
                Some(last) => write!(writer, "{}\\u{:04x}", letters.as_str(), u32::from(last))?,
                None => writer.write_all(part.as_bytes())?,
            }
        }
        Ok(())
    }
}

/// A JSON document in progress.
pub(crate) type Document<'a> = Compound<'a, &'a mut Vec<u8>, PrintableJson>;

/// Standard output in the requested format. Each line is written when it is complete.
pub(crate) struct Output {
    format: Format,
    out: Stdout,
}

impl Output {
    /// Locks standard output for the rest of the process.
    pub(crate) fn stdout(format: Format) -> Output {
        Output {
            format,
            out: Stdout(io::stdout().lock()),
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
        let mut line = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut line, PrintableJson))?;
        self.json_text(line)
    }

    /// As [`json`](Output::json), for a document that `fill` fills in; [`json_line`] is shorter.
    pub(crate) fn document(
        &mut self,
        fill: impl FnOnce(&mut Document<'_>) -> serde_json::Result<()>,
    ) -> anyhow::Result<()> {
        let mut line = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut line, PrintableJson);
        let mut document = serializer.serialize_map(None)?;
        fill(&mut document)?;
        document.end()?;
        self.json_text(line)
    }

    /// Writes a document in one piece. The error of a closed pipe stays visible; a serializer
    /// would wrap it.
    fn json_text(&mut self, mut line: Vec<u8>) -> anyhow::Result<()> {
        line.push(b'\n');
        Ok(self.out.write_all(&line)?)
    }

    /// As [`result`](Output::result), in the colors and signs of the terminal.
    pub(crate) fn painted(&mut self, result: &(impl Serialize + Display)) -> anyhow::Result<()> {
        if self.is_json() {
            return self.json(result);
        }
        let painted = Paint::stdout().lines(&printable(&result.to_string()));
        Ok(self.out.write_all(painted.as_bytes())?)
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
    /// Writes text, in which names and messages of others cannot steer a terminal.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.out.write_all(printable(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
