//! Brazilian draughts: the international game on the 8x8 board. Its draw rules follow the FMJD's
//! official rules of draughts-64, as in the Russian game.

use crate::{About, Board, Notation, Point, Rules};

pub(super) const RULES: Rules = Rules {
    version: 2,
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

pub(super) const ABOUT: About = About {
    summary: "Brazilian draughts: the international game on the board of 8x8, with 12 men a side.",
    aliases: &[],
    points: &[
        Point::shown(
            "The capture of most pieces must be made, by men backwards too: two pieces here, not \
             one.",
            "W:W18:B14,23,24",
            "d4xh4",
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man.",
            "W:W10:B7,8",
            "d6xh6",
        ),
    ],
    sources: &["Official rules of draughts-64 of the FMJD."],
};
