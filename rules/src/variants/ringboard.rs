//! Peter Aronson's Ring Board Checkers. Articles: section 6.

use crate::{
    About, Board, Color, Directions, DrawRule, Draws, Illustration, Lifting, Piece, Point, Rules,
};

pub(super) const RULES: Rules = Rules {
    board: Board::Ten,                      // 6
    simple_area: Board::Eight.mask(),       // 6.2: the inner board
    black_start: Board::Eight.range(1, 12), // 6: 7-14 and 17-20, the inner board's first rows
    first_player: Color::Black,             // 6
    king: Piece {
        jumps: Directions::ALL, // 6.4
        ..Rules::BASE.king
    },
    crown_area: Board::Ten.range(1, 10), // 6.10: the inner far row and beyond
    capture_is_mandatory: true,          // 6.8
    lifting: Lifting::AfterMove,         // 6.9
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 80 }, // 6.12
    ]),
    game_type: "91,B,10,10,N1,0", // 1.4: proposed, unassigned
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Ring Board Checkers by Peter Aronson: English draughts with a ring of squares \
        around the board, where only captures end.",
    aliases: &["ring-board"],
    points: &[
        Point::shown(
            "A capture may land on the ring.",
            Illustration {
                fen: "W:W34:B30",
                mv: "34x25",
                legal: "34x25",
                after: "B:W25:B",
            },
        ),
        Point::shown(
            "The ring may be a stepping stone in a capture.",
            Illustration {
                fen: "W:W34:B20,30",
                mv: "34x14",
                legal: "34x14",
                after: "B:W14:B",
            },
        ),
        Point::shown(
            "A simple move never ends on the ring.",
            Illustration {
                fen: "W:WK7:B40",
                mv: "7-11",
                legal: "7-11 7-12",
                after: "B:WK11:B40",
            },
        ),
        Point::shown(
            "A piece on the ring may step back inside.",
            Illustration {
                fen: "W:W25:B7",
                mv: "25-20",
                legal: "25-20",
                after: "B:W20:B7",
            },
        ),
        Point::shown(
            "Kings also jump along rows and columns, four squares away.",
            Illustration {
                fen: "W:WK28:B29",
                mv: "28x30",
                legal: "28x30",
                after: "B:WK30:B",
            },
        ),
        Point::shown(
            "A man is crowned on the last row of the inner board, or when a capture carries it \
             beyond.",
            Illustration {
                fen: "W:W12:B8",
                mv: "12x3",
                legal: "12x3",
                after: "B:WK3:B",
            },
        ),
    ],
    sources: &[
        "Peter Aronson, Ring Board Checkers (2002), in a published description; gaps \
         follow Rococo by the same author.",
    ],
};
