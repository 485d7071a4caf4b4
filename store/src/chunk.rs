//! Games as one piece of data to exchange between machines: the bytes of a whole segment.

use rules::Variant;

use crate::record::{Record, RecordError};
use crate::segment::{self, Packer, SegmentHeader};

/// Packs games into a segment. The same games give the same bytes.
///
/// # Errors
/// If a game is illegal.
pub fn pack_games(variant: Variant, games: &[Record]) -> Result<Vec<u8>, RecordError> {
    let mut packer = Packer::new().map_err(segment::frame_error)?;
    let mut bytes = segment::header(variant).to_vec();
    for game in games {
        let payload = packer.pack(game)?;
        bytes.extend(segment::frame_header(&payload));
        bytes.extend(payload);
    }
    Ok(bytes)
}

/// Unpacks the games of a complete segment. Any bytes are allowed.
///
/// # Errors
/// If a byte of it is damaged or missing, or its games are of another variant.
pub fn unpack_games(variant: Variant, bytes: &[u8]) -> Result<Vec<Record>, RecordError> {
    let scan = segment::scan(bytes);
    match scan.header {
        SegmentHeader::Known { variant: found } if found != variant => {
            return Err(RecordError::other_variant(found, variant));
        }
        SegmentHeader::Known { .. } if scan.is_intact() => {}
        _ => {
            return Err(segment::frame_error("the segment is incomplete"));
        }
    }
    let games = scan.frames.into_iter();
    games.map(|frame| segment::unpack(&bytes[frame])).collect()
}
