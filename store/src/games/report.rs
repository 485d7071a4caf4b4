//! What is told of an examination of all games.

use std::fmt;

use serde::Serialize;

use super::{Check, MissingGames};
use crate::segment::Damage;

/// Stretches of missing games that are named for each generation.
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
    /// Games that are there a second time.
    pub duplicates: usize,
    /// What is damaged.
    pub damage: Vec<LostBytes>,
    /// What is missing.
    pub missing: Vec<Gap>,
    /// Files that are no segments of the run, and games that make no sense.
    pub errors: Vec<String>,
    /// Whether the damaged bytes were moved away.
    pub set_aside: bool,
}

/// Bytes that hold no intact game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostBytes {
    /// The segment, whose name begins with the generation.
    pub file: String,
    /// Where the damage begins.
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
    /// First and last of each stretch.
    pub numbers: Vec<[u32; 2]>,
}

impl CheckReport {
    /// The report of an examination after which damaged bytes were moved away, or not.
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

    /// Everything that is not as it was written; repeated games do no harm.
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
    /// What there was in a damaged range.
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
