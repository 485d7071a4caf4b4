//! The customary game: English checkers with free captures. Articles: section 3.

use crate::{About, Point, Rules};

pub(super) const RULES: Rules = Rules {
    capture_is_mandatory: false, // 3.1
    may_stop_capture: true,      // 3.2
    game_type: "90,B,8,8,N1,0",  // 1.4: proposed, unassigned
    ..super::english::RULES
};

pub(super) const ABOUT: About = About {
    summary: "English draughts as many families play it: captures are optional.",
    aliases: &[],
    points: &[
        Point::shown(
            "A capture is a choice: a simple move is always allowed.",
            "W:WK14,32:B18",
            "32-27",
        ),
        Point::shown(
            "A capture may stop after any of its jumps.",
            "W:W27,28:B14,23,24",
            "27x18",
        ),
        Point::said("Who begins is drawn by lot. The start position here has Black to move."),
    ],
    sources: &[
        "The customary rules that the project was founded on; where they are \
         silent, English draughts.",
    ],
};
