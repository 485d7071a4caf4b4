//! The two boards and their square numbers.

use crate::{Bitboard, Color, Square};

/// A board and its square numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Board {
    /// 8x8, squares 1 to 32.
    Eight,
    /// 10x10, squares 1 to 50.
    Ten,
}

/// [board][number - 1] the bit index of a square.
const SQUARES: [[u8; 50]; 2] = [square_table(Board::Eight), square_table(Board::Ten)];
/// [board][bit index] the number of a square, 0 if the board does not have it.
const NUMBERS: [[u8; 64]; 2] = [number_table(Board::Eight), number_table(Board::Ten)];

const fn square_table(board: Board) -> [u8; 50] {
    let mut table = [0; 50];
    let mut token = 0;
    while token < board.n_squares() {
        // The 8x8 board starts at row 1; rows with five squares in the geometry have four on it.
        let margin = match board {
            Board::Eight => 1,
            Board::Ten => 0,
        };
        let row = token / board.width() + margin;
        let column = token % board.width() + if row % 2 == 1 { margin } else { 0 };
        table[token] = (13 * (row / 2) + if row % 2 == 1 { 6 } else { 0 } + column) as u8;
        token += 1;
    }
    table
}

const fn number_table(board: Board) -> [u8; 64] {
    let squares = square_table(board);
    let mut table = [0; 64];
    let mut token = 0;
    while token < board.n_squares() {
        table[squares[token] as usize] = token as u8 + 1;
        token += 1;
    }
    table
}

impl Board {
    /// The number of dark squares.
    pub const fn n_squares(self) -> usize {
        match self {
            Board::Eight => 32,
            Board::Ten => 50,
        }
    }

    /// The number of dark squares per row.
    pub const fn width(self) -> usize {
        match self {
            Board::Eight => 4,
            Board::Ten => 5,
        }
    }

    /// The number of rows, and of columns.
    pub const fn size(self) -> usize {
        2 * self.width()
    }

    /// The row and column of the square with this number, both counted from 0 at the top left.
    pub const fn place(self, number: usize) -> Option<(usize, usize)> {
        if self.square(number).is_none() {
            return None;
        }
        let (row, k) = ((number - 1) / self.width(), (number - 1) % self.width());
        Some((row, 2 * k + (row + 1) % 2))
    }

    /// The maximum number of pieces per side: the largest army in a start position of any game on
    /// this board.
    pub const fn max_pieces(self) -> u32 {
        match self {
            Board::Eight => 12,
            Board::Ten => 20,
        }
    }

    /// The last row for a side.
    pub const fn last_row(self, color: Color) -> Bitboard {
        let top = self.range(1, self.width());
        match color {
            Color::White => top,
            Color::Black => top.turned(),
        }
    }

    /// All squares of the board.
    #[inline]
    pub const fn mask(self) -> Bitboard {
        // A table, because this is called very often and the compiler does not evaluate the loop.
        const MASKS: [Bitboard; 2] = [
            Board::Eight.range(1, Board::Eight.n_squares()),
            Board::Ten.range(1, Board::Ten.n_squares()),
        ];
        MASKS[self as usize]
    }

    /// The squares with numbers `first` to `last`.
    pub const fn range(self, first: usize, last: usize) -> Bitboard {
        let mut bits = 0;
        let mut number = first;
        while number <= last {
            bits |= 1 << SQUARES[self as usize][number - 1];
            number += 1;
        }
        Bitboard(bits)
    }

    /// The square with this number, counted from 1 at the top left, row by row.
    pub const fn square(self, number: usize) -> Option<Square> {
        if 1 <= number && number <= self.n_squares() {
            Some(self.token_square(number - 1))
        } else {
            None
        }
    }

    /// The number of a square of this board, from 1.
    pub const fn number(self, square: Square) -> usize {
        NUMBERS[self as usize][square.index()] as usize
    }

    /// The index of a square of this board in row-by-row order, from 0.
    pub const fn token(self, square: Square) -> usize {
        self.number(square) - 1
    }

    /// The square with this index in row-by-row order, from 0.
    ///
    /// # Panics
    ///
    /// If the board has no such square.
    pub const fn token_square(self, token: usize) -> Square {
        assert!(token < self.n_squares(), "the board has no such square");
        Square::from_index(SQUARES[self as usize][token])
    }
}
