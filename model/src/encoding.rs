//! What the network sees of a position, and which of its outputs belong to a move.
//!
//! The board is turned so that the mover plays up: a Black mover's squares are turned by 180
//! degrees and the colours swapped. *Token* is a square's place on the turned board, row by row
//! from the top, from 0.
//!
//! | plane | value on its squares | | global | value |
//! |---|---|---|---|---|
//! | 0 | 1 for an own man | | 0 | plies without progress, as a share of the limit |
//! | 1 | 1 for an own king | | 1 | 1 if the position occurred before |
//! | 2 | 1 for an enemy man | | 2 | 1 if it occurred twice before |
//! | 3 | 1 for an enemy king | | 3 | always 0, reserved |
//! | 4 | moves in a row of the own king that must rest soon, as a share of the limit | | | |
//! | 5 | the same for the enemy's king | | | |

use rules::{Bitboard, Board, Color, Move, Position, Square};

use crate::{GLOBALS, PLANES};

/// Name of this encoding, stored with every model. Changed whenever a network would see something
/// else than it was trained on.
pub const ENCODING: &str = "lattice-1";

/// A position as the mover sees it, one bit a piece.
#[derive(Clone, Debug)]
pub struct Features {
    /// `[plane]` squares of own men, own kings, enemy men, enemy kings.
    pub pieces: [Bitboard; 4],
    /// `[own, enemy]` the king that has to rest soon, and the value of its plane.
    pub rests: [Option<(Square, f32)>; 2],
    /// The values that belong to no square.
    pub globals: [f32; GLOBALS],
}

impl Features {
    /// What the network sees of `position`, which stood on the board `repetitions` times before.
    pub fn new(position: &Position, repetitions: u32) -> Self {
        let (us, them) = (position.turn(), !position.turn());
        let rules = position.variant().rules();
        let rest = |color| {
            let (square, count) = position.king_rest(color)?;
            Some((
                turned(square, us),
                f32::from(count) / f32::from(rules.king_rest_limit),
            ))
        };
        let no_progress = position.no_progress() as f32 / rules.draws.no_progress as f32;
        Self {
            pieces: [
                turned_all(position.men(us), us),
                turned_all(position.kings(us), us),
                turned_all(position.men(them), us),
                turned_all(position.kings(them), us),
            ],
            rests: [rest(us), rest(them)],
            globals: [
                no_progress.min(1.0),
                f32::from(repetitions >= 1),
                f32::from(repetitions >= 2),
                0.0,
            ],
        }
    }
}

/// Writes the dense form of a position, for training and for evaluators that want tensors.
///
/// # Panics
/// When `planes` is not `[squares, PLANES]` or `globals` is not `[GLOBALS]`.
pub fn encode(position: &Position, repetitions: u32, planes: &mut [f32], globals: &mut [f32]) {
    let board = position.board();
    assert_eq!(
        planes.len(),
        board.n_squares() * PLANES,
        "planes must be [squares, PLANES]"
    );
    let features = Features::new(position, repetitions);
    planes.fill(0.0);
    for (plane, squares) in features.pieces.into_iter().enumerate() {
        for square in squares {
            planes[board.token(square) * PLANES + plane] = 1.0;
        }
    }
    for (side, rest) in features.rests.into_iter().enumerate() {
        if let Some((square, value)) = rest {
            planes[board.token(square) * PLANES + 4 + side] = value;
        }
    }
    globals.copy_from_slice(&features.globals);
}

/// The tokens of a move's squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTokens {
    /// Where the piece starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    captured: Bitboard,
    board: Board,
}

impl MoveTokens {
    /// Where pieces are captured, ascending.
    pub fn captured(&self) -> impl Iterator<Item = usize> {
        let board = self.board;
        self.captured
            .into_iter()
            .map(move |square| board.token(square))
    }
}

/// The tokens of a legal move of `position`, as its mover sees the board.
pub fn move_tokens(position: &Position, mv: Move) -> MoveTokens {
    let (board, us) = (position.board(), position.turn());
    MoveTokens {
        from: board.token(turned(mv.from, us)),
        to: board.token(turned(mv.to, us)),
        captured: turned_all(mv.captured, us),
        board,
    }
}

/// The square as the mover sees it: White plays up already.
pub(crate) fn turned(square: Square, mover: Color) -> Square {
    match mover {
        Color::White => square,
        Color::Black => square.turned(),
    }
}

fn turned_all(squares: Bitboard, mover: Color) -> Bitboard {
    match mover {
        Color::White => squares,
        Color::Black => squares.turned(),
    }
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    fn encoded(position: &Position, repetitions: u32) -> (Vec<f32>, Vec<f32>) {
        let mut planes = vec![f32::NAN; position.board().n_squares() * PLANES];
        let mut globals = vec![f32::NAN; GLOBALS];
        encode(position, repetitions, &mut planes, &mut globals);
        (planes, globals)
    }

    #[test]
    fn the_start_is_the_same_for_both_sides() {
        for variant in Variant::ALL {
            let start = Position::start(variant);
            assert_eq!(encoded(&start, 0), encoded(&start.turned(), 0), "{variant}");
            let (planes, _) = encoded(&start, 0);
            let n_pieces = start.occupied().count() as f32;
            assert_eq!(planes.iter().sum::<f32>(), n_pieces);
            // The mover's men stand at the bottom: the last square has one.
            let last = (start.board().n_squares() - 1) * PLANES;
            let is_inside = start
                .men(Color::White)
                .contains(start.board().token_square(last / PLANES));
            assert_eq!(planes[last], f32::from(u8::from(is_inside)));
        }
    }

    #[test]
    fn a_turned_position_has_the_same_tokens() {
        for variant in Variant::ALL {
            let start = Position::start(variant);
            let turned = start.turned();
            let tokens = |position: &Position| {
                let mut tokens: Vec<_> = position
                    .legal_moves()
                    .iter()
                    .map(|&mv| (move_tokens(position, mv).from, move_tokens(position, mv).to))
                    .collect();
                tokens.sort_unstable();
                tokens
            };
            assert_eq!(tokens(&start), tokens(&turned), "{variant}");
        }
    }

    #[test]
    fn counters_are_shares_of_their_limits() {
        let position =
            Position::from_fen(Variant::Frisian, "W:W40,K46:B1,K5:H50:F60:+2+1").unwrap();
        let (planes, globals) = encoded(&position, 1);
        assert_eq!(globals[1..], [1.0, 0.0, 0.0]);
        let limit = Variant::Frisian.rules().draws.no_progress as f32;
        assert_eq!(globals[0], (position.no_progress() as f32 / limit).min(1.0));
        let rests: Vec<f32> = planes
            .chunks(PLANES)
            .map(|square| square[4] + square[5])
            .collect();
        for color in [Color::White, Color::Black] {
            if let Some((square, count)) = position.king_rest(color) {
                assert_eq!(
                    rests[position.board().token(square)],
                    f32::from(count) / 3.0
                );
            }
        }
        assert_eq!(encoded(&position, 2).1[1..], [1.0, 1.0, 0.0]);
    }

    #[test]
    fn captured_squares_are_tokens() {
        let position = Position::from_fen(Variant::English, "B:W18:B14").unwrap();
        let mv = position.legal_moves()[0];
        let tokens = move_tokens(&position, mv);
        // Turned by 180 degrees, square n becomes square 33 - n, which is token 32 - n.
        assert_eq!((tokens.from, tokens.to), (32 - 14, 32 - 23));
        assert_eq!(tokens.captured().collect::<Vec<_>>(), [32 - 18]);
    }
}
