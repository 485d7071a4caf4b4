//! American pool checkers. Articles: the tournament rules of the American Pool Checker Association.
//!
//! The rules limit only the moves of three kings against one. That a game is drawn after 30 moves
//! of each side without a capture or a man move is our decision, because every game must end.

use crate::{About, Color, Directions, DrawRule, Draws, Ending, Piece, Point, Reach, Rules, Side};

pub(super) const RULES: Rules = Rules {
    first_player: Color::Black, // 7
    man: Piece {
        jumps: Directions::DIAGONAL, // forwards and backwards
        ..Rules::BASE.man
    },
    king: Piece {
        reach: Reach::Flying,
        ..Rules::BASE.king
    },
    draws: Draws::new(&[
        // The rule of thirteen
        DrawRule::ending(Ending::Armies(Side::kings(1), Side::kings(3)), 26),
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 60 },
    ]),
    game_type: "23,B,8,8,N1,0", // PDN 3.0
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "American pool checkers: English draughts with flying kings and with men that capture \
        backwards.",
    aliases: &["american-pool", "spanish-pool"],
    points: &[
        Point::shown(
            "Men capture backwards too. Any capture may be chosen, here of one piece instead of \
             two, and must be finished.",
            "W:W18:B14,23,24",
            "18x9",
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man.",
            "W:W10:B7,8",
            "10x12",
        ),
        Point::shown(
            "Kings fly. One that can continue to capture must land where it can.",
            "W:WK29:B10,22",
            "29x6",
        ),
    ],
    sources: &["Tournament rules of the American Pool Checker Association (APCA)."],
};
