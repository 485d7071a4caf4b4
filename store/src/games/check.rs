//! Checks all games, and quarantines damaged ones.

use std::collections::HashSet;

use super::{FinishedGames, Games, MissingGames, SegmentName};
use crate::error::{Result, StoreError};
use crate::record::GameId;
use crate::segment::{self, Damage};

/// Result of a check of all games.
#[derive(Debug, Default)]
pub struct Check {
    /// Segments read.
    pub n_segments: usize,
    /// Intact games, without duplicates.
    pub n_games: usize,
    /// Plies of these games.
    pub n_plies: usize,
    /// Bytes of all segments.
    pub size_bytes: u64,
    /// Repeated games.
    pub n_duplicates: usize,
    /// The damaged parts.
    pub damage: Vec<Damage>,
    /// Finished games of the run that are missing or damaged, by generation.
    pub missing: Vec<MissingGames>,
    /// Files that are not segments of this run, and games with a valid checksum and invalid
    /// content.
    pub errors: Vec<StoreError>,
}

impl Check {
    /// Returns `true` if everything exists as it was written. Repeated games are harmless.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.missing.is_empty() && self.errors.is_empty()
    }
}

impl Games {
    /// Checks all games, and that no finished game of the run is missing. Changes nothing.
    pub fn check(&self, finished: &FinishedGames) -> Result<Check> {
        self.look_through(finished, |_| Ok(()))
    }

    /// Moves all damaged data to `damaged/` next to the segments and rewrites these with the intact
    /// games. Nothing is deleted; files that are not segments of this run, and games with a valid
    /// checksum and invalid content, stay in place. The caller holds the run's lock.
    pub(crate) fn quarantine(&self, finished: &FinishedGames) -> Result<Check> {
        self.look_through(finished, |name| {
            let path = self.dir.join(name.to_string());
            let bytes = super::read_segment(&path)?;
            segment::set_aside(&path, self.variant, &bytes, &segment::scan(&bytes))
        })
    }

    /// Checks all games, then handles each damaged segment.
    fn look_through(
        &self,
        finished: &FinishedGames,
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
