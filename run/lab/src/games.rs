//! Exports the games of a run to files for other programs.

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use store::{AtomicFile, Check, Damage, Games, LoopState, Record, RunDir, StoreError};

use crate::PositionTable;
use run::config::RunFile;
use run::{RequestError, Result};

/// File format of games, chosen by the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamesFormat {
    /// `.parquet`: one row per position ([`PositionTable`]).
    Parquet,
    /// `.pdn`: the games.
    Pdn,
}

/// Summary of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedGames {
    /// The file.
    pub file: String,
    /// Games in it.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Damaged parts of files, whose games are left out.
    #[serde(skip)]
    pub damage: Vec<Damage>,
}

impl fmt::Display for ExportedGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, positions) = (self.games, self.positions);
        writeln!(f, "{}: {games} games, {positions} positions", self.file)
    }
}

impl GamesFormat {
    /// The format of a file.
    ///
    /// # Errors
    /// If its extension is neither of them.
    pub fn of(path: &Path) -> Result<GamesFormat, RequestError> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("parquet") => Ok(Self::Parquet),
            Some("pdn") => Ok(Self::Pdn),
            _ => Err(RequestError(format!(
                "cannot tell the format of {}: use a name that ends in .parquet or .pdn",
                path.display()
            ))),
        }
    }
}

/// Looks for damaged or missing games of a run. `sets_aside` moves damaged bytes away and rewrites
/// the segments; the run must not be training then.
///
/// # Errors
/// If there is no run, or the disk fails.
pub fn check_games(path: &Path, sets_aside: bool) -> Result<Check> {
    let run = RunDir::open(path)?;
    let file = RunFile::read(&run)?;
    // Read before the games: everything that the state counts as finished is on disk.
    let state = run.state()?.unwrap_or_else(LoopState::start);
    let finished = file.finished_games(state.generations_kept())?;
    Ok(match sets_aside {
        true => run.quarantine(file.variant, &finished)?,
        false => run.games(file.variant).check(&finished)?,
    })
}

/// Writes all intact games, one generation at a time to limit memory.
///
/// # Errors
/// If the games cannot be read or the file cannot be written.
pub fn export_games(games: &Games, path: &Path, format: GamesFormat) -> Result<ExportedGames> {
    let mut exported = ExportedGames {
        file: path.display().to_string(),
        games: 0,
        positions: 0,
        damage: Vec::new(),
    };
    match format {
        GamesFormat::Parquet => {
            let mut table = PositionTable::create(path)?;
            exported.add(games, |record| table.add(record))?;
            table.finish()?;
        }
        GamesFormat::Pdn => {
            let mut file = AtomicFile::create(path)?;
            exported.add(games, |record| {
                let text = record.to_pdn(&record.header.network);
                let written = file.write_all(text.as_bytes());
                Ok(written.map_err(StoreError::io("write", path))?)
            })?;
            file.finish()?;
        }
    }
    Ok(exported)
}

impl ExportedGames {
    fn add(&mut self, games: &Games, mut write: impl FnMut(&Record) -> Result<()>) -> Result<()> {
        for generation in games.generations()? {
            let read = games.read(generation)?;
            self.damage.extend(read.damage);
            for record in &read.records {
                self.games += 1;
                self.positions += record.plies.len() as u64;
                write(record)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides() {
        let format = |name: &str| GamesFormat::of(name.as_ref()).ok();
        assert_eq!(format("a/b.pdn"), Some(GamesFormat::Pdn));
        assert_eq!(format("b.c.parquet"), Some(GamesFormat::Parquet));
        for name in ["games.csv", "pdn", ""] {
            let error = GamesFormat::of(name.as_ref()).unwrap_err().to_string();
            assert!(error.contains("ends in .parquet or .pdn"), "{error}");
        }
    }
}
