//! Compresses records.

use std::fmt::Display;
use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe;

use crate::record::{Record, RecordError};

/// Records are already dense: the highest level gains less than 1 % over this one.
const LEVEL: i32 = 3;

/// Maximum size of a record: 65,535 plies with over a hundred legal moves each.
const MAX_RECORD_BYTES: u64 = 1 << 24;

/// Compresses records.
pub(crate) struct Packer {
    compressor: Compressor<'static>,
}

impl Packer {
    pub(crate) fn new() -> io::Result<Packer> {
        Ok(Packer {
            compressor: Compressor::new(LEVEL)?,
        })
    }

    /// A frame with the bytes of a record.
    pub(crate) fn pack(&mut self, record: &Record) -> Result<Vec<u8>, RecordError> {
        self.compressor
            .compress(&record.encode()?)
            .map_err(frame_error)
    }
}

/// The record in a frame. Any bytes are allowed; none makes it use more memory than the largest
/// record.
pub(crate) fn unpack(frame: &[u8]) -> Result<Record, RecordError> {
    let size = match zstd_safe::get_frame_content_size(frame) {
        Ok(Some(size)) if size <= MAX_RECORD_BYTES => size as usize,
        Ok(Some(size)) => {
            let reason = format!("its size of {size} bytes is over the limit");
            return Err(frame_error(reason));
        }
        _ => return Err(frame_error("it does not state its size")),
    };
    Record::decode(&zstd::bulk::decompress(frame, size).map_err(frame_error)?)
}

pub(crate) fn frame_error(reason: impl Display) -> RecordError {
    RecordError::new(format!("the frame cannot be decompressed: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_limited() {
        let error = |size: u64| {
            let frame = zstd::bulk::compress(&vec![0; size as usize], LEVEL).unwrap();
            unpack(&frame).unwrap_err()
        };
        let longest = error(MAX_RECORD_BYTES).to_string();
        assert!(!longest.contains("frame"), "{longest}");
        let longer = error(MAX_RECORD_BYTES + 1).to_string();
        assert!(
            longer.contains("16777217 bytes is over the limit"),
            "{longer}"
        );
    }
}
