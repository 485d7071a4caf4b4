//! Breakthrough draughts: international draughts in which the first king wins.
//!
//! As at lidraughts.org. Only men move, so every game ends and none is drawn.

use crate::{About, Draws, Goal, Point, Rules};

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
            "W:W8,31:B40",
            "8-2",
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man, and the game continues.",
            "W:W13:B7,8,40",
            "13x11",
        ),
    ],
    sources: &[
        "Breakthrough as played at lidraughts.org; Annex 1 of the regulations of the FMJD for the \
         moves.",
    ],
};
