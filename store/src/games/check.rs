//! Checks all games, and quarantines damaged ones.

use std::collections::HashSet;
use std::fmt;

use serde::{Serialize, Serializer};

use super::{FinishedGames, Games, MissingGames, SegmentName};
use crate::error::{Result, StoreError};
use crate::record::GameId;
use crate::segment::{self, Damage};

/// Result of a check of all games. `Display` is for people, `serde` for programs.
#[derive(Debug, Default, Serialize)]
pub struct Check {
    /// Segments read.
    pub segments: usize,
    /// Intact games, without duplicates.
    pub games: usize,
    /// Their positions.
    pub positions: usize,
    /// Bytes of all segments.
    pub bytes: u64,
    /// Repeated games.
    pub duplicates: usize,
    /// The damaged parts.
    pub damage: Vec<Damage>,
    /// Finished games of the run that are missing or damaged, by generation.
    pub missing: Vec<MissingGames>,
    /// Files that are not segments of this run, and games with a valid checksum and invalid
    /// content.
    #[serde(serialize_with = "as_texts")]
    pub errors: Vec<StoreError>,
    /// `true` if damaged bytes were moved away.
    pub set_aside: bool,
}

fn as_texts<S: Serializer>(errors: &[StoreError], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(errors.iter().map(ToString::to_string))
}

impl Check {
    /// Number of faults; repeated games are harmless.
    pub fn n_faults(&self) -> usize {
        self.damage.len() + self.missing.len() + self.errors.len()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} segments, {} bytes: {} intact games, {} positions",
            self.segments, self.bytes, self.games, self.positions
        )?;
        if self.duplicates > 0 {
            writeln!(f, "{} duplicate games", self.duplicates)?;
        }
        for damage in &self.damage {
            writeln!(f, "{damage}")?;
        }
        for missing in &self.missing {
            writeln!(f, "{missing}")?;
        }
        for error in &self.errors {
            writeln!(f, "{error}")?;
        }
        if self.set_aside {
            writeln!(f, "the damaged bytes were moved to games/damaged")?;
        }
        Ok(())
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
        let mut check = self.look_through(finished, |name| {
            let path = self.dir.join(name.to_string());
            let bytes = super::read_segment(&path)?;
            segment::set_aside(&path, self.variant, &bytes, &segment::scan(&bytes))
        })?;
        check.set_aside = !check.damage.is_empty();
        Ok(check)
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
            check.segments += 1;
            let segment = match self.read_segment(&name) {
                Ok(segment) => segment,
                Err(error) => {
                    check.errors.push(error);
                    continue;
                }
            };
            check.bytes += segment.size_bytes;
            if !segment.damage.is_empty() {
                mend(&name)?;
            }
            check.damage.extend(segment.damage);
            for record in segment.records {
                match record {
                    Err(error) => check.errors.push(error),
                    Ok(record) if !seen.insert(record.header.id) => check.duplicates += 1,
                    Ok(record) => {
                        check.games += 1;
                        check.positions += record.plies.len();
                    }
                }
            }
        }
        check.missing = finished.missing(&seen);
        Ok(check)
    }
}
