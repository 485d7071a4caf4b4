//! zstd frames. The WebAssembly build has no C library: it uses a slower decoder and cannot
//! compress.

use crate::EndgameError;

/// The compression level: at higher ones, compressing takes longer than building.
#[cfg(not(target_family = "wasm"))]
const LEVEL: i32 = 9;

/// The maximum size of a frame with this many bytes of content.
pub(crate) const fn max_len(n_bytes: usize) -> usize {
    n_bytes + n_bytes / 128 + 1024
}

/// Compresses bytes into a frame.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, EndgameError> {
    Ok(zstd::bulk::compress(bytes, LEVEL)?)
}

/// The contents of a frame; `None` unless they are valid and exactly `n_bytes` long.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn decompress(frame: &[u8], n_bytes: usize) -> Option<Vec<u8>> {
    zstd::bulk::decompress(frame, n_bytes).ok()
}

#[cfg(target_family = "wasm")]
pub(crate) fn compress(_: &[u8]) -> Result<Vec<u8>, EndgameError> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported).into())
}

#[cfg(target_family = "wasm")]
pub(crate) fn decompress(frame: &[u8], n_bytes: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; n_bytes];
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    let found = decoder.decode_all(frame, &mut bytes).ok()?;
    (found == n_bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn what_cannot_be_compressed_is_hardly_longer() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for n_bytes in [0, 1, 1_000, 100_000, 3_000_000] {
            let bytes: Vec<u8> = (0..n_bytes).map(|_| rng.random()).collect();
            let frame = compress(&bytes).unwrap();
            assert!(frame.len() >= n_bytes);
            assert!(frame.len() <= zstd::zstd_safe::compress_bound(n_bytes));
            assert!(zstd::zstd_safe::compress_bound(n_bytes) <= max_len(n_bytes));
            assert!(max_len(n_bytes) <= n_bytes + n_bytes / 100 + 2_000);
            assert_eq!(decompress(&frame, n_bytes), Some(bytes));
        }
    }
}
