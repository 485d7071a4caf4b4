//! Segments: append-only files of games, one frame with a checksum per game.
//!
//! A truncated or damaged frame costs only that game: [`scan`] continues at the next intact frame.

mod checksums;
mod frame;
mod repair;
mod v1;

use std::ops::Range;

use rules::Variant;

use checksums::Checksums;
pub(crate) use frame::{Packer, frame_error, unpack};
pub use repair::Damage;
pub(crate) use repair::{damage, repair, set_aside};
pub(crate) use v1::{HEADER_BYTES, frame_header, header};

/// The content of a segment's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentHeader {
    /// A header of this program.
    Known {
        /// The variant of the games.
        variant: Variant,
    },
    /// An intact header of a version or a variant that this program does not know.
    Foreign {
        /// The version of the format.
        version: u32,
    },
    /// The header is truncated or damaged.
    Damaged,
}

/// The content of a segment. Positions are offsets from the start of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scan {
    /// The header.
    pub header: SegmentHeader,
    /// The packed games that are intact.
    pub frames: Vec<Range<usize>>,
    /// Damaged ranges followed by intact games.
    pub damaged: Vec<Range<usize>>,
    /// The bytes after the last intact game: an interrupted write. Usually empty.
    pub tail: Range<usize>,
}

impl Scan {
    /// Returns `true` if the segment only consists of a header and intact games.
    pub fn is_intact(&self) -> bool {
        self.header != SegmentHeader::Damaged && self.damaged.is_empty() && self.tail.is_empty()
    }
}

/// Finds the games in a segment. Any bytes are allowed; the time is proportional to their number.
pub fn scan(bytes: &[u8]) -> Scan {
    scan_with(bytes, &mut Checksums::new(bytes))
}

fn scan_with(bytes: &[u8], checksums: &mut Checksums<'_>) -> Scan {
    let header = v1::read_header(bytes);
    let start = HEADER_BYTES.min(bytes.len());
    let mut scan = Scan {
        header,
        frames: Vec::new(),
        damaged: Vec::new(),
        tail: start..start,
    };
    let mut at = start;
    while let Some((skipped, frame)) = next_frame(bytes, checksums, at) {
        if !skipped.is_empty() {
            scan.damaged.push(skipped);
        }
        at = frame.end;
        scan.frames.push(frame);
    }
    scan.tail = at..bytes.len();
    scan
}

/// The number of games in a damaged range, as far as the lengths in it show: at least one.
pub(crate) fn count_lost(bytes: &[u8], stretch: &Range<usize>) -> usize {
    let mut at = stretch.start;
    let mut count = 0;
    while at < stretch.end {
        count += 1;
        match v1::frame_length(&bytes[at..stretch.end]) {
            Some(length) => at += length,
            None => break,
        }
    }
    count
}

/// The bytes skipped before the next intact frame, and that frame.
fn next_frame(
    bytes: &[u8],
    checksums: &mut Checksums<'_>,
    at: usize,
) -> Option<(Range<usize>, Range<usize>)> {
    (at..bytes.len()).find_map(|place| {
        let payload = v1::read_frame(bytes, checksums, place)?;
        Some((at..place, payload))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(payloads: &[&[u8]]) -> Vec<u8> {
        let mut bytes = header(Variant::Frisian).to_vec();
        for payload in payloads {
            bytes.extend(frame_header(payload));
            bytes.extend(*payload);
        }
        bytes
    }

    fn payload(text: &str) -> Vec<u8> {
        zstd::bulk::compress(text.as_bytes(), 1).unwrap()
    }

    #[test]
    fn a_flipped_bit_costs_the_game_that_it_is_in() {
        let games = ["one", "two", "three"].map(payload);
        let intact = segment(&[&games[0], &games[1], &games[2]]);
        let whole = scan(&intact);
        assert!(whole.is_intact());
        for byte in HEADER_BYTES..intact.len() {
            let mut bytes = intact.clone();
            bytes[byte] ^= 0x10;
            let scan = scan(&bytes);
            assert_eq!(scan.frames.len(), 2, "byte {byte}");
            let lost = whole
                .frames
                .iter()
                .position(|frame| byte < frame.end)
                .unwrap();
            let stretches = scan
                .damaged
                .iter()
                .chain([&scan.tail])
                .filter(|s| !s.is_empty());
            let counts: Vec<usize> = stretches.map(|s| count_lost(&bytes, s)).collect();
            assert_eq!(counts, [1], "byte {byte}");
            assert_eq!(scan.tail.is_empty(), lost < 2, "byte {byte}");
        }
    }

    #[test]
    fn games_are_counted_as_far_as_their_lengths_tell() {
        let games = ["one", "two", "three", "four"].map(payload);
        let intact = segment(&[&games[0], &games[1], &games[2], &games[3]]);
        let frames = scan(&intact).frames;
        let mut bytes = intact.clone();
        for lost in &frames[1..3] {
            bytes[lost.end - 1] ^= 1;
        }
        let found = scan(&bytes);
        assert_eq!((found.frames.len(), found.tail.is_empty()), (2, true));
        assert!(!found.is_intact());
        assert_eq!(count_lost(&bytes, &found.damaged[0]), 2);
        assert!(!scan(&intact[..intact.len() - 1]).is_intact());
        bytes = intact;
        bytes[0] ^= 1;
        assert!(!scan(&bytes).is_intact());
    }

    /// Work per byte of a segment that claims a frame of half the file every 12 bytes, before a
    /// game.
    fn work_per_byte(length: usize) -> f64 {
        let mut bytes = header(Variant::Frisian).to_vec();
        let claimed = ((length / 2) as u32).to_le_bytes();
        while bytes.len() < length {
            bytes.extend(claimed);
            bytes.extend([0; 4]);
            bytes.extend([0x28, 0xb5, 0x2f, 0xfd]);
        }
        bytes.extend(&segment(&[&payload("one")])[HEADER_BYTES..]);
        let mut checksums = Checksums::new(&bytes);
        assert_eq!(scan_with(&bytes, &mut checksums).frames.len(), 1);
        checksums.work() as f64 / bytes.len() as f64
    }

    #[test]
    fn hostile_bytes_are_scanned_in_linear_time() {
        let work = [1 << 16, 1 << 17, 1 << 18].map(work_per_byte);
        assert!(work[0] < 64.0, "{work:?}");
        assert!(
            work.windows(2).all(|pair| pair[1] < 1.1 * pair[0]),
            "{work:?}"
        );
    }

    #[test]
    fn a_damaged_header_costs_no_game() {
        let game = payload("one");
        for byte in 0..HEADER_BYTES {
            let mut bytes = segment(&[&game]);
            bytes[byte] ^= 0x04;
            let scan = scan(&bytes);
            assert_eq!(
                (scan.header, scan.frames.len()),
                (SegmentHeader::Damaged, 1)
            );
        }
    }
}
