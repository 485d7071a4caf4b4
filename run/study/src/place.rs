//! A folder with files of games, for tests.

use std::fs;
use std::path::PathBuf;

/// A temporary folder with the file `games.pdn`.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn with(games: &str) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.path("games.pdn"), games).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
