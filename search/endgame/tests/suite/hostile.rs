//! Nearly valid databases with matching checksums: seeds of the fuzz target `endgame`.

use rules::Variant;

use crate::support::build;

#[path = "../../../../fuzz/bodies/endgame.rs"]
mod body;
#[path = "../../../../fuzz/bodies/seeds.rs"]
mod seeds;

use body::{SLICE, SLICE_HEADER};

/// The offset of the first frame.
const FRAME: usize = SLICE + SLICE_HEADER;
/// Requests that the checksums be fixed.
const MENDED: u8 = 0x80;

#[test]
fn checksums_that_fit_prove_nothing() {
    let number = Variant::ALL
        .iter()
        .position(|v| *v == Variant::Thai)
        .unwrap() as u8;
    let mut whole = Vec::new();
    build(Variant::Thai, 2).write(&mut whole).unwrap();
    let n_frame = u32::from_le_bytes(*whole[SLICE + 6..].first_chunk().unwrap()) as usize;
    let check = |first: u8, bytes: &[u8]| body::endgame(&[&[number | first], bytes].concat());
    check(0, &whole);
    for at in 0..FRAME + n_frame {
        for byte in [0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut changed = whole.clone();
            changed[at] = byte;
            check(0, &changed);
            check(MENDED, &changed);
            changed.truncate(FRAME + at % n_frame);
            check(MENDED, &changed);
        }
    }
    // The largest and the smallest possible length.
    for length in [u32::MAX, 0] {
        let mut changed = whole.clone();
        changed[SLICE + 6..SLICE + 10].copy_from_slice(&length.to_le_bytes());
        check(MENDED, &changed);
    }
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(
        include_str!("../../../../fuzz/seeds/endgame.hex"),
        body::endgame,
    );
}
