//! Italian draughts. Articles: the technical rules of the Federazione Italiana Dama, chapter I.

use crate::{About, Board, Color, Criterion, DrawRule, Draws, Piece, Point, Rules};

pub(super) const RULES: Rules = Rules {
    board: Board::EightRight,   // 2.3, 2.4
    first_player: Color::White, // 3
    man: Piece {
        captures_kings: false, // 5.3
        ..Rules::BASE.man
    },
    priority: &[
        Criterion::MostPieces, // 6.6
        Criterion::ByKing,     // 6.7
        Criterion::MostKings,  // 6.8
        Criterion::KingsFirst, // 6.9
    ],
    draws: Draws::new(&[
        DrawRule::Repetition { times: 4 },  // 9.3
        DrawRule::NoProgress { plies: 80 }, // 10.4: 40 moves of each side
    ]),
    game_type: "22,W,8,8,N2,1", // PDN 3.0
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Italian draughts: 12 men a side on 8x8 with a dark square in the right corner; men \
        cannot capture kings, and the best capture must be made.",
    aliases: &["dama", "dama-italiana"],
    points: &[
        Point::shown(
            "A man captures forwards only, and never a king.",
            "W:W30:BK26",
            "30-27",
        ),
        Point::shown(
            "The capture of most pieces must be made.",
            "W:WK21,31:B10,18,27",
            "31x6",
        ),
        Point::shown(
            "Of captures of as many pieces, a king must make the one that it can.",
            "W:WK23,31:B19,26,27",
            "23x21",
        ),
        Point::shown(
            "Of a king's captures of as many pieces, the one of most kings must be made.",
            "W:WK23:B19,K28",
            "23x32",
        ),
        Point::shown(
            "Of those, the one that meets a king first.",
            "W:WK30:B10,12,18,K20,K26,27",
            "30x5",
        ),
    ],
    sources: &["Technical rules of the Federazione Italiana Dama (FID), chapter I."],
};
