//! The customary game: English checkers with free captures. Articles: section 3.

use crate::{About, Illustration, Point, Rules};

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
            Illustration {
                fen: "W:WK14,32:B18",
                mv: "32-27",
                legal: "14-9 14-10 14-17 14x23 32-27 32-28",
                after: "B:WK14,27:B18",
            },
        ),
        Point::shown(
            "A capture may stop after any of its jumps.",
            Illustration {
                fen: "W:W27,28:B14,23,24",
                mv: "27x18",
                legal: "27x9 27x18 27x20 28x19",
                after: "B:W18,28:B14,24",
            },
        ),
        Point::said("Who begins is drawn by lot. The start position here has Black to move."),
    ],
    sources: &[
        "The customary rules that the project was founded on; where they are \
         silent, English draughts.",
    ],
};
