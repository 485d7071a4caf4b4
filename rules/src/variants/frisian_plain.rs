//! Frisian as the bare seed text has it: no king rest, no endgame draws. Section 4, last paragraph.

use crate::{OneKingEach, Rules};

pub(super) const RULES: Rules = Rules {
    king_run_limit: 0,                  // without 4.6
    two_kings_v_one_limit: 0,           // without 4.8
    one_king_each: OneKingEach::PlayOn, // without 4.9
    ..super::frisian::RULES
};
