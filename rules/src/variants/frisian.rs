//! Frisian draughts. Articles: section 4; OR are the Official Rules of 2011.

use crate::{
    Board, Color, Criterion, Directions, DrawReason, DrawRule, Draws, Ending, Lifting, Piece, Reach,
    Rules, Side,
};

pub(super) const RULES: Rules = Rules {
    board: Board::Ten,                  // OR 3
    simple_area: Board::Ten.mask(),     // 4.1
    black_start: Board::Ten.range(1, 20), // OR 4: White has 31-50
    first_player: Color::White,         // OR 6
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
        DrawRule::ending(
            Ending(Side::kings(2), Side::kings(1)),
            14,
            DrawReason::TwoKingsVOne,
        ), // 4.8, OR 18
        DrawRule::ending(
            Ending(Side::kings(1), Side::kings(1)),
            4,
            DrawReason::OneKingEach,
        ), // 4.9, OR 21
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 50 }, // 1.6: 25 moves of each side
    ]),
    game_type: "40,W,10,10,N2,0", // 1.4: official
    ..Rules::BASE
};
