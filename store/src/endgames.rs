//! Endgame databases on disk: one file a variant. How they look inside is `endgame`'s business.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use endgame::Database;
use rules::Variant;

use crate::atomic;
use crate::error::{Result, StoreError};

/// A directory of endgame databases, `english.egd` and so on. They belong to no run. Whoever writes a
/// database sees to it that nobody else writes the same one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endgames {
    path: PathBuf,
}

impl Endgames {
    /// The databases in a directory, which need not exist yet.
    pub fn new(path: &Path) -> Endgames {
        Endgames {
            path: path.to_owned(),
        }
    }

    /// The file of a variant's database.
    pub fn file(&self, variant: Variant) -> PathBuf {
        self.path.join(format!("{variant}.egd"))
    }

    /// Writes a database in place of the variant's last one. It is on disk when this returns.
    pub fn write(&self, database: &Database) -> Result<()> {
        let path = self.file(database.variant());
        let mut bytes = Vec::new();
        database
            .write(&mut bytes)
            .map_err(StoreError::endgame(&path))?;
        atomic::ensure_dir(&self.path)?;
        atomic::write_file(&path, &bytes)
    }

    /// The database of a variant, if there is one.
    pub fn read(&self, variant: Variant) -> Result<Option<Database>> {
        let path = self.file(variant);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", &path)(error)),
        };
        let database = Database::read(BufReader::new(file), variant);
        database.map(Some).map_err(StoreError::endgame(&path))
    }
}
