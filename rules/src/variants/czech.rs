//! Czech draughts, by the rules of the Czech Draughts Federation.
//!
//! The rules call a game drawn when neither side can win it by careful play. For programs we take
//! the limit of draughts-64, 7.2.5: 15 moves of each side.

use crate::{About, Color, Criterion, DrawRule, Draws, Notation, Piece, Point, Reach, Rules};

pub(super) const RULES: Rules = Rules {
    first_player: Color::White,
    king: Piece {
        reach: Reach::Flying,
        ..Rules::BASE.king
    },
    priority: &[Criterion::ByKing],
    draws: Draws::new(&[
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 30 },
    ]),
    notation: Notation::Algebraic,
    game_type: "29,W,8,8,A0,0", // PDN 3.0
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Czech draughts: 12 men a side on 8x8, flying kings, and a king must capture before a \
        man.",
    aliases: &["bohemian"],
    points: &[
        Point::shown(
            "A side that can capture with a king must do so, even if a man could take more.",
            "W:WK4,15,27:B8,14,23",
            "h8xf6",
        ),
        Point::shown(
            "Otherwise any capture may be chosen, and must be finished.",
            "W:W27,28:B14,23,24",
            "f2xb6",
        ),
        Point::said("Men capture forwards only. Squares have letters and numbers, such as c3."),
    ],
    sources: &["Rules of the Czech Draughts Federation (Česká federace dámy)."],
};
