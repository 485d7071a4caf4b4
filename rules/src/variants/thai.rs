//! Thai checkers, Makhos. Articles: section 5.

use crate::{
    Board, Color, DrawReason, DrawRule, Draws, Ending, Lifting, Piece, Reach, Rules, Side,
};

pub(super) const RULES: Rules = Rules {
    board: Board::Eight,                   // 5
    black_start: Board::Eight.range(1, 8), // 5: White has 25-32
    first_player: Color::White,            // 5
    king: Piece {
        reach: Reach::FlyingLandsNext, // 5.1, 5.3
        ..Rules::BASE.king
    },
    crown_area: Board::Eight.range(1, 4), // 5.6
    capture_is_mandatory: true,           // 5.4
    lifting: Lifting::AtOnce,             // 5.5
    draws: Draws::new(&[
        DrawRule::Ending {
            ending: Ending(Side::kings(1), Side::kings(1)),
            plies: 0,
            unless_capture: true,
            reason: DrawReason::OneKingEach,
        }, // 5.7
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 40 }, // 5.8
    ]),
    game_type: "31,W,8,8,N2,0", // 1.4: official number
    ..Rules::BASE
};
