//! American pool checkers. Articles: the tournament rules of the American Pool Checker Association.
//!
//! The rules limit only the moves of three kings against one. That a game is drawn after 30 moves
//! of each side without a capture or a man move is our decision, because every game must end.

use crate::{
    About, Color, Directions, DrawReason, DrawRule, Draws, Ending, Illustration, Piece, Point,
    Reach, Rules, Side,
};

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
        DrawRule::ending(
            Ending::Armies(Side::kings(1), Side::kings(3)),
            26,
            DrawReason::FewPieces,
        ),
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
            Illustration {
                fen: "W:W18:B14,23,24",
                mv: "18x9",
                legal: "18x9 18x20",
                after: "B:W9:B23,24",
            },
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man.",
            Illustration {
                fen: "W:W10:B7,8",
                mv: "10x12",
                legal: "10x12",
                after: "B:W12:B",
            },
        ),
        Point::shown(
            "Kings fly. One that can continue to capture must land where it can.",
            Illustration {
                fen: "W:WK29:B10,22",
                mv: "29x6",
                legal: "29x1 29x6",
                after: "B:WK6:B",
            },
        ),
    ],
    sources: &["Tournament rules of the American Pool Checker Association (APCA)."],
};
