//! The first format of segments.
//!
//! ```text
//! magic "CROWNSEG" | version u32 = 1 | variant, 16 bytes padded with zeros | crc32c u32 of these
//! then for each game: length u32 | crc32c u32 | a zstd frame of that length with the record
//! ```
//!
//! Numbers are little-endian. The checksum of a game also covers its length.

use std::ops::Range;

use rules::Variant;

use super::SegmentHeader;
use super::checksums::Checksums;

/// The length of the header.
pub(crate) const HEADER_BYTES: usize = 32;

const MAGIC: [u8; 8] = *b"CROWNSEG";
const VERSION: u32 = 1;
const FRAME_HEADER_BYTES: usize = 8;
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The header of a segment of this variant's games.
pub(crate) fn header(variant: Variant) -> [u8; HEADER_BYTES] {
    let name = variant.name().as_bytes();
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..12 + name.len()].copy_from_slice(name);
    let crc = crc32c::crc32c(&header[..28]);
    header[28..].copy_from_slice(&crc.to_le_bytes());
    header
}

pub(super) fn read_header(bytes: &[u8]) -> SegmentHeader {
    let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
        return SegmentHeader::Damaged;
    };
    if bytes[..8] != MAGIC || read_u32(bytes, 28) != Some(crc32c::crc32c(&bytes[..28])) {
        return SegmentHeader::Damaged;
    }
    let version = read_u32(bytes, 8).unwrap_or_default();
    let name = bytes[12..28]
        .split(|byte| *byte == 0)
        .next()
        .unwrap_or_default();
    let variant = std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.parse().ok());
    match variant {
        Some(variant) if version == VERSION => SegmentHeader::Known { variant },
        _ => SegmentHeader::Foreign { version },
    }
}

/// The length and checksum before a compressed game.
pub(crate) fn frame_header(payload: &[u8]) -> [u8; FRAME_HEADER_BYTES] {
    let length = (payload.len() as u32).to_le_bytes();
    let crc = crc32c::crc32c_append(crc32c::crc32c(&length), payload).to_le_bytes();
    [
        length[0], length[1], length[2], length[3], crc[0], crc[1], crc[2], crc[3],
    ]
}

/// The compressed game that starts here, if it is intact.
pub(super) fn read_frame(
    bytes: &[u8],
    checksums: &mut Checksums<'_>,
    at: usize,
) -> Option<Range<usize>> {
    let rest = &bytes[at..];
    let length = frame_length(rest)?;
    let payload = at + FRAME_HEADER_BYTES..at + length;
    if !bytes[payload.clone()].starts_with(&ZSTD_MAGIC) {
        return None;
    }
    let of_length = crc32c::crc32c(&rest[..4]);
    let is_intact = read_u32(rest, 4) == Some(checksums.append(of_length, payload.clone()));
    is_intact.then_some(payload)
}

/// The length of the frame that starts here, if it fits.
pub(super) fn frame_length(bytes: &[u8]) -> Option<usize> {
    let length = FRAME_HEADER_BYTES + usize::try_from(read_u32(bytes, 0)?).ok()?;
    (length <= bytes.len()).then_some(length)
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_a_header() {
        for variant in Variant::ALL {
            assert_eq!(
                read_header(&header(variant)),
                SegmentHeader::Known { variant }
            );
        }
    }

    #[test]
    fn a_later_version_is_told_from_damage() {
        let mut bytes = header(Variant::Thai);
        bytes[8] = 2;
        let crc = crc32c::crc32c(&bytes[..28]).to_le_bytes();
        bytes[28..].copy_from_slice(&crc);
        assert_eq!(read_header(&bytes), SegmentHeader::Foreign { version: 2 });
    }
}
