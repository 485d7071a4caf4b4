//! Encoding of positions as network inputs, and of moves as outputs.
//!
//! The board is rotated so that the side to move plays up: for Black, squares are rotated by 180
//! degrees and colors swapped. A *token* is a square's index on the rotated board, row by row from
//! the top, starting at 0.
//!
//! [`PLANE_TABLE`] and [`GLOBAL_TABLE`] list all features, [`Inputs`] selects the ones a network
//! uses; a new input is a row there.

mod exchange;

use std::cmp::Ordering;

use rules::{Bitboard, Board, Color, Move, Position, Square, Variant};

pub use self::exchange::{EXCHANGE_PLIES, KING_WORTH, MAN_WORTH};
use self::exchange::{Exchanges, index};

settings::choice! {
    /// Input features of a network. Each variant includes the one before.
    #[derive(PartialOrd, Ord, Default)]
    pub enum Inputs {
        /// The pieces.
        #[default]
        Pieces = "pieces",
        /// Also the moves that win or lose material immediately.
        Exchanges = "exchanges",
    }
}

impl Inputs {
    /// The name of the encoding, stored with every model. It must change whenever the inputs
    /// change.
    pub fn encoding(self) -> &'static str {
        match self {
            Self::Pieces => "lattice-1",
            Self::Exchanges => "lattice-2",
        }
    }

    /// True for pieces alone.
    pub(crate) fn is_pieces(&self) -> bool {
        *self == Self::Pieces
    }

    /// The planes in the order of the network's inputs.
    pub fn planes(self) -> &'static [(Subject, PlaneSide)] {
        match self {
            Self::Pieces => &PLANE_TABLE[..PIECE_PLANES],
            Self::Exchanges => &PLANE_TABLE,
        }
    }
}

/// The number of planes per square.
pub const PLANES: usize = PIECE_PLANES + 6;

/// The number of planes about pieces.
pub const PIECE_PLANES: usize = 6;

/// The number of global inputs of a position.
pub const GLOBALS: usize = 4;

/// The side that a plane describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneSide {
    /// The side to move.
    Mover,
    /// The opponent.
    Enemy,
}

/// The squares on which a plane has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Squares of men: 1.
    Men,
    /// Squares of kings: 1.
    Kings,
    /// The square of the king that must rest soon: its consecutive moves as a share of the limit.
    KingRest,
    /// Origins of moves that win material (`Greater`), lose it or do neither once all captures are
    /// played out: 1.
    Origins(Ordering),
    /// Destinations of such moves: 1.
    Destinations(Ordering),
}

/// All planes, starting with [`Inputs::Pieces`].
pub const PLANE_TABLE: [(Subject, PlaneSide); PLANES] = [
    (Subject::Men, PlaneSide::Mover),
    (Subject::Kings, PlaneSide::Mover),
    (Subject::Men, PlaneSide::Enemy),
    (Subject::Kings, PlaneSide::Enemy),
    (Subject::KingRest, PlaneSide::Mover),
    (Subject::KingRest, PlaneSide::Enemy),
    (Subject::Origins(Ordering::Less), PlaneSide::Mover),
    (Subject::Origins(Ordering::Equal), PlaneSide::Mover),
    (Subject::Origins(Ordering::Greater), PlaneSide::Mover),
    (Subject::Destinations(Ordering::Less), PlaneSide::Mover),
    (Subject::Destinations(Ordering::Equal), PlaneSide::Mover),
    (Subject::Destinations(Ordering::Greater), PlaneSide::Mover),
];

/// An input for the whole position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// Plies without progress as a share of the limit, at most 1.
    NoProgress,
    /// 1 if the position occurred before.
    Repeated,
    /// 1 if it occurred twice before.
    RepeatedTwice,
    /// 0. Unused. Models on disk have weights for it, so it stays until the encoding changes.
    Reserved,
}

/// The globals in the order of the network's inputs.
pub const GLOBAL_TABLE: [Global; GLOBALS] = [
    Global::NoProgress,
    Global::Repeated,
    Global::RepeatedTwice,
    Global::Reserved,
];

impl Subject {
    /// The squares of a side on which the plane has a value, and that value.
    fn squares(self, position: &Position, color: Color, exchanges: &Exchanges) -> (Bitboard, f32) {
        match self {
            Self::Men => (position.men(color), 1.0),
            Self::Kings => (position.kings(color), 1.0),
            Self::KingRest => {
                let limit = f32::from(position.variant().rules().king_rest_limit);
                let rest = position.king_rest(color);
                rest.map_or((Bitboard::EMPTY, 0.0), |(square, count)| {
                    (square.bit(), f32::from(count) / limit)
                })
            }
            Self::Origins(outcome) => (exchanges.origins[index(outcome)], 1.0),
            Self::Destinations(outcome) => (exchanges.destinations[index(outcome)], 1.0),
        }
    }

    /// The denominator of the value, if it is a share.
    pub fn limit(self, variant: Variant) -> Option<u32> {
        (self == Self::KingRest).then(|| u32::from(variant.rules().king_rest_limit))
    }
}

