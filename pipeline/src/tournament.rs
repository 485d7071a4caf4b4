//! Where a tournament is kept: in a directory that it resumes from, in a file of games, or nowhere.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use eval::{PlayedBatch, Terms, Tournament};
use store::{StoreError, TournamentDir};

use crate::error::{Result, Within as _};

/// What a tournament's games are called in PDN.
const EVENT: &str = "crownhead tournament";

/// The files that a tournament is written to.
#[derive(Debug)]
pub struct TournamentFiles {
    dir: Option<TournamentDir>,
    /// Where every game is wanted, and the open file, where no directory keeps the games.
    pdn: Option<(PathBuf, Option<File>)>,
}

impl TournamentFiles {
    /// Opens them, with the tournament in the directory `dir` or a new one. Every game is also wanted in
    /// the file `pdn`.
    ///
    /// # Errors
    /// When the directory has a tournament under other terms, or the disk refuses.
    pub fn open(
        dir: Option<&Path>,
        pdn: Option<&Path>,
        terms: Terms,
    ) -> Result<(TournamentFiles, Tournament)> {
        let (dir, stored) = match dir {
            None => (None, None),
            Some(path) => {
                let (dir, stored) = TournamentDir::open::<Tournament>(path)?;
                let checked = stored.as_ref().map_or(Ok(()), |known| known.check(&terms));
                checked.within(|| format!("failed to go on in {}", path.display()))?;
                (Some(dir), stored)
            }
        };
        let open = |path: &Path| {
            let create = || File::create(path).map_err(StoreError::io("write", path));
            let file = dir.is_none().then(create).transpose()?;
            Ok::<_, StoreError>((path.to_owned(), file))
        };
        let pdn = pdn.map(open).transpose()?;
        let tournament = stored.unwrap_or_else(|| Tournament::new(terms));
        Ok((TournamentFiles { dir, pdn }, tournament))
    }

    /// Keeps the games of a batch, and the tournament with their results.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep(&mut self, tournament: &Tournament, batch: &PlayedBatch) -> Result<()> {
        if let Some(dir) = &mut self.dir {
            return Ok(dir.commit(&batch.to_pdn(EVENT), tournament)?);
        }
        if let Some((path, Some(file))) = &mut self.pdn {
            file.write_all(batch.to_pdn(EVENT).as_bytes())
                .map_err(StoreError::io("write", path))?;
        }
        Ok(())
    }

    /// Copies the games of the directory to the file where they are wanted.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn close(self) -> Result<()> {
        if let (Some(dir), Some((path, _))) = (&self.dir, &self.pdn) {
            fs::copy(dir.games_path(), path).map_err(StoreError::io("write", path))?;
        }
        Ok(())
    }
}
