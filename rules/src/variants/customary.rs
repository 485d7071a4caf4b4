//! The customary game: English checkers with free captures. Articles: section 3.

use crate::Rules;

pub(super) const RULES: Rules = Rules {
    capture_is_mandatory: false, // 3.1
    may_stop_capture: true,      // 3.2
    game_type: "90,B,8,8,N1,0",  // 1.4: proposed, unassigned
    ..super::english::RULES
};
