//! International draughts, on 10x10. Articles: Annex 1 of the FMJD's regulations, the official rules
//! of international draughts.
//!
//! The texts of 6.3 and 6.4 count from the beginning of the ending; we count from the last capture
//! or man move, as everywhere. The two are the same if only kings are left. If the stronger side
//! has men, a man move prolongs the ending.

use crate::{
    About, Board, Color, Criterion, Directions, DrawRule, Draws, Ending, Lifting, Piece, Point,
    Promotion, Reach, Rules, Side,
};

pub(super) const RULES: Rules = Rules {
    board: Board::Ten,                    // 2.1, 2.4
    simple_area: Board::Ten.mask(),       // 3
    black_start: Board::Ten.range(1, 20), // 2.8: White has 31-50
    first_player: Color::White,           // 3
    man: Piece {
        jumps: Directions::DIAGONAL, // 4.1, 4.2: forwards and backwards
        ..Rules::BASE.man
    },
    king: Piece {
        reach: Reach::Flying, // 3.9, 4.3
        ..Rules::BASE.king
    },
    crown_area: Board::Ten.range(1, 5), // 2.5.1, 3.5
    promotion: Promotion::AtEnd,        // 4.15: a man that only passes the last row stays a man
    lifting: Lifting::AfterMove,        // 4.11
    priority: &[Criterion::MostPieces], // 4.13
    draws: Draws::new(&[
        // 6.4: 5 moves of each side
        DrawRule::ending(Ending::Armies(Side::kings(1), Side::with_king(1, 2)), 10),
        // 6.3: 16 moves of each side
        DrawRule::ending(Ending::Armies(Side::kings(1), Side::with_king(3, 3)), 32),
        DrawRule::Repetition { times: 3 },  // 6.1
        DrawRule::NoProgress { plies: 50 }, // 6.2: 25 moves of each side
    ]),
    game_type: "20,W,10,10,N2,0", // PDN 3.0
    hub_name: Some("normal"),     // Scan
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "International draughts: 20 men a side on 10x10, flying kings, and the capture of \
        most pieces must be made.",
    aliases: &["polish"],
    points: &[
        Point::shown(
            "Men capture backwards too, and the capture of most pieces must be made: two pieces \
             here, not one.",
            "W:W28:B21,22,23",
            "28x26",
        ),
        Point::shown(
            "Kings fly: they move and capture over any distance.",
            "W:WK46:B28",
            "46x14",
        ),
        Point::shown(
            "A man that only passes the last row in a capture stays a man.",
            "W:W13:B7,8",
            "13x11",
        ),
    ],
    sources: &["Annex 1 of the regulations of the Fédération Mondiale du Jeu de Dames (FMJD)."],
};
