//! Endgame databases on disk, one file per variant. The crate `endgame` defines their content.

use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use endgame::Database;
use rules::Variant;

use crate::atomic;
use crate::disk::File;
use crate::error::{Result, StoreError};
use crate::lock::Lock;

/// A directory of endgame databases, `english.egd` and so on. Writers hold the lock of the
/// directory, or of the run that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endgames {
    path: PathBuf,
}

/// The right to write to a directory of databases.
#[derive(Debug)]
pub struct EndgamesLock(#[expect(dead_code, reason = "it is held, not used")] Lock);

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

    /// The size of that file in bytes, if it exists.
    pub fn file_bytes(&self, variant: Variant) -> Option<u64> {
        File::open(&self.file(variant)).ok()?.length().ok()
    }

    /// Keeps other processes from writing here until the returned lock is dropped. Creates the
    /// directory if it does not exist.
    pub fn lock(&self) -> Result<EndgamesLock> {
        Lock::of_dir(&self.path).map(EndgamesLock)
    }

    /// Writes a database, replacing the variant's existing one. It is on disk when this returns.
    pub fn write(&self, database: &Database) -> Result<()> {
        let path = self.file(database.variant());
        let mut bytes = Vec::new();
        database
            .write(&mut bytes)
            .map_err(StoreError::unusable(&path))?;
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
        database.map(Some).map_err(StoreError::unusable(&path))
    }
}
