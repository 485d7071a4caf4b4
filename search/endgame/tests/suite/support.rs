//! Databases used by several tests.

use endgame::Database;
use rules::{Position, Variant};

pub(crate) fn build(variant: Variant, n_pieces: usize) -> Database {
    Database::build(variant, n_pieces, |_| ()).unwrap()
}

pub(crate) fn position(variant: Variant, fen: &str) -> Position {
    Position::from_fen(variant, fen).unwrap()
}
