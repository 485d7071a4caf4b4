//! English draughts. Articles: section 2 of RULES.md.

use crate::{Board, Color, DrawRule, Draws, Rules};

pub(super) const RULES: Rules = Rules {
    board: Board::Eight,                    // 2
    black_start: Board::Eight.range(1, 12), // 2: White has 21-32
    first_player: Color::Black,             // 2
    crown_area: Board::Eight.range(1, 4),   // 2.7: a man that is crowned has no jump left
    capture_is_mandatory: true,             // 2.5
    may_stop_capture: false,                // 2.6
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 80 }, // 1.6: WCDF 1.32.2, 40 moves of each side
    ]),
    game_type: "21,B,8,8,N1,0", // 1.4: official
    ..Rules::BASE
};
