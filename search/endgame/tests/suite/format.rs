//! The file format: valid files are read, all others rejected.

use endgame::{Database, EndgameError};
use rules::Variant;

use crate::support::build;

fn bytes(database: &Database) -> Vec<u8> {
    let mut bytes = Vec::new();
    database.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_written_is_read() {
    for variant in Variant::ALL {
        let database = build(variant, 2);
        let written = bytes(&database);
        assert!(Database::read(&written[..], variant).unwrap() == database);
    }
}

/// A file of format 1, written when that format was current.
#[test]
fn the_first_format_stays_readable() {
    let stored = include_bytes!("../fixtures/thai-v1.egd");
    let database = Database::read(&stored[..], Variant::Thai).unwrap();
    assert!(database == build(Variant::Thai, 2));
}

#[test]
fn a_file_that_is_cut_off_says_where() {
    let written = bytes(&build(Variant::English, 2));
    for length in 0..written.len() {
        match Database::read(&written[..length], Variant::English) {
            Err(EndgameError::Truncated { inside }) => {
                assert_eq!(inside == "the header", length < 44, "{length}: {inside}");
            }
            other => panic!("{length} bytes: {:?}", other.err()),
        }
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let mut written = bytes(&build(Variant::Thai, 2));
    for at in 0..written.len() {
        written[at] ^= 0x10;
        assert!(
            Database::read(&written[..], Variant::Thai).is_err(),
            "byte {at}"
        );
        written[at] ^= 0x10;
    }
    written.push(0);
    let error = Database::read(&written[..], Variant::Thai).unwrap_err();
    assert!(error.to_string().contains("there is extra data"), "{error}");
}

/// Changes a byte of the header and fixes the checksum.
fn with_header(written: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut changed = written.to_vec();
    changed[at] = byte;
    let crc = crc32c::crc32c(&changed[..40]).to_le_bytes();
    changed[40..44].copy_from_slice(&crc);
    changed
}

#[test]
fn a_file_of_something_else_is_refused_in_words() {
    let written = bytes(&build(Variant::Thai, 2));
    let error = |bytes: &[u8], variant| Database::read(bytes, variant).unwrap_err().to_string();
    assert_eq!(
        error(&written, Variant::English),
        "the database is for \"thai\", not for english"
    );
    assert_eq!(
        error(b"PK\x03\x04 and so on", Variant::Thai),
        "this is not an endgame database: it does not begin with \"CROWNEGD\""
    );
    assert_eq!(
        error(&with_header(&written, 8, 2), Variant::Thai),
        "the database has format 2 and this program knows 1: build it again"
    );
    assert_eq!(
        error(&with_header(&written, 28, 99), Variant::Thai),
        "the database follows version 99 of the rules of thai and this program version 1: build it again"
    );
    assert_eq!(
        error(&with_header(&written, 32, 9), Variant::Thai),
        "databases have 2 to 5 pieces, not 9"
    );
}
