//! An experiment: Thai with captured pieces removed only after the move. Article 5.5.

use crate::{About, Lifting, Point, Rules};

pub(super) const RULES: Rules = Rules {
    lifting: Lifting::AfterMove, // 5.5, the ruleset switch
    ..super::thai::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Thai, but victims stay on the board until the capture is over.",
    aliases: &[],
    points: &[Point::shown(
        "A victim bars the way back: each of these captures takes one piece, where Thai \
             checkers takes two.",
        "W:WK22:B18,25",
        "22x29",
    )],
    sources: &["The Thai rules in another reading, for comparison."],
};
