//! The commands that answer at once. Each has its arguments beside it.

pub(crate) mod bench;
pub(crate) mod config;
pub(crate) mod export;
pub(crate) mod matches;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod status;

use rules::{Position, Variant};

use crate::output::Usage;

/// The position of a FEN given as an option, or the variant's start.
fn position(variant: Variant, fen: Option<&str>) -> Result<Position, Usage> {
    match fen {
        None => Ok(Position::start(variant)),
        Some(fen) => Position::from_fen(variant, fen)
            .map_err(|error| Usage(format!("cannot read the FEN {fen:?}: {error}"))),
    }
}
