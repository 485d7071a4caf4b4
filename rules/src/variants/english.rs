//! English draughts. Articles: section 2 of RULES.md.

use crate::{About, Board, Color, DrawRule, Draws, Illustration, Point, Rules};

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
            Illustration {
                fen: "W:W18:B23",
                mv: "18-14",
                legal: "18-14 18-15",
                after: "B:W14:B23",
            },
        ),
        Point::shown(
            "A king moves and jumps in all four directions, also one square at a time.",
            Illustration {
                fen: "W:WK18:B23",
                mv: "18x27",
                legal: "18x27",
                after: "B:WK27:B",
            },
        ),
        Point::shown(
            "A capture must be made where there is one, but any may be chosen. It continues \
             until no jump is left.",
            Illustration {
                fen: "W:W27,28:B14,23,24",
                mv: "27x9",
                legal: "27x9 27x20 28x19",
                after: "B:W9,28:B24",
            },
        ),
        Point::shown(
            "A man that reaches the last row is crowned, and its move ends there.",
            Illustration {
                fen: "B:W26,27:B22",
                mv: "22x31",
                legal: "22x31",
                after: "W:W27:BK31",
            },
        ),
        Point::shown(
            "A king may come back to where it started.",
            Illustration {
                fen: "W:WK6:B9,10,17,18",
                mv: "6x6",
                legal: "6x6",
                after: "B:WK6:B",
            },
        ),
    ],
    sources: &[
        "Rules of the World Checkers and Draughts Federation (WCDF), articles 1.18, 1.19 and 1.32.",
    ],
};
