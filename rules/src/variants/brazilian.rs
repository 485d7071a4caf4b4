//! Brazilian draughts: the international game on the 8x8 board. Its draws are those of the FMJD's
//! official rules of draughts-64, as in the Russian game.

use crate::{Board, Notation, Rules};

pub(super) const RULES: Rules = Rules {
    board: Board::Eight,
    simple_area: Board::Eight.mask(),
    black_start: Board::Eight.range(1, 12), // White has 21-32
    crown_area: Board::Eight.range(1, 4),
    draws: super::russian::RULES.draws, // 7.2.3 to 7.2.8
    notation: Notation::Algebraic,
    game_type: "26,W,8,8,A0,0", // PDN 3.0
    hub_name: None,
    ..super::international::RULES
};
