//! The directory of a tournament.
//!
//! ```text
//! tournament.json   all results and planned meetings     games.pdn   every game, as PDN
//! lock              the process that writes
//! ```
//!
//! `tournament.json` is the only commit point: it states how many bytes of `games.pdn` belong to
//! it; bytes that a killed process wrote after them are cut off at the next open.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};
use crate::lock::Lock;

const STATE: &str = "tournament.json";
const GAMES: &str = "games.pdn";

/// The directory of a tournament, locked by this process.
#[derive(Debug)]
pub struct TournamentDir {
    path: PathBuf,
    games: File,
    _lock: Lock,
}

/// `tournament.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<T> {
    /// Committed bytes of `games.pdn`.
    games_bytes: u64,
    tournament: T,
}

impl TournamentDir {
    /// Locks a directory, creating it if it does not exist, and reads its tournament.
    ///
    /// # Errors
    /// If another process holds the lock, or the tournament is damaged.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(TournamentDir, Option<T>)> {
        let lock = Lock::of_own_dir(path, STATE)?;
        let stored: Option<Stored<T>> = atomic::read_json(&path.join(STATE))?;
        let (games_bytes, tournament) = stored.map_or((0, None), |stored| {
            (stored.games_bytes, Some(stored.tournament))
        });
        let dir = TournamentDir {
            path: path.to_owned(),
            games: open_games(path, games_bytes)?,
            _lock: lock,
        };
        Ok((dir, tournament))
    }

    /// The file with all committed games, as PDN.
    pub fn games_path(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// Appends games and replaces the state. Both are on disk when this returns.
    ///
    /// # Errors
    /// If writing fails; the last commit is then still valid.
    pub fn commit<T: Serialize>(&mut self, games: &str, tournament: &T) -> Result<()> {
        let path = self.games_path();
        self.games
            .write_all(games.as_bytes())
            .and_then(|()| self.games.sync())
            .map_err(StoreError::io("write", &path))?;
        let games_bytes = self.games.stream_position();
        let stored = Stored {
            games_bytes: games_bytes.map_err(StoreError::io("write", &path))?,
            tournament,
        };
        let path = self.path.join(STATE);
        let text = serde_json::to_vec(&stored).map_err(StoreError::json(&path))?;
        atomic::write_file(&path, &text)
    }
}

/// Opens the games for appending after the first `games_bytes`; bytes after them are cut off.
fn open_games(dir: &Path, games_bytes: u64) -> Result<File> {
    let path = dir.join(GAMES);
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    let mut file = disk::open(&path, options).map_err(StoreError::io("open", &path))?;
    let length = file.length().map_err(StoreError::io("read", &path))?;
    if length < games_bytes {
        return Err(StoreError::Incomplete {
            path: dir.to_owned(),
            missing: format!("the end of {GAMES} ({length} of {games_bytes} bytes exist)"),
        });
    }
    file.set_len(games_bytes)
        .and_then(|()| file.seek(SeekFrom::End(0)))
        .map_err(StoreError::io("truncate", &path))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_committed_comes_back_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (mut dir, tournament) = TournamentDir::open::<u32>(&path).unwrap();
        assert_eq!(tournament, None);
        dir.commit("one ", &1).unwrap();
        dir.commit("two ", &2).unwrap();
        assert!(matches!(
            TournamentDir::open::<u32>(&path),
            Err(StoreError::Locked { .. })
        ));
        drop(dir);
        fs::write(path.join(GAMES), "one two thr").unwrap();

        let (mut dir, tournament) = TournamentDir::open::<u32>(&path).unwrap();
        assert_eq!(tournament, Some(2));
        dir.commit("three", &3).unwrap();
        assert_eq!(
            fs::read_to_string(dir.games_path()).unwrap(),
            "one two three"
        );
        drop(dir);

        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(GAMES), "mine").unwrap();
        let message = TournamentDir::open::<u32>(&other).unwrap_err().to_string();
        assert!(
            message.contains("holds files and no tournament.json"),
            "{message}"
        );
        assert_eq!(fs::read_to_string(other.join(GAMES)).unwrap(), "mine");

        fs::write(path.join(GAMES), "one").unwrap();
        let message = TournamentDir::open::<u32>(&path).unwrap_err().to_string();
        assert!(message.contains("3 of 13 bytes"), "{message}");
    }
}
