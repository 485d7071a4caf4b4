//! Reads the table of positions back.

#[path = "../../../../store/tests/suite/support/mod.rs"]
mod support;

use std::fs::File;

use lab::PositionTable;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, List, Row};
use rules::{Game, Variant};
use store::{Record, RecordedSearch};
use support::{MAX_PLIES, id, record};

fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
    let mut columns = row.get_column_iter();
    columns.find(|(column, _)| *column == name).unwrap().1
}

fn text<'a>(row: &'a Row, name: &str) -> &'a str {
    match field(row, name) {
        Field::Str(text) => text,
        other => panic!("{name} is {other:?}"),
    }
}

fn list<'a>(row: &'a Row, name: &str) -> &'a List {
    match field(row, name) {
        Field::ListInternal(list) => list,
        other => panic!("{name} is {other:?}"),
    }
}

fn compare(row: &Row, record: &Record, index: usize, game: &Game) {
    let (position, ply) = (game.position(), &record.plies[index]);
    let mut legal = game.legal_moves();
    legal.sort_canonical();
    assert_eq!(field(row, "ply"), &Field::Int(index as i32));
    assert_eq!(
        field(row, "game"),
        &Field::Int(record.header.id.number as i32)
    );
    assert_eq!(text(row, "fen"), position.to_fen());
    assert_eq!(text(row, "mover"), position.turn().to_string());
    let moves = list(row, "legal_moves");
    let expected: Vec<Field> = legal
        .iter()
        .map(|mv| Field::Str(position.move_text_among(*mv, &legal)))
        .collect();
    assert_eq!(moves.elements(), expected);
    assert_eq!(text(row, "move"), position.move_text_among(ply.mv, &legal));
    match &ply.search {
        RecordedSearch::Full { policy, .. } => {
            let expected: Vec<Field> = policy
                .probabilities()
                .into_iter()
                .map(Field::Float)
                .collect();
            assert_eq!(list(row, "policy").elements(), expected);
        }
        _ => assert_eq!(field(row, "policy"), &Field::Null),
    }
    let win = ply.search.value().map(|value| value.probabilities()[0]);
    assert_eq!(
        field(row, "root_win"),
        &win.map_or(Field::Null, Field::Float)
    );
    let result = record
        .result
        .map(|outcome| outcome.half_points(position.turn()) as i32 - 1);
    assert_eq!(
        field(row, "result"),
        &result.map_or(Field::Null, Field::Int)
    );
}

#[test]
fn every_position_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    for variant in Variant::ALL {
        let path = dir.path().join("positions.parquet");
        // Some games are truncated, and more than one row group is needed.
        let records: Vec<Record> = (0..200)
            .map(|number| record(variant, id(3, number), 5, MAX_PLIES))
            .collect();
        let mut table = PositionTable::create(&path).unwrap();
        for record in &records {
            table.add(record).unwrap();
        }
        table.finish().unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let mut rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
        let mut n_read = 0;
        for record in &records {
            let mut game = Game::new(record.start);
            for index in 0..record.plies.len() {
                compare(&rows.next().unwrap(), record, index, &game);
                game.play(record.plies[index].mv);
                n_read += 1;
            }
        }
        assert!(rows.next().is_none());
        assert_eq!(n_read > 1 << 14, reader.num_row_groups() > 1);
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none").join("a.parquet");
    let message = PositionTable::create(&path).err().unwrap().to_string();
    assert!(message.contains("none"), "{message}");
}
