//! Tournaments that are kept: in a directory that they resume from, in a file of games, or nowhere.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use eval::{Arena, PlayedBatch, Resignations, Terms, Tournament, TournamentSetup, play_tournament};
use store::{StoreError, TournamentDir};

use crate::error::{Result, Within as _};
use crate::pdn::PdnFile;

/// What a tournament's games are called in PDN.
const EVENT: &str = "crownhead tournament";

/// The files that a tournament is written to.
#[derive(Debug)]
pub struct TournamentFiles {
    dir: Option<TournamentDir>,
    /// Where every game is wanted, if a directory keeps the games too.
    copy: Option<PathBuf>,
    /// Where every game is wanted, if not.
    pdn: Option<PdnFile>,
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
        let (copy, pdn) = match (&dir, pdn) {
            (Some(_), path) => (path.map(Path::to_owned), None),
            (None, path) => (None, path.map(PdnFile::create).transpose()?),
        };
        let tournament = stored.unwrap_or_else(|| Tournament::new(terms));
        Ok((TournamentFiles { dir, copy, pdn }, tournament))
    }

    /// Plays what is left of a tournament and keeps each batch of games, until it is complete or the arena's `stop`
    /// is set; `after_batch` is told. Returns whether it is complete, and how this call's games were resigned.
    ///
    /// # Errors
    /// When players fail, or the disk refuses: then no more games are played.
    pub fn play(
        mut self,
        tournament: &mut Tournament,
        setup: &TournamentSetup<'_>,
        arena: &Arena<'_>,
        after_batch: &mut dyn FnMut(&Tournament, &PlayedBatch),
    ) -> Result<(bool, Resignations)> {
        let (mut resignations, mut kept) = (Resignations::default(), Ok(()));
        let played = play_tournament(tournament, setup, arena, &mut |tournament, batch| {
            kept = self.keep(tournament, batch);
            resignations = resignations.plus(Resignations::of(&batch.games));
            if kept.is_err() {
                arena.stop.store(true, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
            after_batch(tournament, batch);
            ControlFlow::Continue(())
        });
        kept?;
        self.close()?;
        Ok((played?, resignations))
    }

    /// Keeps the games of a batch, and the tournament with their results.
    ///
    /// # Errors
    /// When the disk refuses.
    fn keep(&mut self, tournament: &Tournament, batch: &PlayedBatch) -> Result<()> {
        if let Some(dir) = &mut self.dir {
            return Ok(dir.commit(&batch.to_pdn(EVENT), tournament)?);
        }
        let games = |file: &mut PdnFile| file.add(&batch.to_pdn(EVENT));
        self.pdn.as_mut().map_or(Ok(()), games)
    }

    /// Copies the games of the directory to the file where they are wanted.
    ///
    /// # Errors
    /// When the disk refuses.
    fn close(self) -> Result<()> {
        if let (Some(dir), Some(path)) = (&self.dir, &self.copy) {
            fs::copy(dir.games_path(), path).map_err(StoreError::io("write", path))?;
        }
        Ok(())
    }
}
