//! Unfinished work of a round on disk, which is only continued where it fits: the run may have more
//! games now, the teacher may differ, or a bit may have flipped.
//!
//! File format: a hash of key and content, little-endian, then the content. The key is a hash of
//! everything that the content depends on.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The bytes of a file.
pub(super) fn seal(key: u64, content: &[u8]) -> Vec<u8> {
    let hash = xxh3_64_with_seed(content, key);
    [&hash.to_le_bytes(), content].concat()
}

/// The content of a file; `None` if it does not belong to this key, or is damaged.
pub(super) fn unseal(key: u64, bytes: &[u8]) -> Option<&[u8]> {
    let (hash, content) = bytes.split_first_chunk()?;
    let is_whole = u64::from_le_bytes(*hash) == xxh3_64_with_seed(content, key);
    is_whole.then_some(content)
}
