//! Peter Aronson's Ring Board Checkers. Articles: section 6.

use crate::{About, Board, Color, Directions, DrawRule, Draws, Lifting, Piece, Point, Rules};

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
        Point::shown("A capture may land on the ring.", "W:W34:B30", "34x25"),
        Point::shown(
            "The ring may be a stepping stone in a capture.",
            "W:W34:B20,30",
            "34x14",
        ),
        Point::shown("A simple move never ends on the ring.", "W:WK7:B40", "7-11"),
        Point::shown(
            "A piece on the ring may step back inside.",
            "W:W25:B7",
            "25-20",
        ),
        Point::shown(
            "Kings also jump along rows and columns, four squares away.",
            "W:WK28:B29",
            "28x30",
        ),
        Point::shown(
            "A man is crowned on the last row of the inner board, or when a capture carries it \
             beyond.",
            "W:W12:B8",
            "12x3",
        ),
    ],
    sources: &[
        "Peter Aronson, Ring Board Checkers (2002), in a published description; gaps \
         follow Rococo by the same author.",
    ],
};
