//! Legal moves. Compiled once per rule table and side to move.

mod capture;
mod simple;

use crate::ruleset::Ruleset;
use crate::{Color, MoveList, Position};

/// Replaces `moves` by the legal moves of `position`, whose variant is `R`.
pub(crate) fn generate<R: Ruleset>(position: &Position, moves: &mut MoveList) {
    moves.clear();
    match position.turn() {
        Color::Black => generate_for::<R, false>(position, moves),
        Color::White => generate_for::<R, true>(position, moves),
    }
}

fn generate_for<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    capture::captures::<R, WHITE>(position, moves);
    if moves.is_empty() || !R::RULES.capture_is_mandatory {
        simple::simple_moves::<R, WHITE>(position, moves);
    }
}

const fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}
