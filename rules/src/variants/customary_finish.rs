//! The other reading of the customary text: a capture once begun must be finished. Article 3.2.

use crate::Rules;

pub(super) const RULES: Rules = Rules {
    may_stop_capture: false, // 3.2, the ruleset switch
    ..super::customary::RULES
};
