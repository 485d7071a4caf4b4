//! Rows of the table, column by column, as Parquet's writer expects them.

use std::io::Write;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, FloatType, Int32Type};
use parquet::errors::Result;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use rules::{Color, Game, Move, MoveList, Outcome};

use store::{Ply, Record, RecordedSearch, Wdl8};

/// A column: its values, their definition levels, and their repetition levels.
#[derive(Default)]
struct Column<T> {
    values: Vec<T>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

/// Rows that have not been written yet.
#[derive(Default)]
pub(super) struct Rows {
    generation: Column<i32>,
    game: Column<i32>,
    ply: Column<i32>,
    network: Column<ByteArray>,
    fen: Column<ByteArray>,
    mover: Column<ByteArray>,
    legal_moves: Column<ByteArray>,
    policy: Column<f32>,
    chosen: Column<ByteArray>,
    search: Column<ByteArray>,
    /// [win, draw, loss]
    root: [Column<f32>; 3],
    /// [win, draw, loss]
    raw: [Column<f32>; 3],
    surprise: Column<f32>,
    result: Column<i32>,
    reason: Column<ByteArray>,
    plies_left: Column<i32>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.ply.values.len()
    }

    /// Adds the positions of a record whose moves are known to be legal.
    pub(super) fn add(&mut self, record: &Record) {
        let mut game = Game::new(record.start);
        let mut legal = MoveList::new();
        for (index, ply) in record.plies.iter().enumerate() {
            game.position().generate(&mut legal);
            legal.sort_canonical();
            self.add_game(record, index, game.position().turn());
            self.add_moves(&game, &legal, ply);
            self.add_search(&ply.search);
            game.play(ply.mv);
        }
    }

    fn add_game(&mut self, record: &Record, index: usize, mover: Color) {
        let header = &record.header;
        self.generation.push(header.id.generation as i32);
        self.game.push(header.id.number as i32);
        self.ply.push(index as i32);
        self.network.push(header.network.as_str().into());
        self.mover.push(mover.to_string().as_str().into());
        let result = record
            .result
            .map(|outcome| outcome.half_points(mover) as i32 - 1);
        self.result.push_option(result);
        let reason = record.result.map(Outcome::reason);
        self.reason.push_option(reason.map(ByteArray::from));
        self.plies_left.push((record.plies.len() - index) as i32);
    }

    /// `legal` are the legal moves in canonical order, like policies.
    fn add_moves(&mut self, game: &Game, legal: &[Move], ply: &Ply) {
        let position = game.position();
        let text = |mv: Move| ByteArray::from(position.move_text_among(mv, legal).as_str());
        self.fen.push(position.to_fen().as_str().into());
        self.legal_moves
            .push_list(legal.iter().map(|mv| text(*mv)), 1);
        self.chosen.push(text(ply.mv));
    }

    fn add_search(&mut self, search: &RecordedSearch) {
        let name = match search {
            RecordedSearch::Opening => "opening",
            RecordedSearch::Forced { .. } => "forced",
            RecordedSearch::Fast { .. } => "fast",
            RecordedSearch::Full { .. } => "full",
        };
        self.search.push(name.into());
        push_value(&mut self.root, search.value());
        if let RecordedSearch::Full {
            raw_value,
            surprise,
            policy,
            ..
        } = search
        {
            push_value(&mut self.raw, Some(*raw_value));
            self.surprise.push_option(Some(surprise.nats()));
            self.policy.push_list(policy.probabilities().into_iter(), 2);
        } else {
            push_value(&mut self.raw, None);
            self.surprise.push_option(None);
            self.policy.push_null();
        }
    }

    /// Writes the rows as one row group, the columns in the order of the schema.
    pub(super) fn write<W: Write + Send>(self, to: &mut SerializedFileWriter<W>) -> Result<()> {
        let mut group = to.next_row_group()?;
        self.generation.write::<Int32Type, W>(&mut group)?;
        self.game.write::<Int32Type, W>(&mut group)?;
        self.ply.write::<Int32Type, W>(&mut group)?;
        self.network.write::<ByteArrayType, W>(&mut group)?;
        self.fen.write::<ByteArrayType, W>(&mut group)?;
        self.mover.write::<ByteArrayType, W>(&mut group)?;
        self.legal_moves.write::<ByteArrayType, W>(&mut group)?;
        self.policy.write::<FloatType, W>(&mut group)?;
        self.chosen.write::<ByteArrayType, W>(&mut group)?;
        self.search.write::<ByteArrayType, W>(&mut group)?;
        for column in self.root.into_iter().chain(self.raw) {
            column.write::<FloatType, W>(&mut group)?;
        }
        self.surprise.write::<FloatType, W>(&mut group)?;
        self.result.write::<Int32Type, W>(&mut group)?;
        self.reason.write::<ByteArrayType, W>(&mut group)?;
        self.plies_left.write::<Int32Type, W>(&mut group)?;
        group.close()?;
        Ok(())
    }
}

fn push_value(columns: &mut [Column<f32>; 3], value: Option<Wdl8>) {
    for (i, column) in columns.iter_mut().enumerate() {
        column.push_option(value.map(|value| value.probabilities()[i]));
    }
}

impl<T> Column<T> {
    /// A value of a column without nulls.
    fn push(&mut self, value: T) {
        self.values.push(value);
    }

    fn push_option(&mut self, value: Option<T>) {
        self.definition.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    /// A non-empty list, in a column whose elements have this definition level.
    fn push_list(&mut self, list: impl Iterator<Item = T>, level: i16) {
        for (i, value) in list.enumerate() {
            self.values.push(value);
            self.definition.push(level);
            self.repetition.push(i16::from(i > 0));
        }
    }

    /// A null list.
    fn push_null(&mut self) {
        self.definition.push(0);
        self.repetition.push(0);
    }

    fn write<D: DataType<T = T>, W: Write + Send>(
        self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        let Some(mut column) = group.next_column()? else {
            return Ok(());
        };
        let levels = |levels: Vec<i16>| (!levels.is_empty()).then_some(levels);
        let (definition, repetition) = (levels(self.definition), levels(self.repetition));
        column.typed::<D>().write_batch(
            &self.values,
            definition.as_deref(),
            repetition.as_deref(),
        )?;
        column.close()
    }
}
