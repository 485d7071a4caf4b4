//! Legal moves. Compiled once per rule table and side to move.

mod capture;
mod simple;

use self::capture::{Spots, captures};
use self::simple::{can_step, simple_moves};
use crate::ruleset::Ruleset;
use crate::{Color, MoveList, Position};

/// Replaces `moves` by the legal moves of `position`, whose variant is `R`.
///
/// Inlined with the simple moves, so that a caller that has just made the position need not write it to
/// memory and read it back first.
#[inline(always)]
pub(crate) fn generate<R: Ruleset>(position: &Position, moves: &mut MoveList) {
    moves.clear();
    match position.turn() {
        Color::Black => generate_for::<R, false>(position, moves),
        Color::White => generate_for::<R, true>(position, moves),
    }
}

/// Whether the side to move of `position`, whose variant is `R`, has a legal move.
pub(crate) fn has_moves<R: Ruleset>(position: &Position) -> bool {
    let can_step = match position.turn() {
        Color::Black => can_step::<R, false>(position),
        Color::White => can_step::<R, true>(position),
    };
    can_step || !position.legal_moves().is_empty()
}

#[inline(always)]
fn generate_for<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    match Spots::of::<R, WHITE>(position) {
        None => simple_moves::<R, WHITE>(position, moves),
        Some(spots) => generate_around::<R, WHITE>(position, spots, moves),
    }
}

/// The rarer case: there may be captures. It stays out of the way of the other.
#[inline(never)]
fn generate_around<R: Ruleset, const WHITE: bool>(
    position: &Position,
    spots: Spots,
    moves: &mut MoveList,
) {
    captures::<R, WHITE>(position, spots, moves);
    if moves.is_empty() || !R::RULES.capture_is_mandatory {
        simple_moves_as_well::<R, WHITE>(position, moves);
    }
}

/// [`simple_moves`], out of the way of captures.
#[inline(never)]
fn simple_moves_as_well<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    simple_moves::<R, WHITE>(position, moves);
}

const fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}
