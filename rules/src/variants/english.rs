//! English draughts. Articles: section 2 of RULES.md.

use crate::{About, Board, Color, DrawRule, Draws, Point, Rules};

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

pub(super) const ABOUT: About = About {
    summary: "English draughts, or American checkers: 12 men a side on 8x8, Black moves first.",
    aliases: &["checkers", "draughts", "american"],
    points: &[
        Point::shown(
            "A man moves and jumps forwards only, one square at a time.",
            "W:W18:B23",
            "18-14",
        ),
        Point::shown(
            "A king moves and jumps in all four directions, also one square at a time.",
            "W:WK18:B23",
            "18x27",
        ),
        Point::shown(
            "A capture must be made where there is one, but any may be chosen. It continues \
             until no jump is left.",
            "W:W27,28:B14,23,24",
            "27x9",
        ),
        Point::shown(
            "A man that reaches the last row is crowned, and its move ends there.",
            "B:W26,27:B22",
            "22x31",
        ),
        Point::shown(
            "A king may come back to where it started.",
            "W:WK6:B9,10,17,18",
            "6x6",
        ),
    ],
    sources: &[
        "Rules of the World Checkers and Draughts Federation (WCDF), articles 1.18, 1.19 and 1.32.",
    ],
};
