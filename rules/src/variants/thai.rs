//! Thai checkers, Makhos. Articles: section 5.

use crate::{
    About, Board, Color, DrawRule, Draws, Ending, Lifting, Piece, Point, Reach, Restart, Rules,
    Side,
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
            ending: Ending::Armies(Side::kings(1), Side::kings(1)),
            plies: 0,
            restart: Restart::Progress,
            unless_capture: true,
        }, // 5.7
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 40 }, // 5.8
    ]),
    game_type: "31,W,8,8,N2,0", // 1.4: official number
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Thai checkers, Makhos: 8 men a side on 8x8, flying kings that land right behind \
        what they capture.",
    aliases: &["makhos", "mak-hos"],
    points: &[
        Point::shown(
            "A king captures from any distance, and lands on the square next to its victim.",
            "W:WK29:B18",
            "29x15",
        ),
        Point::shown(
            "Victims leave the board at once, so a king may turn back across their squares.",
            "W:WK22:B18,25",
            "22x29",
        ),
        Point::shown(
            "Any capture may be chosen, and must be finished.",
            "W:W27,28:B14,23,24",
            "27x9",
        ),
        Point::shown(
            "A man captures forwards only. One that is crowned stops.",
            "W:W11:B6,7",
            "11x2",
        ),
    ],
    sources: &[
        "The Makhos rules that the project was founded on; when victims leave the \
         board follows common practice.",
    ],
};
