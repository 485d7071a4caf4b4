//! Frisian as the bare seed text has it: no king rest, no endgame draws. Section 4, last paragraph.

use crate::{About, DrawRule, Draws, Illustration, Point, Rules};

pub(super) const RULES: Rules = Rules {
    king_rest_limit: 0, // without 4.6
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 50 }, // without 4.8 and 4.9
    ]),
    ..super::frisian::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Frisian without the rest of kings and without its draws in endings.",
    aliases: &[],
    points: &[Point::shown(
        "A king may move as often as it likes. Captures are as in Frisian draughts.",
        Illustration {
            fen: "W:W36,K46:BK5,15",
            mv: "46-10",
            legal: "36-31 46-10 46-14 46-19 46-23 46-28 46-32 46-37 46-41",
            after: "B:W36,K10:BK5,15",
        },
    )],
    sources: &[
        "The Frisian rules that the project was founded on, without articles 17, \
         18 and 21 of the official rules.",
    ],
};
