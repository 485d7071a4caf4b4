//! Endgame databases for players: proofs for searches, and the files that contain them.

use std::path::Path;
use std::sync::Arc;

use endgame::{Database, GameValue};
use rules::{Position, Variant};
use search::{Proof, Prover};
use store::Endgames;
use types::shell_word;

use crate::RosterError;
use crate::error::{Result, Within as _};

/// The seed of the sample on which networks are measured. It is the same in all runs, so that their
/// curves can be compared.
pub const SAMPLE_SEED: u64 = 1;
/// The number of sample positions per batch.
pub const BATCH_SIZE: usize = 64;

/// A database that proves leaves.
///
/// It proves only positions directly after a capture or a man move. No earlier position can recur
/// there, and a winning side that is directed to such positions makes progress instead of moving
/// between won positions.
#[derive(Debug)]
struct EndgameProver(Arc<Database>);

impl Prover for EndgameProver {
    fn prove(&self, position: &Position) -> Option<Proof> {
        if position.no_progress() > 0 {
            return None;
        }
        let settled = self.0.settled(position)?;
        Some(match settled.value {
            GameValue::Win => Proof::Win(settled.plies),
            GameValue::Draw => Proof::Draw,
            GameValue::Loss => Proof::Loss(settled.plies),
        })
    }
}

/// A prover for the positions in a database.
pub fn prover(database: Arc<Database>) -> Arc<dyn Prover> {
    Arc::new(EndgameProver(database))
}

/// The database of a variant with this many pieces: the stored one if it fits, otherwise a new one,
/// which is then stored.
pub fn kept_or_built(endgames: &Endgames, variant: Variant, n_pieces: usize) -> Result<Database> {
    // A damaged or outdated database is rebuilt, which takes seconds.
    if let Ok(Some(kept)) = endgames.read(variant)
        && kept.n_pieces() == n_pieces
    {
        return Ok(kept);
    }
    let database = Database::build(variant, n_pieces, |_| ())
        .within(|| format!("failed to build the endgame database of {variant}"))?;
    endgames.write(&database)?;
    Ok(database)
}

/// The number of pieces of a database built on demand, in at most a third of a second.
pub const QUICK_PIECES: usize = 3;

/// The directory with the largest database of a variant, if any.
pub fn largest<'a>(
    dirs: impl IntoIterator<Item = &'a Path>,
    variant: Variant,
) -> Option<(Endgames, u64)> {
    let kept = dirs.into_iter().filter_map(|dir| {
        let endgames = Endgames::new(dir);
        let bytes = endgames.file_bytes(variant)?;
        Some((endgames, bytes))
    });
    // The file size grows manyfold with each piece.
    kept.max_by_key(|(_, bytes)| *bytes)
}

/// The database of a variant in the directory, or a new one with [`QUICK_PIECES`] pieces if that is
/// larger.
///
/// # Errors
/// If the directory's database cannot be used.
pub fn read_or_quick(kept: Option<&Endgames>, variant: Variant) -> Result<Database> {
    let kept = kept.map(|kept| kept.read(variant)).transpose()?.flatten();
    match kept.filter(|database| database.n_pieces() >= QUICK_PIECES) {
        Some(database) => Ok(database),
        None => Database::build(variant, QUICK_PIECES, |_| ())
            .within(|| format!("failed to build the endgame database of {variant}")),
    }
}

/// The database of a variant in a directory that is expected to contain one.
///
/// # Errors
/// If there is none, or it cannot be used.
pub fn read(dir: &Path, variant: Variant) -> Result<Database> {
    Endgames::new(dir).read(variant)?.ok_or_else(|| {
        let dir = dir.display().to_string();
        RosterError::Missing(format!(
            "there is no endgame database of {variant} in {dir}: make it with crownhead endgame build \
             {variant} --pieces 4 --to {}",
            shell_word(&dir)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_that_knows_most_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let variant = Variant::GAMES[0];
        let dirs: Vec<_> = (2..=4).map(|n| folder.path().join(n.to_string())).collect();
        for (dir, n_pieces) in dirs.iter().zip(2..=3) {
            let database = Database::build(variant, n_pieces, |_| ()).unwrap();
            Endgames::new(dir).write(&database).unwrap();
        }
        let largest = |n: usize| largest(dirs[..n].iter().map(|dir| &**dir), variant);
        assert_eq!(largest(0), None);
        assert_eq!(largest(1).unwrap().0, Endgames::new(&dirs[0]));
        assert_eq!(largest(3).unwrap().0, Endgames::new(&dirs[1]));
        for n in 0..=2 {
            let kept = largest(n).map(|(kept, _)| kept);
            let database = read_or_quick(kept.as_ref(), variant).unwrap();
            assert_eq!(database.n_pieces(), QUICK_PIECES);
        }
        let damaged = Endgames::new(&dirs[0]);
        std::fs::write(damaged.file(variant), b"not a database").unwrap();
        assert!(read_or_quick(Some(&damaged), variant).is_err());
    }
}
