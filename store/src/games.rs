//! The games of a run, in segments of one generation each: `games/000042-000.seg`.

mod check;
mod missing;
mod writer;

use std::path::{Path, PathBuf};

use rules::Variant;

pub use check::Check;
pub use missing::{FinishedGames, MissingGames};
pub use writer::{GameWriter, SegmentLimits};

use crate::atomic;
use crate::disk;
use crate::error::{Result, StoreError};
use crate::ids::RunId;
use crate::record::{Record, RecordError};
use crate::segment::{self, Damage, Scan, SegmentHeader};

/// A directory of segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Games {
    dir: PathBuf,
    variant: Variant,
    /// The runs that these games may belong to; empty for any.
    runs: Vec<RunId>,
}

/// The games of a generation, and the damage found in its files.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// The games in the order of their numbers, each once.
    pub records: Vec<Record>,
    /// Number of repeated games, which are skipped.
    pub n_duplicates: usize,
    /// The damaged parts.
    pub damage: Vec<Damage>,
}

impl Games {
    /// The games of a variant in a directory, which need not exist yet.
    pub fn new(dir: &Path, variant: Variant) -> Games {
        Games::of_runs(dir, variant, Vec::new())
    }

    /// The games of these runs: games of other runs, which name another configuration, are errors.
    pub(crate) fn of_runs(dir: &Path, variant: Variant, runs: Vec<RunId>) -> Games {
        Games {
            dir: dir.to_owned(),
            variant,
            runs,
        }
    }

    /// The generations that have games, oldest first.
    pub fn generations(&self) -> Result<Vec<u32>> {
        let mut generations: Vec<u32> = self
            .segments()?
            .into_iter()
            .map(|name| name.generation)
            .collect();
        generations.dedup();
        Ok(generations)
    }

    /// Size of a generation's segments in bytes.
    pub fn size_bytes(&self, generation: u32) -> Result<u64> {
        let paths = self.paths(generation)?;
        let sizes = paths
            .iter()
            .map(|path| disk::size(path).map_err(StoreError::io("read", path)));
        sizes.sum()
    }

    /// The games of a generation. Damaged games are skipped and reported; a game with a valid
    /// checksum and invalid content, for instance after a change of the rules, is an error.
    pub fn read(&self, generation: u32) -> Result<Generation> {
        let mut records = Vec::new();
        let mut damage = Vec::new();
        for name in self.segments_of(generation)? {
            let segment = self.read_segment(&name)?;
            records.extend(segment.records.into_iter().collect::<Result<Vec<_>>>()?);
            damage.extend(segment.damage);
        }
        let n_read = records.len();
        records.sort_by_key(|record: &Record| record.header.id);
        records.dedup_by_key(|record| record.header.id);
        Ok(Generation {
            n_duplicates: n_read - records.len(),
            records,
            damage,
        })
    }

    /// The files of a generation.
    pub(crate) fn paths(&self, generation: u32) -> Result<Vec<PathBuf>> {
        let names = self.segments_of(generation)?.into_iter();
        Ok(names.map(|name| self.dir.join(name.to_string())).collect())
    }

    /// The last `limit` intact games, newest first, without reading the others.
    pub fn newest(&self, limit: usize) -> Result<Vec<Record>> {
        let mut newest = Vec::new();
        for name in self.segments()?.iter().rev() {
            let (_, bytes, scan) = self.scan(name)?;
            let intact = scan.frames.iter().rev();
            let records = intact.filter_map(|frame| segment::unpack(&bytes[frame.clone()]).ok());
            newest.extend(records.take(limit - newest.len()));
            if newest.len() == limit {
                break;
            }
        }
        Ok(newest)
    }

    /// Opens a generation for writing, with the default limits. The caller holds the run's lock.
    pub fn writer(&self, generation: u32) -> Result<GameWriter> {
        self.writer_with(generation, SegmentLimits::USUAL)
    }

    /// Opens a generation for writing: repairs its segments and finds the existing games.
    pub fn writer_with(&self, generation: u32, limits: SegmentLimits) -> Result<GameWriter> {
        GameWriter::open(self, generation, limits)
    }

