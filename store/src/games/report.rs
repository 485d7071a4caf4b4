//! Report of a check of all games.

use std::fmt;

use serde::Serialize;

use super::{Check, MissingGames};
use crate::segment::Damage;

/// Maximum number of ranges of missing games listed per generation.
const SHOWN: usize = 8;

/// A [`Check`] for people (`Display`) and for programs (`serde`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
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
    /// The damaged ranges.
    pub damage: Vec<LostBytes>,
    /// The missing games.
    pub missing: Vec<Gap>,
    /// Files that are not segments of the run, and invalid games.
    pub errors: Vec<String>,
    /// `true` if the damaged bytes were moved away.
    pub set_aside: bool,
}

/// Bytes without an intact game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostBytes {
    /// The segment; its name starts with the generation.
    pub file: String,
    /// Offset of the damage.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
    /// Games lost with it.
    pub games: usize,
}

/// Missing games of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The generation.
    pub generation: u32,
    /// Their number.
    pub games: usize,
    /// First and last number of each range.
    pub numbers: Vec<[u32; 2]>,
}

impl CheckReport {
    /// The report of a check; `set_aside` says whether damaged bytes were moved away.
    pub fn new(check: &Check, set_aside: bool) -> CheckReport {
        CheckReport {
            segments: check.n_segments,
            games: check.n_games,
            positions: check.n_plies,
            bytes: check.size_bytes,
            duplicates: check.n_duplicates,
            damage: check.damage.iter().map(LostBytes::new).collect(),
            missing: check.missing.iter().map(Gap::new).collect(),
            errors: check.errors.iter().map(ToString::to_string).collect(),
            set_aside,
        }
    }

    /// Number of faults; repeated games are harmless.
    pub fn n_faults(&self) -> usize {
        self.damage.len() + self.missing.len() + self.errors.len()
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} segments, {} bytes: {} intact games, {} positions",
            self.segments, self.bytes, self.games, self.positions
        )?;
        if self.duplicates > 0 {
            writeln!(f, "{} duplicate games", self.duplicates)?;
        }
        for loss in &self.damage {
            writeln!(f, "{loss}")?;
        }
        for gap in &self.missing {
            writeln!(f, "{gap}")?;
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

impl fmt::Display for LostBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LostBytes {
            file,
            offset,
            bytes,
            games,
        } = self;
        write!(
            f,
            "{file}: {bytes} bytes at {offset} are damaged, games lost: {games}"
        )
    }
}

impl LostBytes {
    /// The report of a damaged range.
    pub fn new(damage: &Damage) -> LostBytes {
        LostBytes {
            file: damage.path.display().to_string(),
            offset: damage.offset,
            bytes: damage.size_bytes,
            games: damage.n_games,
        }
    }
}

impl Gap {
    fn new(missing: &MissingGames) -> Gap {
        let ends = missing.numbers.iter().map(|r| [*r.start(), *r.end()]);
        Gap {
            generation: missing.generation,
            games: missing.n_games(),
            numbers: ends.collect(),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stretch = |ends: &[u32; 2]| match ends {
            [first, last] if first == last => first.to_string(),
            [first, last] => format!("{first} to {last}"),
        };
        let stretches: Vec<_> = self.numbers.iter().take(SHOWN).map(stretch).collect();
        let others = if self.numbers.len() > SHOWN {
            " and others"
        } else {
            ""
        };
        write!(
            f,
            "generation {}: {} games are missing: {}{others}",
            self.generation,
            self.games,
            stretches.join(", ")
        )
    }
}
