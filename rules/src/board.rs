//! The boards and their square numbers.

use crate::{Bitboard, Color, Square};

/// A board and its square numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Board {
    /// 8x8, squares 1 to 32.
    Eight,
    /// 10x10, squares 1 to 50.
    Ten,
    /// 8x8 with a dark square in each player's right corner, numbered like the others. Internally
    /// it is the mirror image of [`Board::Eight`].
    EightRight,
    /// The same board, numbered from White's right corner to the left and upwards.
    EightRightUp,
}

/// [board][number - 1] the bit index of a square.
const SQUARES: [[u8; 50]; Board::ALL.len()] = [
    square_table(Board::Eight),
    square_table(Board::Ten),
    square_table(Board::EightRight),
    square_table(Board::EightRightUp),
];
/// [board][bit index] the number of a square, 0 if the board does not have it.
const NUMBERS: [[u8; 64]; Board::ALL.len()] = [
    number_table(Board::Eight),
    number_table(Board::Ten),
    number_table(Board::EightRight),
    number_table(Board::EightRightUp),
];

const fn square_table(board: Board) -> [u8; 50] {
    let mut table = [0; 50];
    // The 8x8 board starts at row 1 and column 1 of the geometry.
    let margin = match board.geometry() {
        Board::Ten => 0,
        _ => 1,
    };
    let mut index = 0;
    while let Some((row, column)) = board.place(index + 1) {
        let (row, column) = (row + margin, board.mirrored(column) + margin);
        table[index] = (13 * (row / 2) + 6 * (row % 2) + column / 2) as u8;
        index += 1;
    }
    table
}

const fn number_table(board: Board) -> [u8; 64] {
    let squares = square_table(board);
    let mut table = [0; 64];
    let mut index = 0;
    while index < board.n_squares() {
        table[squares[index] as usize] = index as u8 + 1;
        index += 1;
    }
    table
}

impl Board {
    /// Every board.
    pub const ALL: [Board; 4] = [
        Board::Eight,
        Board::Ten,
        Board::EightRight,
        Board::EightRightUp,
    ];

    /// The board with the same squares and the usual numbers.
    pub(crate) const fn geometry(self) -> Board {
        match self {
            Board::Ten => Board::Ten,
            _ => Board::Eight,
        }
    }

    /// The number of dark squares.
    pub const fn n_squares(self) -> usize {
        match self.geometry() {
            Board::Ten => 50,
            _ => 32,
        }
    }

    /// The number of dark squares per row.
    pub const fn width(self) -> usize {
        match self.geometry() {
            Board::Ten => 5,
            _ => 4,
        }
    }

    /// The number of rows, and of columns.
    pub const fn size(self) -> usize {
        2 * self.width()
    }

    /// The row and column of the square with this number, both counted from 0 at the top left.
    pub const fn place(self, number: usize) -> Option<(usize, usize)> {
        if number == 0 || number > self.n_squares() {
            return None;
        }
        let (row, k) = ((number - 1) / self.width(), (number - 1) % self.width());
        Some(match self {
            Board::Eight | Board::Ten => (row, 2 * k + (row + 1) % 2),
            Board::EightRight => (row, 2 * k + row % 2),
            Board::EightRightUp => (self.size() - 1 - row, self.size() - 1 - 2 * k - row % 2),
        })
    }

    /// The square in this row and column, if it is a dark one of the board.
    pub(crate) fn at(self, row: usize, column: usize) -> Option<Square> {
        if row >= self.size() || column >= self.size() {
            return None;
        }
        let column = self.mirrored(column);
        let is_dark = (row + column) % 2 == 1;
        is_dark.then(|| self.token_square(row * self.width() + column / 2))
    }

    /// A column of the geometry, in which boards with a dark square in the right corner are their
    /// mirror images.
    const fn mirrored(self, column: usize) -> usize {
        match self {
            Board::Eight | Board::Ten => column,
            Board::EightRight | Board::EightRightUp => self.size() - 1 - column,
        }
    }

    /// The maximum number of pieces per side: the largest army in a start position of any game on
    /// this board.
    pub const fn max_pieces(self) -> u32 {
        match self.geometry() {
            Board::Ten => 20,
            _ => 12,
        }
    }

    /// The last row for a side.
    pub const fn last_row(self, color: Color) -> Bitboard {
        self.geometry().range(1, self.width()).of_side(color)
    }

    /// The diagonal from corner to corner.
    pub(crate) const fn main_road(self) -> Bitboard {
        let board = self.geometry();
        let mut bits = 0;
        let mut number = 1;
        while let Some((row, column)) = board.place(number) {
            if row + column + 1 == board.size() {
                bits |= board.token_square(number - 1).bit().0;
            }
            number += 1;
        }
        Bitboard(bits)
    }

    /// All squares of the board.
    #[inline]
    pub const fn mask(self) -> Bitboard {
        // Constants, because this is called very often and the compiler does not evaluate the loop.
        match self.geometry() {
            Board::Ten => const { Board::Ten.range(1, 50) },
            _ => const { Board::Eight.range(1, 32) },
        }
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

    /// The square with this number, from 1.
    pub const fn square(self, number: usize) -> Option<Square> {
        if 1 <= number && number <= self.n_squares() {
            Some(Square::from_index(SQUARES[self as usize][number - 1]))
        } else {
            None
        }
    }

    /// The number of a square of this board, from 1.
    pub const fn number(self, square: Square) -> usize {
        NUMBERS[self as usize][square.index()] as usize
    }

    /// The index of a square of this board in row-by-row order, from 0, which does not depend on
    /// the numbers.
    pub const fn token(self, square: Square) -> usize {
        self.geometry().number(square) - 1
    }

    /// The square with this index in row-by-row order, from 0.
    ///
    /// # Panics
    ///
    /// If the board has no such square.
    pub const fn token_square(self, token: usize) -> Square {
        assert!(token < self.n_squares(), "the board has no such square");
        Square::from_index(SQUARES[self.geometry() as usize][token])
    }
}
