//! Frisian draughts. Articles: section 4; OR are the Official Rules of 2011.

use crate::{Board, Color, KingReach, Lifting, OneKingEach, Priority, Rules};

pub(super) const RULES: Rules = Rules {
    board: Board::Ten,                              // OR 3
    simple_area: Board::Ten.mask(),                 // 4.1
    black_start: Board::Ten.range(1, 20),           // OR 4: White has 31-50
    first_player: Color::White,                     // OR 6
    crown_area: Board::Ten.range(1, 5),             // 4.7, OR 8
    men_jump_all_ways: true,                        // 4.2, OR 7
    kings_jump_straight: true,                      // 4.3, OR 9
    king_reach: KingReach::FarLandsAnywhere,        // 4.1, 4.3, OR 9
    lifting: Lifting::AfterMove,                    // 4.4, OR 13 and 14
    priority: Priority::ValueThenKing,              // 4.5, OR 11 and 12
    king_run_limit: 3,                              // 4.6, OR 17
    two_kings_v_one_limit: 14,                      // 4.8, OR 18
    one_king_each: OneKingEach::DrawnAfterPlies(4), // 4.9, OR 21
    no_progress_limit: 50,                          // 1.6: 25 moves of each side
    game_type: "40,W,10,10,N2,0",                   // 1.4: official
    ..Rules::BASE
};
