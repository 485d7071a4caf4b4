//! Frisian as the bare seed text has it: no king rest, no endgame draws. Section 4, last paragraph.

use crate::{About, DrawRule, Draws, Point, Rules};

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
        "W:W36,K46:BK5,15",
        "46-10",
    )],
    sources: &[
        "The Frisian rules that the project was founded on, without articles 17, \
         18 and 21 of the official rules.",
    ],
};
