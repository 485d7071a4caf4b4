//! Breakthrough draughts: international draughts in which the first king wins.
//!
//! As at lidraughts.org. Only men move, so every game ends and none is drawn.

use crate::{About, Draws, Goal, Illustration, Point, Rules};

pub(super) const RULES: Rules = Rules {
    goal: Goal::FirstKing,
    draws: Draws::new(&[]),
    game_type: "96,W,10,10,N2,0", // lidraughts
    hub_name: Some("bt"),         // Scan
    ..super::international::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Breakthrough draughts: the moves of international draughts, but the first side with \
        a king has won.",
    aliases: &["bt"],
    points: &[
        Point::shown(
            "A man that reaches the last row wins the game. So does a side whose opponent cannot \
             move.",
            Illustration {
                fen: "W:W8,31:B40",
                mv: "8-2",
                legal: "8-2 8-3 31-26 31-27",
                after: "B:WK2,31:B40",
            },
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man, and the game continues.",
            Illustration {
                fen: "W:W13:B7,8,40",
                mv: "13x11",
                legal: "13x11",
                after: "B:W11:B40",
            },
        ),
    ],
    sources: &[
        "Breakthrough as played at lidraughts.org; Annex 1 of the regulations of the FMJD for the \
         moves.",
    ],
};
