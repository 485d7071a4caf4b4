//! Endgame databases; the first byte selects the game.

use endgame::Database;
use rules::Variant;

/// The length of the file header before the first slice, and of a slice's header before its frame.
pub(crate) const SLICE: usize = 44;
pub(crate) const SLICE_HEADER: usize = 14;

/// A valid database is written exactly as it was read. If the lowest bit of the first byte is set,
/// all checksums are fixed first, so that fuzzing reaches the code after them.
pub(crate) fn endgame(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let variant = Variant::ALL[usize::from(*first & 0x7f) % Variant::ALL.len()];
    let mut bytes = bytes.to_vec();
    if first & 0x80 != 0 {
        mend(&mut bytes);
    }
    if let Ok(database) = Database::read(&bytes[..], variant) {
        let mut written = Vec::new();
        database
            .write(&mut written)
            .expect("memory takes everything");
        assert!(Database::read(&written[..], variant).expect("it was just written") == database);
    }
}

fn mend(bytes: &mut [u8]) {
    if bytes.len() < SLICE {
        return;
    }
    let (header, mut slices) = bytes.split_at_mut(SLICE);
    let (told, crc) = header.split_at_mut(SLICE - 4);
    crc.copy_from_slice(&crc32c::crc32c(told).to_le_bytes());
    while let Some((head, rest)) = slices.split_at_mut_checked(SLICE_HEADER) {
        let n_frame = u32::from_le_bytes([head[6], head[7], head[8], head[9]]) as usize;
        let (frame, rest) = rest.split_at_mut(n_frame.min(rest.len()));
        let crc = crc32c::crc32c_append(crc32c::crc32c(&head[..10]), frame);
        head[10..].copy_from_slice(&crc.to_le_bytes());
        slices = rest;
    }
}
