//! Positions of self-play as a Parquet table, for data analysis.
//!
//! One row per ply, in the order of generation, game and ply. [`SCHEMA`] defines the columns;
//! unknown values are null.

mod rows;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use store::{AtomicFile, Record, StoreError};

use crate::{Result, RunError};
use rows::Row;

/// The columns. `rows::write` writes them in this order.
const SCHEMA: &str = "message positions {
    REQUIRED INT32 generation;
    REQUIRED INT32 game;
    REQUIRED INT32 ply;
    REQUIRED BINARY network (STRING);
    REQUIRED BINARY fen (STRING);
    REQUIRED BINARY mover (STRING);
    REQUIRED group legal_moves (LIST) { REPEATED group list { REQUIRED BINARY element (STRING); } }
    OPTIONAL group policy (LIST) { REPEATED group list { REQUIRED FLOAT element; } }
    REQUIRED BINARY move (STRING);
    REQUIRED BINARY search (STRING);
    OPTIONAL FLOAT root_win;
    OPTIONAL FLOAT root_draw;
    OPTIONAL FLOAT root_loss;
    OPTIONAL FLOAT raw_win;
    OPTIONAL FLOAT raw_draw;
    OPTIONAL FLOAT raw_loss;
    OPTIONAL FLOAT surprise;
    OPTIONAL INT32 result;
    OPTIONAL BINARY reason (STRING);
    REQUIRED INT32 plies_left;
}";

/// Rows held in memory, about ten megabytes, before they are written together.
const ROWS_PER_GROUP: usize = 1 << 14;

/// A Parquet file in progress; it appears under its name when it is finished.
///
/// | column | meaning |
/// |---|---|
/// | `generation`, `game`, `ply` | generation, game number, and plies played before |
/// | `network` | name of the network that played |
/// | `fen`, `mover` | the position; the side to move, `black` or `white` |
/// | `legal_moves` | the legal moves, in canonical order, in the notation of the command line |
/// | `policy` | the policy target: a probability for each of `legal_moves`; after a full search |
/// | `move` | the move played, one of `legal_moves` |
/// | `search` | selection of the move: `opening`, `forced`, `fast` or `full` |
/// | `root_win`, `root_draw`, `root_loss` | value after the search, for the mover |
/// | `raw_win`, `raw_draw`, `raw_loss` | the network's value, for the mover; with a full search |
/// | `surprise` | divergence of the policy target from the network's policy, in nats |
/// | `result` | 1 if the mover won, 0 for a draw, -1 if it lost; null for truncated games |
/// | `reason` | the rule that ended the game; null for truncated games |
/// | `plies_left` | plies from here to the end of the game, at least 1 |
pub struct PositionTable {
    path: PathBuf,
    writer: SerializedFileWriter<AtomicFile>,
    /// Rows that have not been written yet.
    rows: Vec<Row>,
}

impl PositionTable {
    /// Creates a table. An existing file with the name is replaced when the table is finished.
    pub fn create(path: &Path) -> Result<PositionTable> {
        let schema = parse_message_type(SCHEMA).map_err(failed(path))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build();
        let file = AtomicFile::create(path)?;
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(failed(path))?;
        Ok(PositionTable {
            path: path.to_owned(),
            writer,
            rows: Vec::new(),
        })
    }

    /// The columns, each with its type as the Hugging Face Hub names it.
    pub fn columns() -> Vec<(&'static str, &'static str)> {
        let column = |line: &'static str| {
            let mut words = line.split_whitespace().skip(1);
            let (kind, name) = (words.next()?, words.next()?.trim_end_matches(';'));
            let kind = match (kind, line.contains("FLOAT")) {
                ("group", true) => "list of float32",
                ("group", false) => "list of string",
                ("INT32", _) => "int32",
                ("FLOAT", _) => "float32",
                _ => "string",
            };
            Some((name, kind))
        };
        let fields = SCHEMA.lines().skip(1).take_while(|line| *line != "}");
        fields.filter_map(column).collect()
    }

    /// Adds the positions of a game.
    pub fn add(&mut self, record: &Record) -> Result<()> {
        self.rows.extend(rows::rows(record));
        if self.rows.len() >= ROWS_PER_GROUP {
            self.flush()?;
        }
        Ok(())
    }

    /// Finishes the table. It is on disk when this returns.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        let file = self.writer.into_inner().map_err(failed(&self.path))?;
        Ok(file.finish()?)
    }

    fn flush(&mut self) -> Result<()> {
        if !self.rows.is_empty() {
            rows::write(&self.rows, &mut self.writer).map_err(failed(&self.path))?;
            self.rows.clear();
        }
        Ok(())
    }
}

fn failed<E: Error + Send + Sync + 'static>(path: &Path) -> impl FnOnce(E) -> RunError {
    move |error| StoreError::io("write", path)(io::Error::other(error)).into()
}
