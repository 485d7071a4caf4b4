//! Thai checkers, Makhos. Articles: section 5.

use crate::{Board, Color, KingReach, Lifting, OneKingEach, Rules};

pub(super) const RULES: Rules = Rules {
    board: Board::Eight,                            // 5
    black_start: Board::Eight.range(1, 8),          // 5: White has 25-32
    first_player: Color::White,                     // 5
    crown_area: Board::Eight.range(1, 4),           // 5.6
    king_reach: KingReach::FarLandsNext,            // 5.1, 5.3
    capture_is_mandatory: true,                     // 5.4
    lifting: Lifting::AtOnce,                       // 5.5
    one_king_each: OneKingEach::DrawnUnlessCapture, // 5.7
    no_progress_limit: 40,                          // 5.8
    game_type: "31,W,8,8,N2,0",                     // 1.4: official number
    ..Rules::BASE
};
