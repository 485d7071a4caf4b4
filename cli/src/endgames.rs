//! Endgame databases as searches use them, and as runs keep them.

use std::sync::Arc;

use anyhow::Context as _;
use endgame::{Database, GameValue};
use rules::{Position, Variant};
use search::{Proof, Prover};
use store::Endgames;

/// A database that proves leaves.
///
/// It speaks about positions directly after a capture or a man move only. Nothing that stood on the
/// board before can come back then, and a won side that is sent to such positions makes progress
/// instead of going from one won position to another.
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

/// Leaves that a database knows are proven by it.
pub(crate) fn prover(database: Arc<Database>) -> Arc<dyn Prover> {
    Arc::new(EndgameProver(database))
}

/// The database of a variant with so many pieces: the one that is kept, if it fits, or a new one that
/// is kept from now on.
pub(crate) fn kept_or_built(
    endgames: &Endgames,
    variant: Variant,
    n_pieces: usize,
) -> anyhow::Result<Database> {
    // One that is damaged or of other rules is as good as none: it takes seconds to make.
    if let Ok(Some(kept)) = endgames.read(variant)
        && kept.n_pieces() == n_pieces
    {
        return Ok(kept);
    }
    let database = Database::build(variant, n_pieces, |_| ())
        .with_context(|| format!("failed to build the endgame database of {variant}"))?;
    endgames.write(&database)?;
    Ok(database)
}
