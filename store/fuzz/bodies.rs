//! Bodies of the fuzz targets, shared with the test that runs them on seeded random bytes.

use rules::Variant;
use store::{Record, SegmentHeader, scan};

/// Everything that decodes is a record: it encodes again and round-trips.
pub(crate) fn record(bytes: &[u8]) {
    if let Ok(record) = Record::decode(bytes) {
        let again = record.encode().expect("a decoded record is a legal game");
        assert_eq!(Record::decode(&again).as_ref(), Ok(&record));
    }
}

/// A segment consists of header, games and damage, in order and without gaps.
pub(crate) fn segment(bytes: &[u8]) {
    let found = scan(bytes);
    let mut at = bytes.len().min(32);
    let mut damaged = found.damaged.iter().peekable();
    for frame in &found.frames {
        if let Some(stretch) = damaged.next_if(|stretch| stretch.start == at) {
            assert!(!stretch.is_empty());
            at = stretch.end;
        }
        assert_eq!(frame.start, at + 8);
        at = frame.end;
    }
    assert_eq!(damaged.next(), None);
    assert_eq!(found.tail, at..bytes.len());
    if let SegmentHeader::Known { variant } = found.header {
        assert!(Variant::ALL.contains(&variant));
    }
}
