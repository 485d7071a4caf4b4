//! Endgame databases as files.

use std::fs;

use endgame::Database;
use rules::Variant;
use store::Endgames;

fn build(n_pieces: usize) -> Database {
    Database::build(Variant::Thai, n_pieces, |_| ()).unwrap()
}

#[test]
fn a_larger_database_takes_the_place_of_a_smaller_one() {
    let dir = tempfile::tempdir().unwrap();
    let endgames = Endgames::new(&dir.path().join("endgames"));
    assert!(endgames.read(Variant::Thai).unwrap().is_none());
    for n_pieces in [2, 3] {
        let database = build(n_pieces);
        endgames.write(&database).unwrap();
        assert!(endgames.read(Variant::Thai).unwrap() == Some(database));
    }
    assert!(endgames.read(Variant::English).unwrap().is_none());
    assert_eq!(endgames.file_bytes(Variant::English), None);
    let size = fs::metadata(endgames.file(Variant::Thai)).unwrap().len();
    assert_eq!(endgames.file_bytes(Variant::Thai), Some(size));
    let files = fs::read_dir(dir.path().join("endgames")).unwrap().count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn an_error_names_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let endgames = Endgames::new(dir.path());
    endgames.write(&build(2)).unwrap();
    let file = endgames.file(Variant::Thai);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..30]).unwrap();
    let error = endgames.read(Variant::Thai).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{} is unusable: the database is cut off inside the header: copy or build it again",
            file.display()
        )
    );
    // Only a missing file counts as no database: this one is a directory.
    let error = Endgames::new(&file)
        .read(Variant::Thai)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("failed to open "), "{error}");
    fs::rename(&file, endgames.file(Variant::English)).unwrap();
    fs::write(endgames.file(Variant::English), &whole).unwrap();
    let error = endgames.read(Variant::English).unwrap_err().to_string();
    assert!(
        error.ends_with("the database is for \"thai\", not for english"),
        "{error}"
    );
}
