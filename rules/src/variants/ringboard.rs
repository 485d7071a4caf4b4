//! Peter Aronson's Ring Board Checkers. Articles: section 6.

use crate::{Board, Color, Directions, DrawRule, Draws, Lifting, Piece, Rules};

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
