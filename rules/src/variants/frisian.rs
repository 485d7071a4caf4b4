//! Frisian draughts. Articles: section 4; OR are the Official Rules of 2011.

use crate::{
    About, Board, Color, Criterion, Directions, DrawRule, Draws, Ending, Lifting, Piece, Point,
    Reach, Rules, Side,
};

pub(super) const RULES: Rules = Rules {
    board: Board::Ten,                    // OR 3
    simple_area: Board::Ten.mask(),       // 4.1
    black_start: Board::Ten.range(1, 20), // OR 4: White has 31-50
    first_player: Color::White,           // OR 6
    man: Piece {
        jumps: Directions::ALL, // 4.2, OR 7
        ..Rules::BASE.man
    },
    king: Piece {
        jumps: Directions::ALL, // 4.3, OR 9
        reach: Reach::Flying,   // 4.1, 4.3, OR 9
        ..Rules::BASE.king
    },
    crown_area: Board::Ten.range(1, 5), // 4.7, OR 8: where the move ends
    lifting: Lifting::AfterMove,        // 4.4, OR 13 and 14
    priority: &[Criterion::FrisianValue, Criterion::ByKing], // 4.5, OR 11 and 12
    king_rest_limit: 3,                 // 4.6, OR 17
    draws: Draws::new(&[
        DrawRule::ending(Ending::Armies(Side::kings(2), Side::kings(1)), 14), // 4.8, OR 18
        DrawRule::ending(Ending::Armies(Side::kings(1), Side::kings(1)), 4),  // 4.9, OR 21
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 50 }, // 1.6: 25 moves of each side
    ]),
    game_type: "40,W,10,10,N2,0", // 1.4: official
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Frisian draughts: 20 men a side on 10x10, captures in eight directions, and the \
        most valuable one must be made.",
    aliases: &[],
    points: &[
        Point::shown(
            "Men and kings capture along rows and columns too, here sideways.",
            "W:W28:B29",
            "28x30",
        ),
        Point::shown("Men capture backwards as well.", "W:W28:B38", "28x48"),
        Point::shown(
            "The capture of greatest value must be made. A king counts a little less than two \
             men: one king is worth more than one man.",
            "W:W28:BK18,29",
            "28x8",
        ),
        Point::shown(
            "Three men are worth more than a king and a man.",
            "W:W28:B20,27,K29,38,42",
            "28x17",
        ),
        Point::shown(
            "Of two captures of the same value, a king must make the one that it can.",
            "W:W28,K46:B29,41",
            "46x32",
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man.",
            "W:W12:B4,8,15",
            "12x25",
        ),
        Point::shown(
            "A side that has men may not make more than three simple moves in a row with the \
             same king. Here the king on 46 has made three.",
            "W:W36,K46:BK5,15:H5:F20:+346+0",
            "36-31",
        ),
    ],
    sources: &["Official Rules for Frisian Draughts 2011, articles 3 to 21."],
};
