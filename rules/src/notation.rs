//! Squares as text.

use crate::{Board, Square};

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// By the numbers of squares: `11-15`.
    Numbers,
    /// By columns and rows, White's left corner being `a1`: `c3-d4`.
    Algebraic,
}

impl Notation {
    /// A square of the board as text.
    pub fn write(self, board: Board, square: Square) -> String {
        let number = board.number(square);
        match (self, board.place(number)) {
            (Notation::Algebraic, Some((row, column))) => {
                format!("{}{}", char::from(b'a' + column as u8), board.size() - row)
            }
            _ => number.to_string(),
        }
    }

    /// Reads a square that is written by column and row, where the notation has that.
    pub(crate) fn read_algebraic(self, board: Board, text: &str) -> Option<Square> {
        let (column, row) = text.split_at_checked(1)?;
        let column = column.chars().next()?.to_ascii_lowercase();
        let is_meant = |number: &usize| {
            let place = board.place(*number);
            place.is_some_and(|(at_row, at_column)| {
                char::from(b'a' + at_column as u8) == column
                    && row.parse() == Ok(board.size() - at_row)
            })
        };
        let number = (1..=board.n_squares()).find(is_meant)?;
        board.square(number).filter(|_| self == Notation::Algebraic)
    }
}
