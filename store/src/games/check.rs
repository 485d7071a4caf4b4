//! Looking through all games, and setting aside what is damaged.

use std::collections::HashSet;
use std::fs;

use super::{Finished, Games, Missing, SegmentName};
use crate::error::{Result, StoreError};
use crate::record::GameId;
use crate::segment::{self, Damage};

/// What an examination of all games found.
#[derive(Debug, Default)]
pub struct Check {
    /// Segments that were read.
    pub n_segments: usize,
    /// Games that are intact, without duplicates.
    pub n_games: usize,
    /// Their plies.
    pub n_plies: usize,
    /// Bytes of all segments.
    pub size_bytes: u64,
    /// Games that were there a second time.
    pub n_duplicates: usize,
    /// What is damaged.
    pub damage: Vec<Damage>,
    /// Games that the run has finished and that are not there intact, by generation.
    pub missing: Vec<Missing>,
    /// Files that are no segments of this run, and games that are intact and yet make no sense.
    pub errors: Vec<StoreError>,
}

impl Check {
    /// Whether everything is there, and as it was written. A game that is there twice does no harm.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.missing.is_empty() && self.errors.is_empty()
    }
}

impl Games {
    /// Looks through all games without changing anything, and for those that a run has finished.
    pub fn check(&self, finished: Finished) -> Result<Check> {
        self.look_through(finished, |_| Ok(()))
    }

    /// Moves everything damaged to `damaged/` beside the segments and writes those anew with the
    /// intact games. Nothing is deleted; what is no segment of this run, and games that are intact
    /// and make no sense, stay where they are. Tells what was found. The caller holds the run's lock.
    pub(crate) fn quarantine(&self, finished: Finished) -> Result<Check> {
        self.look_through(finished, |name| {
            let path = self.dir.join(name.to_string());
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            segment::set_aside(&path, self.variant, &bytes, &segment::scan(&bytes))
        })
    }

    /// Looks through all games, then does something about each segment that is damaged.
    fn look_through(
        &self,
        finished: Finished,
        mend: impl Fn(&SegmentName) -> Result<()>,
    ) -> Result<Check> {
        let mut check = Check::default();
        let mut seen: HashSet<GameId> = HashSet::new();
        for name in self.segments()? {
            check.n_segments += 1;
            let segment = match self.read_segment(&name) {
                Ok(segment) => segment,
                Err(error) => {
                    check.errors.push(error);
                    continue;
                }
            };
            check.size_bytes += segment.size_bytes;
            if !segment.damage.is_empty() {
                mend(&name)?;
            }
            check.damage.extend(segment.damage);
            for record in segment.records {
                match record {
                    Err(error) => check.errors.push(error),
                    Ok(record) if !seen.insert(record.header.id) => check.n_duplicates += 1,
                    Ok(record) => {
                        check.n_games += 1;
                        check.n_plies += record.plies.len();
                    }
                }
            }
        }
        check.missing = finished.missing(&seen);
        Ok(check)
    }
}
