//! Spanish draughts. The laws of quantity and of quality are in the rules of the Federação
//! Portuguesa de Damas, whose game is the Spanish one.
//!
//! Three kings have 12 moves to beat one, as players count them from the beginning of the ending if
//! the three hold the main road. That the limit applies wherever they are, and that other games are
//! drawn after 20 moves of each side, are our decisions, because every game must end.

use crate::{
    About, Board, Color, Criterion, DrawRule, Draws, Ending, Piece, Point, Reach, Rules, Side,
};

pub(super) const RULES: Rules = Rules {
    board: Board::EightRightUp,
    first_player: Color::White,
    king: Piece {
        reach: Reach::Flying,
        ..Rules::BASE.king
    },
    priority: &[Criterion::MostPieces, Criterion::MostKings], // quantity, quality
    draws: Draws::new(&[
        DrawRule::ending(Ending::Armies(Side::kings(1), Side::kings(3)), 24),
        DrawRule::Repetition { times: 3 },
        DrawRule::NoProgress { plies: 40 },
    ]),
    game_type: "24,W,8,8,N1,1", // PDN 3.0
    ..Rules::BASE
};

pub(super) const ABOUT: About = About {
    summary: "Spanish draughts: 12 men a side on 8x8 with a dark square in the right corner, \
        flying kings, and the best capture must be made.",
    aliases: &[],
    points: &[
        Point::shown(
            "The capture of most pieces must be made.",
            "W:W10:B13,14,22",
            "10x26",
        ),
        Point::shown(
            "Of captures of as many pieces, the one of most kings must be made.",
            "W:W10:B13,K14",
            "10x19",
        ),
        Point::shown("Kings fly. Men capture forwards only.", "W:WK1:B19", "1x32"),
        Point::said("Squares are numbered from White's right corner to the left and upwards."),
    ],
    sources: &[
        "Rules of classic draughts of the Federação Portuguesa de Damas, which are also the \
         Spanish ones.",
    ],
};
