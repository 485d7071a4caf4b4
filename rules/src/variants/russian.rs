//! Russian draughts, shashki. Articles marked "C" belong to the Russian code of 2004, the others to
//! the FMJD's official rules of draughts-64.
//!
//! The draw rules are read as lidraughts reads them: 7.2.6 replaces 7.2.5 in its endings, and the
//! moves of 7.2.8 are counted from the beginning of the ending. 7.2.4 counts from the last capture
//! or promotion. 7.2.7 counts the moves of the whole ending after which the king was on the main
//! road; only games count them.

use crate::{
    About, Color, Directions, DrawRule, Draws, Ending, Notation, Piece, Point, Promotion, Reach,
    Restart, Rules, Side, Span,
};

pub(super) const RULES: Rules = Rules {
    version: 2,
    first_player: Color::White,
    man: Piece {
        jumps: Directions::DIAGONAL, // C 1.5.3: forwards and backwards
        ..Rules::BASE.man
    },
    king: Piece {
        reach: Reach::Flying, // C 1.4.5
        ..Rules::BASE.king
    },
    promotion: Promotion::InPassing, // C 1.5.15
    draws: Draws::new(&[
        // 7.2.8: 5 moves of each side
        few(
            Ending::Armies(Side::kings(1), Side::with_king(1, 2)),
            10,
            Restart::Never,
        ),
        DrawRule::MainRoad { plies: 10 }, // 7.2.7: 5 moves of each side
        // 7.2.4: 15 moves of each side
        few(
            Ending::Armies(Side::kings(1), Side::only_kings(3, 12)),
            30,
            Restart::Balance,
        ),
        // 7.2.6: 30 moves of each side, or 60
        few(Ending::Kinged(Span::new(4, 5)), 60, Restart::Balance),
        few(Ending::Kinged(Span::new(6, 7)), 120, Restart::Balance),
        DrawRule::Repetition { times: 3 },  // 7.2.3
        DrawRule::NoProgress { plies: 30 }, // 7.2.5: 15 moves of each side
    ]),
    notation: Notation::Algebraic,
    game_type: "25,W,8,8,A0,0", // PDN 3.0
    ..Rules::BASE
};

const fn few(ending: Ending, plies: u32, restart: Restart) -> DrawRule {
    DrawRule::Ending {
        ending,
        plies,
        restart,
        unless_capture: false,
    }
}

pub(super) const ABOUT: About = About {
    summary: "Russian draughts, shashki: 12 men a side on 8x8, flying kings, free choice of \
        captures.",
    aliases: &["shashki"],
    points: &[
        Point::shown(
            "Men capture backwards too. Any capture may be chosen, here of one piece instead of \
             two, and must be finished.",
            "W:W18:B14,23,24",
            "d4xb6",
        ),
        Point::shown(
            "A man that reaches the last row in a capture continues as a king.",
            "W:W9:B6,11",
            "b6xg5",
        ),
        Point::shown(
            "Kings fly. One that can continue to capture must land where it can.",
            "W:WK29:B10,22",
            "a1xc7",
        ),
        Point::said("Squares have letters and numbers, such as c3."),
    ],
    sources: &["Russian code of draughts (2004); official rules of draughts-64 of the FMJD."],
};
