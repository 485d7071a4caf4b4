//! Generation of moves without capture.

use super::color;
use super::kind::Kind;
use crate::geometry::{STEPS, open_ray, shift};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Move, MoveList, Position, Square};

/// Adds the simple moves of the side to move.
#[inline(always)]
pub(super) fn simple_moves<R: Ruleset, const WHITE: bool>(
    position: &Position,
    moves: &mut MoveList,
) {
    let us = color(WHITE);
    let occupied = position.occupied().0;
    let free = R::RULES.simple_area.0 & !occupied;
    let men = position.men(us);
    if Kind::<R, WHITE, false>::IS_SHORT {
        man_steps::<R, WHITE>(men, free, moves);
    } else {
        for from in men {
            slides::<R, WHITE, false>(from, occupied, moves);
        }
    }
    let kings = position.kings(us);
    if kings.is_empty() {
        return;
    }
    let kings = kings & !position.resting_king(us);
    if Kind::<R, WHITE, true>::IS_SHORT {
        king_steps::<R, WHITE>(kings, free, moves);
    } else {
        for from in kings {
            slides::<R, WHITE, true>(from, occupied, moves);
        }
    }
}

/// True if the side to move has a simple move. For flying pieces a single step is enough.
#[inline(always)]
pub(super) fn can_step<R: Ruleset, const WHITE: bool>(position: &Position) -> bool {
    let us = color(WHITE);
    let free = R::RULES.simple_area.0 & !position.occupied().0;
    let (men, kings) = (
        position.men(us).0,
        position.kings(us) & !position.resting_king(us),
    );
    let mut targets = 0;
    for &direction in Kind::<R, WHITE, false>::STEPS {
        targets |= shift(men, direction);
    }
    for &direction in Kind::<R, WHITE, true>::STEPS {
        targets |= shift(kings.0, direction);
    }
    targets & free != 0
}

/// The step in this direction that ends on `to`.
#[inline(always)]
fn step(direction: usize, to: Square) -> Move {
    simple_move(to.offset(-STEPS[direction]), to)
}

/// Adds the steps of men to free squares.
#[inline(always)]
fn man_steps<R: Ruleset, const WHITE: bool>(men: Bitboard, free: u64, moves: &mut MoveList) {
    for &direction in Kind::<R, WHITE, false>::STEPS {
        let targets = Bitboard(shift(men.0, direction) & free);
        // Men moving in one direction: their typical number depends on the board.
        if const { R::RULES.simple_area.count() > 32 } {
            moves.extend_few::<7>(targets, |to| step(direction, to));
        } else {
            moves.extend_few::<5>(targets, |to| step(direction, to));
        }
    }
}

/// Adds the steps of kings to free squares.
#[inline(never)]
fn king_steps<R: Ruleset, const WHITE: bool>(kings: Bitboard, free: u64, moves: &mut MoveList) {
    let directions = Kind::<R, WHITE, true>::STEPS;
    let mut at = 0;
    while at < directions.len() {
        let direction = directions[at];
        let targets = Bitboard(shift(kings.0, direction) & free);
        moves.extend_few::<2>(targets, |to| step(direction, to));
        at += 1;
    }
}

/// Adds the moves of a flying piece to all squares in its line of sight.
fn slides<R: Ruleset, const WHITE: bool, const KING: bool>(
    from: Square,
    occupied: u64,
    moves: &mut MoveList,
) {
    for &direction in Kind::<R, WHITE, KING>::STEPS {
        let seen = open_ray(R::RULES.board, direction, from, occupied);
        let targets = Bitboard(seen & R::RULES.simple_area.0);
        moves.extend(targets.iter().map(|to| simple_move(from, to)));
    }
}

const fn simple_move(from: Square, to: Square) -> Move {
    Move {
        from,
        to,
        captured: Bitboard::EMPTY,
    }
}