    fn read_segment(&self, name: &SegmentName) -> Result<Segment> {
        let (path, bytes, scan) = self.scan(name)?;
        let damage = segment::damage(&path, &bytes, &scan);
        let record = |frame: &std::ops::Range<usize>| {
            segment::unpack(&bytes[frame.clone()])
                .and_then(|record| {
                    self.check_record(name.generation, &record)?;
                    Ok(record)
                })
                .map_err(|source| StoreError::Record {
                    path: path.clone(),
                    offset: frame.start as u64,
                    source,
                })
        };
        let records = scan.frames.iter().map(record).collect();
        Ok(Segment {
            records,
            damage,
            size_bytes: bytes.len() as u64,
        })
    }

    /// The path, the bytes and the games of a segment, which must be of this run.
    fn scan(&self, name: &SegmentName) -> Result<(PathBuf, Vec<u8>, Scan)> {
        let path = self.dir.join(name.to_string());
        let bytes = read_segment(&path)?;
        let scan = segment::scan(&bytes);
        let reason = match scan.header {
            SegmentHeader::Damaged => return Ok((path, bytes, scan)),
            SegmentHeader::Known { variant } if variant == self.variant => {
                return Ok((path, bytes, scan));
            }
            SegmentHeader::Known { variant } => {
                format!("its games are {variant}, not {}", self.variant)
            }
            SegmentHeader::Foreign { version } => {
                format!("this program does not know format version {version}")
            }
        };
        Err(StoreError::NotASegment { path, reason })
    }

    /// Rejects a game of another variant or generation.
    fn check_record(&self, generation: u32, record: &Record) -> Result<(), RecordError> {
        let (found, expected) = (record.header.variant, self.variant);
        if found != expected {
            return Err(RecordError::other_variant(found, expected));
        }
        let (found, expected) = (record.header.id.generation, generation);
        if found != expected {
            return Err(RecordError::new(format!(
                "this is a game of generation {found}, not of {expected}"
            )));
        }
        let found = RunId(record.header.config_hash);
        match self.runs.first() {
            Some(expected) if !self.runs.contains(&found) => Err(RecordError::new(format!(
                "it belongs to another run: found a game of run {found}, expected one of run \
                 {expected}"
            ))),
            _ => Ok(()),
        }
    }

    fn segments_of(&self, generation: u32) -> Result<Vec<SegmentName>> {
        let mut names = self.segments()?;
        names.retain(|name| name.generation == generation);
        Ok(names)
    }

    fn segments(&self) -> Result<Vec<SegmentName>> {
        let entries = atomic::entries(&self.dir)?;
        let mut names: Vec<SegmentName> = entries
            .iter()
            .filter_map(|path| SegmentName::parse(atomic::file_name(path)))
            .collect();
        names.sort();
        Ok(names)
    }
}

/// Maximum size of a segment in bytes; a segment ends with the game that takes it past 64 MB.
const MAX_SEGMENT_BYTES: u64 = 128 << 20;

/// The bytes of a segment.
fn read_segment(path: &Path) -> Result<Vec<u8>> {
    atomic::read_bounded(path, MAX_SEGMENT_BYTES)
}

struct Segment {
    records: Vec<Result<Record>>,
    damage: Vec<Damage>,
    size_bytes: u64,
}

/// Names sort by generation, then in the order of writing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentName {
    pub(crate) generation: u32,
    index: u32,
}

impl SegmentName {
    pub(crate) fn parse(name: &str) -> Option<SegmentName> {
        let (generation, index) = name.strip_suffix(".seg")?.split_once('-')?;
        let parsed = SegmentName {
            generation: generation.parse().ok()?,
            index: index.parse().ok()?,
        };
        (parsed.to_string() == name).then_some(parsed)
    }
}

impl std::fmt::Display for SegmentName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:06}-{:03}.seg", self.generation, self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_limited() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("000001-000.seg");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(MAX_SEGMENT_BYTES).unwrap();
        assert_eq!(read_segment(&path).unwrap().len() as u64, MAX_SEGMENT_BYTES);
        file.set_len(MAX_SEGMENT_BYTES + 1).unwrap();
        let error = read_segment(&path).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    }
}
