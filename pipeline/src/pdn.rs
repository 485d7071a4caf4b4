//! Games of self-play as PDN, and files of games.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rules::Move;
use rules::pdn::PdnRecord;
use store::{Record, StoreError};

use crate::Result;

/// A file that games are written to as they end.
#[derive(Debug)]
pub struct PdnFile {
    path: PathBuf,
    file: File,
}

impl PdnFile {
    /// Makes it, in the place of what is there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn create(path: &Path) -> Result<PdnFile> {
        Ok(PdnFile {
            path: path.to_owned(),
            file: File::create(path).map_err(StoreError::io("write", path))?,
        })
    }

    /// Adds games.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add(&mut self, games: &str) -> Result<()> {
        let written = self.file.write_all(games.as_bytes());
        Ok(written.map_err(StoreError::io("write", &self.path))?)
    }
}

/// A game, both sides of which have this name.
#[must_use]
pub fn text(record: &Record, player: &str) -> String {
    let round = record.header.id.to_string();
    let tags = [
        ("Event", "crownhead self-play"),
        ("Round", round.as_str()),
        ("White", player),
        ("Black", player),
    ];
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.mv).collect();
    PdnRecord {
        tags: &tags,
        start: &record.start,
        moves: &moves,
        comments: &[],
        outcome: record.result,
    }
    .to_string()
}
