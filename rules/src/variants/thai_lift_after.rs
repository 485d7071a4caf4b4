//! An experiment: Thai with victims that stay on the board until the move is over. Article 5.5.

use crate::{Lifting, Rules};

pub(super) const RULES: Rules = Rules {
    lifting: Lifting::AfterMove, // 5.5, the ruleset switch
    ..super::thai::RULES
};
