//! Frisian as the bare seed text has it: no king rest, no endgame draws. Section 4, last paragraph.

use crate::{DrawRule, Draws, Rules};

pub(super) const RULES: Rules = Rules {
    king_rest_limit: 0, // without 4.6
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 50 }, // without 4.8 and 4.9
    ]),
    ..super::frisian::RULES
};
