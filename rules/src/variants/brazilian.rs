//! Brazilian draughts: the international game on the 8x8 board. It is the Russian game with other
//! captures and promotions. Its draw rules follow the FMJD's official rules of draughts-64 too.

use crate::{About, Criterion, Point, Promotion, Rules};

pub(super) const RULES: Rules = Rules {
    promotion: Promotion::AtEnd,
    priority: &[Criterion::MostPieces],
    game_type: "26,W,8,8,A0,0", // PDN 3.0
    ..super::russian::RULES
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