impl Global {
    fn value(self, position: &Position, repetitions: u32) -> f32 {
        match self {
            Self::NoProgress => {
                let limit = position.variant().rules().draws.no_progress;
                (position.no_progress() as f32 / limit as f32).min(1.0)
            }
            Self::Repeated => f32::from(repetitions >= 1),
            Self::RepeatedTwice => f32::from(repetitions >= 2),
            Self::Reserved => 0.0,
        }
    }
}

/// A position as seen by the side to move, in sparse form, since most squares have no value on most
/// planes.
///
/// This is the only encoder; every other form of network input is derived from it.
#[derive(Clone, Debug)]
pub struct Features {
    /// `[plane]` its squares and their value; 0 on all other squares, and everywhere for planes
    /// that the network does not use.
    pub planes: [(Bitboard, f32); PLANES],
    /// `[global]`
    pub globals: [f32; GLOBALS],
}

impl Features {
    /// Encodes `position`, which occurred `repetitions` times before, for a network with these
    /// inputs.
    pub fn new(inputs: Inputs, position: &Position, repetitions: u32) -> Self {
        let us = position.turn();
        let exchanges = match inputs {
            Inputs::Pieces => Exchanges::default(),
            Inputs::Exchanges => Exchanges::new(position),
        };
        Self {
            planes: PLANE_TABLE.map(|(subject, side)| {
                let color = match side {
                    PlaneSide::Mover => us,
                    PlaneSide::Enemy => !us,
                };
                let (squares, value) = subject.squares(position, color, &exchanges);
                (turned_all(squares, us), value)
            }),
            globals: GLOBAL_TABLE.map(|global| global.value(position, repetitions)),
        }
    }
}

/// Writes the dense form of a position, for training and for evaluators that need tensors.
///
/// # Panics
/// If `planes` is not `[squares, planes of the inputs]` or `globals` is not `[GLOBALS]`.
pub fn encode(
    inputs: Inputs,
    position: &Position,
    repetitions: u32,
    planes: &mut [f32],
    globals: &mut [f32],
) {
    let (board, n_planes) = (position.board(), inputs.planes().len());
    assert_eq!(
        planes.len(),
        board.n_squares() * n_planes,
        "planes must be [squares, planes of the inputs]"
    );
    let features = Features::new(inputs, position, repetitions);
    planes.fill(0.0);
    for (plane, (squares, value)) in features.planes.into_iter().take(n_planes).enumerate() {
        for square in squares {
            planes[board.token(square) * n_planes + plane] = value;
        }
    }
    globals.copy_from_slice(&features.globals);
}

/// The tokens of a move's squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTokens {
    /// The origin.
    pub from: usize,
    /// The destination.
    pub to: usize,
    captured: Bitboard,
    board: Board,
}

impl MoveTokens {
    /// The captured squares, ascending.
    pub fn captured(&self) -> impl Iterator<Item = usize> {
        let board = self.board;
        self.captured
            .into_iter()
            .map(move |square| board.token(square))
    }
}

/// The tokens of a legal move of `position`, as seen by the side to move.
pub fn move_tokens(position: &Position, mv: Move) -> MoveTokens {
    let (board, us) = (position.board(), position.turn());
    MoveTokens {
        from: board.token(turned(mv.from, us)),
        to: board.token(turned(mv.to, us)),
        captured: turned_all(mv.captured, us),
        board,
    }
}

/// The square as seen by the side to move; White already plays up.
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
        let mut planes = vec![f32::NAN; position.board().n_squares() * PIECE_PLANES];
        let mut globals = vec![f32::NAN; GLOBALS];
        encode(
            Inputs::Pieces,
            position,
            repetitions,
            &mut planes,
            &mut globals,
        );
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
            // The men of the side to move are at the bottom: the last square has one.
            let last = (start.board().n_squares() - 1) * PIECE_PLANES;
            let is_inside = start
                .men(Color::White)
                .contains(start.board().token_square(last / PIECE_PLANES));
            assert_eq!(planes[last], f32::from(u8::from(is_inside)));
        }
    }

    #[test]
    fn the_planes_of_pieces_are_the_first_of_all() {
        for variant in Variant::ALL {
            let start = Position::start(variant);
            let [pieces, all] =
                [Inputs::Pieces, Inputs::Exchanges].map(|inputs| Features::new(inputs, &start, 0));
            assert_eq!(pieces.planes[..PIECE_PLANES], all.planes[..PIECE_PLANES]);
            let squares = |features: &Features| {
                let squares = features.planes[PIECE_PLANES..].iter();
                squares.map(|(squares, _)| squares.count()).sum::<u32>()
            };
            assert_eq!(squares(&pieces), 0);
            assert!(squares(&all) > 0, "{variant}");
            let turned = Features::new(Inputs::Exchanges, &start.turned(), 0);
            assert_eq!(all.planes, turned.planes, "{variant}");
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
            .chunks(PIECE_PLANES)
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
        // Rotated by 180 degrees, square n becomes square 33 - n, which is token 32 - n.
        assert_eq!((tokens.from, tokens.to), (32 - 14, 32 - 23));
        assert_eq!(tokens.captured().collect::<Vec<_>>(), [32 - 18]);
    }
}
