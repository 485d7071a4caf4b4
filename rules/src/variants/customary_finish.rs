//! The alternative reading of the customary rules: a capture must be finished once it has started.
//! Article 3.2.

use crate::{About, Point, Rules};

pub(super) const RULES: Rules = Rules {
    may_stop_capture: false, // 3.2, the ruleset switch
    ..super::customary::RULES
};

pub(super) const ABOUT: About = About {
    summary: "Customary, in the other reading of its text: a capture that has begun must be \
        finished.",
    aliases: &[],
    points: &[Point::shown(
        "A capture is a choice, but one that is begun continues until no jump is left.",
        "W:W27,28:B14,23,24",
        "27x9",
    )],
    sources: &["The customary rules, read so that only the beginning of a capture is free."],
};
