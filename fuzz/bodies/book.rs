//! Opening books; the lowest bit of the first byte asks for a checksum that fits.

use book::Book;
use rules::Position;

/// The moves of a valid book are legal, and it is written exactly as it was read.
pub(crate) fn book(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let mut bytes = bytes.to_vec();
    if first & 1 != 0
        && let Some((told, checksum)) = bytes.split_last_chunk_mut::<4>()
    {
        *checksum = crc32c::crc32c(told).to_le_bytes();
    }
    if let Ok(book) = Book::from_bytes(&bytes) {
        let written = book.to_bytes();
        let again = Book::from_bytes(&written).expect("it was just written");
        assert_eq!(again.to_bytes(), written);
        for line in book.lines().take(100) {
            let mut position = Position::start(book.variant());
            for found in line.moves {
                assert!(position.legal_moves().contains(&found.mv));
                position = position.play(found.mv);
            }
        }
    }
}
