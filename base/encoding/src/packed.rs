//! Text that other programs have packed.

use std::io;

/// The first bytes of files that other programs have packed.
const PACKED: [(&[u8], &str); 7] = [
    (b"\x1f\x8b\x08", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
];

/// Refuses packed text, whose bytes say nothing.
pub(crate) fn check_is_unpacked(bytes: &[u8]) -> io::Result<()> {
    let is_packed = |(mark, _): &&(&[u8], &str)| bytes.starts_with(mark);
    match PACKED.iter().find(is_packed) {
        None => Ok(()),
        Some((_, name)) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it is packed by {name}: unpack it first"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::{TextReader, decode};

    #[test]
    fn packed_text_is_refused() {
        for (mark, name) in PACKED {
            let bytes = [mark, b"1. 11-15 22-17 *"].concat();
            let mut reader = TextReader::new(&bytes[..], None);
            let expected = format!("it is packed by {name}: unpack it first");
            let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert_eq!(decode(&bytes, None), (String::new(), Some(expected)));
            let short = &mark[..mark.len() - 1];
            assert!(check_is_unpacked(short).is_ok(), "{name}");
        }
    }
}
