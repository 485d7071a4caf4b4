//! Bytes that are nearly a database, with checksums that fit: seeds of the fuzz target `endgame`.

use rules::Variant;

use crate::support::build;

#[path = "../../../fuzz/bodies/endgame.rs"]
mod body;

/// Where the first slice begins, and its frame.
const SLICE: usize = 44;
const FRAME: usize = SLICE + 14;

/// Makes the checksums of the header and of the first slice those of the bytes.
fn mend(bytes: &mut [u8], n_frame: usize) {
    let crc = crc32c::crc32c(&bytes[..40]).to_le_bytes();
    bytes[40..44].copy_from_slice(&crc);
    let end = bytes.len().min(FRAME + n_frame);
    let crc = crc32c::crc32c(&bytes[SLICE..SLICE + 10]);
    let crc = crc32c::crc32c_append(crc, &bytes[FRAME..end]).to_le_bytes();
    bytes[SLICE + 10..FRAME].copy_from_slice(&crc);
}

#[test]
fn checksums_that_fit_prove_nothing() {
    let number = Variant::ALL
        .iter()
        .position(|v| *v == Variant::Thai)
        .unwrap() as u8;
    let mut whole = Vec::new();
    build(Variant::Thai, 2).write(&mut whole).unwrap();
    let n_frame = u32::from_le_bytes(*whole[SLICE + 6..].first_chunk().unwrap()) as usize;
    let check = |bytes: &[u8]| body::endgame(&[&[number], bytes].concat());
    check(&whole);
    for at in 0..FRAME + n_frame {
        for byte in [0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut changed = whole.clone();
            changed[at] = byte;
            check(&changed);
            mend(&mut changed, n_frame);
            check(&changed);
            changed.truncate(FRAME + at % n_frame);
            check(&changed);
        }
    }
    // A length of the largest and of the smallest number.
    for length in [u32::MAX, 0] {
        let mut changed = whole.clone();
        changed[SLICE + 6..SLICE + 10].copy_from_slice(&length.to_le_bytes());
        mend(&mut changed, length as usize % (1 << 20));
        check(&changed);
    }
}
