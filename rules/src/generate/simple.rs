//! Moves without capture.

use super::color;
use crate::geometry::{DIAGONALS, FORWARD, STEPS, open_ray, shift};
use crate::ruleset::Ruleset;
use crate::{Bitboard, KingReach, Move, MoveList, Position, Square};

/// Adds the simple moves of the side to move.
pub(super) fn simple_moves<R: Ruleset, const WHITE: bool>(
    position: &Position,
    moves: &mut MoveList,
) {
    let us = color(WHITE);
    let occupied = position.occupied().0;
    let free = R::RULES.simple_area.0 & !occupied;
    steps(position.men(us).0, FORWARD[us.index()], free, moves);

    let kings = position.kings(us) & !position.resting_king(us);
    match R::RULES.king_reach {
        KingReach::Short => steps(kings.0, DIAGONALS, free, moves),
        KingReach::FarLandsNext | KingReach::FarLandsAnywhere => {
            for from in kings {
                slides::<R>(from, occupied, moves);
            }
        }
    }
}

/// One step by any of `movers` to a free square.
#[inline(always)]
fn steps<const N: usize>(movers: u64, directions: [usize; N], free: u64, moves: &mut MoveList) {
    if movers == 0 {
        return;
    }
    for direction in directions {
        let targets = Bitboard(shift(movers, direction) & free);
        moves.extend(
            targets
                .iter()
                .map(|to| simple_move(to.offset(-STEPS[direction]), to)),
        );
    }
}

/// All squares that a far-reaching king sees along the diagonals.
fn slides<R: Ruleset>(from: Square, occupied: u64, moves: &mut MoveList) {
    for direction in DIAGONALS {
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
