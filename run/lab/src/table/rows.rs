//! Rows of the table, and their columns as Parquet's writer expects them.

use std::io::Write;
use std::iter;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, FloatType, Int32Type};
use parquet::errors::Result;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use rules::{Game, Move, MoveList, Outcome, Position};

use store::{GameId, Ply, Record, RecordedSearch, Surprise, Wdl8};

/// A position of a game.
pub(super) struct Row {
    id: GameId,
    network: String,
    /// Plies before it, and until the end of the game.
    ply: usize,
    plies_left: usize,
    position: Position,
    /// In canonical order, like policies.
    legal: Vec<Move>,
    played: Ply,
    result: Option<Outcome>,
}

/// The positions of a record whose moves are known to be legal.
pub(super) fn rows(record: &Record) -> impl Iterator<Item = Row> {
    let mut game = Game::new(record.start);
    let mut legal = MoveList::new();
    record.plies.iter().enumerate().map(move |(ply, played)| {
        let position = *game.position();
        position.generate(&mut legal);
        legal.sort_canonical();
        game.play(played.mv);
        Row {
            id: record.header.id,
            network: record.header.network.clone(),
            ply,
            plies_left: record.plies.len() - ply,
            position,
            legal: legal.to_vec(),
            played: played.clone(),
            result: record.result,
        }
    })
}

/// Writes rows as one row group, the columns in the order of the schema.
pub(super) fn write<W: Write + Send>(rows: &[Row], to: &mut SerializedFileWriter<W>) -> Result<()> {
    let mut to = Columns {
        rows,
        group: to.next_row_group()?,
    };
    to.required::<Int32Type>(|row| row.id.generation as i32)?;
    to.required::<Int32Type>(|row| row.id.number as i32)?;
    to.required::<Int32Type>(|row| row.ply as i32)?;
    to.required::<ByteArrayType>(|row| row.network.as_str().into())?;
    to.required::<ByteArrayType>(|row| row.position.to_fen().as_str().into())?;
    to.required::<ByteArrayType>(|row| row.position.turn().to_string().as_str().into())?;
    to.lists::<ByteArrayType>(1, |row| row.legal.iter().map(|mv| row.text(*mv)).collect())?;
    to.lists::<FloatType>(2, Row::policy)?;
    to.required::<ByteArrayType>(|row| row.text(row.played.mv))?;
    to.required::<ByteArrayType>(|row| row.choice().into())?;
    for i in 0..3 {
        to.optional::<FloatType>(|row| Some(row.played.search.value()?.probabilities()[i]))?;
    }
    for i in 0..3 {
        to.optional::<FloatType>(|row| Some(row.raw()?.0.probabilities()[i]))?;
    }
    to.optional::<FloatType>(|row| Some(row.raw()?.1.nats()))?;
    to.optional::<Int32Type>(|row| {
        let half_points = row.result?.half_points(row.position.turn());
        Some(half_points as i32 - 1)
    })?;
    to.optional::<ByteArrayType>(|row| row.result.map(|result| result.reason().into()))?;
    to.required::<Int32Type>(|row| row.plies_left as i32)?;
    to.group.close()?;
    Ok(())
}

impl Row {
    fn text(&self, mv: Move) -> ByteArray {
        self.position
            .move_text_among(mv, &self.legal)
            .as_str()
            .into()
    }

    /// The selection of the move.
    fn choice(&self) -> &'static str {
        match self.played.search {
            RecordedSearch::Opening => "opening",
            RecordedSearch::Forced { .. } => "forced",
            RecordedSearch::Fast { .. } => "fast",
            RecordedSearch::Full { .. } => "full",
        }
    }

    /// The network's value, and the surprise; only with a full search.
    fn raw(&self) -> Option<(Wdl8, Surprise)> {
        match self.played.search {
            RecordedSearch::Full {
                raw_value,
                surprise,
                ..
            } => Some((raw_value, surprise)),
            _ => None,
        }
    }

    /// The policy target; empty without a full search.
    fn policy(&self) -> Vec<f32> {
        match &self.played.search {
            RecordedSearch::Full { policy, .. } => policy.probabilities(),
            _ => Vec::new(),
        }
    }
}

/// A row group that is being written, column by column.
struct Columns<'a, W: Write + Send> {
    rows: &'a [Row],
    group: SerializedRowGroupWriter<'a, W>,
}

impl<W: Write + Send> Columns<'_, W> {
    fn required<D: DataType>(&mut self, value: impl Fn(&Row) -> D::T) -> Result<()> {
        let values: Vec<D::T> = self.rows.iter().map(value).collect();
        self.write::<D>(&values, None, None)
    }

    fn optional<D: DataType>(&mut self, value: impl Fn(&Row) -> Option<D::T>) -> Result<()> {
        let found: Vec<Option<D::T>> = self.rows.iter().map(value).collect();
        let definition: Vec<i16> = found.iter().map(|value| value.is_some().into()).collect();
        let values: Vec<D::T> = found.into_iter().flatten().collect();
        self.write::<D>(&values, Some(&definition), None)
    }

    /// Lists whose elements have this definition level. An empty one is written as null.
    fn lists<D: DataType>(&mut self, level: i16, list: impl Fn(&Row) -> Vec<D::T>) -> Result<()> {
        let (mut values, mut definition, mut repetition) = (Vec::new(), Vec::new(), Vec::new());
        for list in self.rows.iter().map(list) {
            let (n, level) = match list.len() {
                0 => (1, 0),
                n => (n, level),
            };
            definition.extend(iter::repeat_n(level, n));
            repetition.extend((0..n).map(|i| i16::from(i > 0)));
            values.extend(list);
        }
        self.write::<D>(&values, Some(&definition), Some(&repetition))
    }

    fn write<D: DataType>(
        &mut self,
        values: &[D::T],
        definition: Option<&[i16]>,
        repetition: Option<&[i16]>,
    ) -> Result<()> {
        if let Some(mut column) = self.group.next_column()? {
            column
                .typed::<D>()
                .write_batch(values, definition, repetition)?;
            column.close()?;
        }
        Ok(())
    }
}
