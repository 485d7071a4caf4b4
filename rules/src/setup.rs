//! The parts of a position as plain data, and their consistency check.

use crate::{Bitboard, Board, Color, Square, Variant};

/// The parts of a position; arrays are in the order of [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Men of each side.
    pub men: [Bitboard; 2],
    /// Kings of each side.
    pub kings: [Bitboard; 2],
    /// The side to move.
    pub turn: Color,
    /// Consecutive plies without a capture or a man move.
    pub no_progress: u16,
    /// Number of the full move, from 1.
    pub full_move: u16,
    /// For each side the king that made its last simple moves and the number of consecutive moves.
    pub king_rests: [Option<(Square, u8)>; 2],
}

/// The reason why parts do not form a position. Squares are given by number.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// A square has two pieces.
    #[error("square {square} is taken twice: list each square once")]
    Overlap {
        /// The square.
        square: usize,
    },
    /// A bit is not a square of the board.
    #[error("bit {bit} is not a square of the {variant} board")]
    OffBoard {
        /// The bit index.
        bit: usize,
        /// The variant.
        variant: Variant,
    },
    /// A man is on its last row, where it would have promoted.
    #[error("{color} man on {square}, its last row: a man is crowned there, write K{square}")]
    UncrownedMan {
        /// The man's side.
        color: Color,
        /// Its square.
        square: usize,
    },
    /// A side has more pieces than the board allows.
    #[error("{color} has {count} pieces: a side has at most {limit} on this board")]
    TooManyPieces {
        /// The side.
        color: Color,
        /// The number of its pieces.
        count: u32,
        /// The maximum number of pieces.
        limit: u32,
    },
    /// A king rest counter belongs to no king of that side.
    #[error(
        "{color}'s king rest counter names square {square}, where {color} has no king: write 0"
    )]
    RestWithoutKing {
        /// The side.
        color: Color,
        /// The square in the counter.
        square: usize,
    },
    /// A king rest counter is out of range.
    #[error("{color}'s king rest counter is {count}: write 0 to {limit}")]
    RestCount {
        /// The side.
        color: Color,
        /// The count.
        count: u8,
        /// The maximum of the rules.
        limit: u8,
    },
}

impl Setup {
    /// An empty board at the beginning of a game.
    pub fn empty(turn: Color) -> Setup {
        Setup {
            men: [Bitboard::EMPTY; 2],
            kings: [Bitboard::EMPTY; 2],
            turn,
            no_progress: 0,
            full_move: 1,
            king_rests: [None; 2],
        }
    }

    /// Puts the men and kings of a side on the board.
    pub(crate) fn place(&mut self, color: Color, [men, kings]: [Bitboard; 2]) {
        self.men[color.index()] = men;
        self.kings[color.index()] = kings;
    }

    /// Checks the invariants of all positions of the variant. A man on the inner far row of the
    /// ring board is accepted, because the specification has such a position (R24); it cannot move.
    pub(crate) fn check(&self, variant: Variant) -> Result<(), SetupError> {
        let board = variant.board();
        let mut seen = Bitboard::EMPTY;
        for set in self.men.into_iter().chain(self.kings) {
            if let Some(square) = (set & !board.mask()).iter().next() {
                return Err(SetupError::OffBoard {
                    bit: square.index(),
                    variant,
                });
            }
            if let Some(square) = (seen & set).iter().next() {
                return Err(SetupError::Overlap {
                    square: board.number(square),
                });
            }
            seen |= set;
        }
        Color::ALL
            .into_iter()
            .try_for_each(|color| self.check_side(color, variant))
    }

    fn check_side(&self, color: Color, variant: Variant) -> Result<(), SetupError> {
        let (rules, board) = (variant.rules(), variant.board());
        let (men, kings) = (self.men[color.index()], self.kings[color.index()]);
        if let Some(square) = (men & board.last_row(color)).iter().next() {
            return Err(SetupError::UncrownedMan {
                color,
                square: board.number(square),
            });
        }
        let (count, limit) = ((men | kings).count(), board.max_pieces());
        if count > limit {
            return Err(SetupError::TooManyPieces {
                color,
                count,
                limit,
            });
        }
        let Some((square, count)) = self.king_rests[color.index()] else {
            return Ok(());
        };
        let limit = rules.king_rest_limit;
        if count == 0 || count > limit {
            return Err(SetupError::RestCount {
                color,
                count,
                limit,
            });
        }
        if !kings.contains(square) {
            return Err(SetupError::RestWithoutKing {
                color,
                square: board.number(square),
            });
        }
        Ok(())
    }

    /// Makes kings of men on their last row.
    pub(crate) fn crown(&mut self, board: Board) {
        for color in Color::ALL {
            let crowned = self.men[color.index()] & board.last_row(color);
            self.men[color.index()] &= !crowned;
            self.kings[color.index()] |= crowned;
        }
    }
}
