//! Repairs segments.

use std::fmt;
use std::fs::OpenOptions;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rules::Variant;
use serde::{Serialize, Serializer};

use super::{Scan, SegmentHeader, count_lost, header};
use crate::atomic;
use crate::disk;
use crate::error::{Result, StoreError};

/// A damaged range of a segment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Damage {
    /// The segment.
    #[serde(rename = "file", serialize_with = "as_text")]
    pub path: PathBuf,
    /// Offset of the range, in bytes.
    pub offset: u64,
    /// Length of the range, in bytes.
    #[serde(rename = "bytes")]
    pub size_bytes: u64,
    /// Number of games lost with it, as far as known. A damaged header costs none.
    #[serde(rename = "games")]
    pub n_games: usize,
    /// `true` if it is the torn end of an interrupted write.
    #[serde(skip)]
    pub is_tail: bool,
}

fn as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} bytes at {} are damaged, games lost: {}",
            self.path.display(),
            self.size_bytes,
            self.offset,
            self.n_games
        )
    }
}

/// The damage that a scan found, in file order.
pub(crate) fn damage(path: &Path, bytes: &[u8], scan: &Scan) -> Vec<Damage> {
    let describe = |stretch: &Range<usize>, n_games, is_tail| Damage {
        path: path.to_owned(),
        offset: stretch.start as u64,
        size_bytes: stretch.len() as u64,
        n_games,
        is_tail,
    };
    let header_end = super::HEADER_BYTES.min(bytes.len());
    let is_header_damaged = scan.header == SegmentHeader::Damaged;
    let header = is_header_damaged.then(|| describe(&(0..header_end), 0, false));
    let middle = scan
        .damaged
        .iter()
        .map(|s| describe(s, count_lost(bytes, s), false));
    let tail =
        (!scan.tail.is_empty()).then(|| describe(&scan.tail, count_lost(bytes, &scan.tail), true));
    header.into_iter().chain(middle).chain(tail).collect()
}

/// Cuts off an interrupted write. If there is other damage, moves the damaged bytes to `damaged/`
/// next to the segment, and rewrites the segment with the intact games.
pub(crate) fn repair(
    path: &Path,
    variant: Variant,
    bytes: &[u8],
    scan: &Scan,
) -> Result<Vec<Damage>> {
    let found = damage(path, bytes, scan);
    if found.iter().all(|damage| damage.is_tail) {
        if !found.is_empty() {
            cut(path, scan.tail.start as u64)?;
        }
        return Ok(found);
    }
    set_aside(path, variant, bytes, scan)?;
    Ok(found)
}

/// Moves all damaged bytes, including an interrupted write, to `damaged/` next to the segment, and
/// rewrites the segment with the intact games.
pub(crate) fn set_aside(path: &Path, variant: Variant, bytes: &[u8], scan: &Scan) -> Result<()> {
    quarantine(path, bytes, &damage(path, bytes, scan))?;
    let mut whole = header(variant).to_vec();
    for frame in &scan.frames {
        whole.extend(super::frame_header(&bytes[frame.clone()]));
        whole.extend(&bytes[frame.clone()]);
    }
    atomic::write_file(path, &whole)
}

fn cut(path: &Path, length: u64) -> Result<()> {
    let file =
        disk::open(path, OpenOptions::new().write(true)).map_err(StoreError::io("open", path))?;
    file.set_len(length)
        .and_then(|()| file.sync())
        .map_err(StoreError::io("truncate", path))
}

fn quarantine(path: &Path, bytes: &[u8], found: &[Damage]) -> Result<()> {
    let dir = path.with_file_name("damaged");
    atomic::ensure_dir(&dir)?;
    for damage in found {
        let stretch = damage.offset as usize..(damage.offset + damage.size_bytes) as usize;
        keep(
            &dir,
            atomic::file_name(path),
            damage.offset,
            &bytes[stretch],
        )?;
    }
    Ok(())
}

/// Saves the bytes at an offset of a segment under a new name, so that earlier damage at the same
/// offset stays. Bytes saved before a crash are not written twice.
fn keep(dir: &Path, segment: &str, offset: u64, bytes: &[u8]) -> Result<()> {
    let mut place = dir.join(format!("{segment}@{offset}.bin"));
    let mut number = 1;
    while place.exists() {
        if atomic::read(&place)? == bytes {
            return Ok(());
        }
        number += 1;
        place = dir.join(format!("{segment}@{offset}-{number}.bin"));
    }
    atomic::write_file(&place, bytes)
}
