//! Squares as text.

use crate::{Bitboard, Board, Square};

/// The notation of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Square numbers: `11-15`.
    Numbers,
    /// Columns and rows, with `a1` in White's left corner: `c3-d4`.
    Algebraic,
}

impl Notation {
    /// Formats a square of the board.
    pub fn write(self, board: Board, square: Square) -> String {
        let number = board.number(square);
        match (self, board.place(number)) {
            (Notation::Algebraic, Some((row, column))) => {
                format!("{}{}", char::from(b'a' + column as u8), board.size() - row)
            }
            _ => number.to_string(),
        }
    }
}

/// [bit: column from 0] the columns that a letter may mean; 0 if the letter names no column.
///
/// Russian sources name the columns by Latin letters, by Cyrillic letters that look or sound alike,
/// or in the order of the Cyrillic alphabet. If the readings of a letter differ, they are an odd
/// number of columns apart, so that only one of the two squares in a row is dark.
fn columns(letter: char) -> u16 {
    let bits = |columns: &[u16]| columns.iter().fold(0, |bits, column| bits | 1 << column);
    match letter.to_lowercase().next().unwrap_or(letter) {
        latin @ 'a'..='j' => 1 << (latin as u32 - 'a' as u32),
        'а' => bits(&[0]),
        'б' => bits(&[1]),
        'в' => bits(&[1, 2]),
        'с' | 'ц' => bits(&[2]),
        'г' => bits(&[3, 6]),
        'д' => bits(&[3, 4]),
        'е' => bits(&[4, 5]),
        'ф' => bits(&[5]),
        'ж' => bits(&[6]),
        'з' | 'н' | 'х' => bits(&[7]),
        _ => 0,
    }
}

/// The squares of the columns that a letter may mean; empty if the board has none of them.
pub(crate) fn column(board: Board, letter: char) -> Bitboard {
    let columns = columns(letter);
    let is_in = |square: &Square| {
        let place = board.place(board.number(*square));
        place.is_some_and(|(_, column)| columns & 1 << column != 0)
    };
    board.mask().iter().filter(is_in).collect()
}

/// The square of the column that a letter means, in a row counted from 1 at the bottom.
pub(crate) fn square(board: Board, letter: char, row: usize) -> Option<Square> {
    let from_top = board.size().checked_sub(row)?;
    let columns = columns(letter);
    let mut meant = (0..board.size()).filter(|column| columns & 1 << column != 0);
    meant.find_map(|column| board.at(from_top, column))
}

/// Parses a square given by column and row.
pub(crate) fn read_algebraic(board: Board, text: &str) -> Option<Square> {
    let mut chars = text.chars();
    let letter = chars.next()?;
    square(board, letter, digits(chars.as_str())?)
}

/// Parses a number that consists of digits only.
pub(crate) fn digits(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// True if a character separates the squares of a move: programs write hyphens and dashes of all
/// kinds, and the Cyrillic letter that looks like an x.
pub(crate) fn is_separator(c: char) -> bool {
    let is_dash = matches!(
        c,
        '-' | '−' | '\u{ad}' | '\u{2d7}' | '\u{2010}'
            ..='\u{2015}' | '\u{2043}' | '\u{2500}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    );
    is_dash || is_capture(c)
}

/// True if a character separates the squares of a capture.
pub(crate) fn is_capture(c: char) -> bool {
    matches!(c, 'x' | 'X' | ':' | '×' | 'х' | 'Х' | '✕' | '✖' | '⨯' | 'χ')
}
