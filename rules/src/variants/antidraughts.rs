//! Antidraughts: international draughts in which a side wins when it has no pieces or cannot move.
//!
//! As at lidraughts.org, where the same position for the third time is the only draw. Games of
//! programs need a limit of plies too: no win with three pieces takes more than 18.

use crate::{About, DrawRule, Draws, Goal, Point, Rules};

pub(super) const RULES: Rules = Rules {
    goal: Goal::Misere,
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 100 },
    ]),
    game_type: "98,W,10,10,N2,0", // lidraughts
    hub_name: Some("losing"),     // Scan
    ..super::international::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Antidraughts: the moves of international draughts, but a side that has no pieces or \
        cannot move has won.",
    aliases: &["anti", "losing"],
    points: &[
        Point::shown(
            "Captures are mandatory, as in international draughts. White, who has no piece left \
             after this one, wins.",
            "B:W22:B17,40",
            "17x28",
        ),
        Point::shown(
            "The capture of most pieces must be made.",
            "W:W28:B21,22,23",
            "28x26",
        ),
    ],
    sources: &[
        "Antidraughts as played at lidraughts.org; Annex 1 of the regulations of the FMJD for the \
         moves.",
    ],
};
