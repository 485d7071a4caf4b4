//! Orientation of positions and numbering of squares.

use std::fmt;
use std::str::FromStr;

use rules::{Board, Color, Notation, Position, Variant};

/// The notation of positions and moves where the protocol does not define it. In the games that it
/// defines, White moves first and squares have numbers; they are the same in both frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The notation of pydraughts. If Black moves first (english), positions are written from the
    /// point of view of the side that moves first, which is called `W`: the board is rotated by 180
    /// degrees and colors are swapped; moves use the board's square numbers. If moves are written
    /// as `c3-d4` (russian, brazilian), positions are unchanged, and moves count the squares row by
    /// row from `a1`.
    Pydraughts,
    /// Unchanged: square 1 first, Black is `b`.
    Native,
}

impl Frame {
    /// Both frames, the default first.
    pub const ALL: [Frame; 2] = [Frame::Pydraughts, Frame::Native];

    /// The name of the parameter that selects the frame.
    pub const PARAMETER: &str = "english-frame";

    /// The name as a value of that parameter.
    pub const fn name(self) -> &'static str {
        match self {
            Frame::Pydraughts => "pydraughts",
            Frame::Native => "native",
        }
    }

    /// Converts a position to or from this frame.
    pub(super) fn view(self, position: &Position) -> Position {
        let is_turned =
            self == Frame::Pydraughts && position.variant().rules().first_player == Color::Black;
        if is_turned {
            position.turned()
        } else {
            *position
        }
    }

    /// Converts the square numbers in a move's text to the frame's numbers, or back.
    pub(super) fn renumber(self, variant: Variant, text: &str) -> String {
        let has_own_numbers = self == Frame::Native
            || variant.rules().notation == Notation::Numbers
            || text.contains(|c: char| c.is_alphabetic() && c != 'x');
        if has_own_numbers {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let parts = letters.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
        parts
            .map(|part| {
                let part = String::from_iter(part);
                let number = part.parse().ok();
                let mirrored = number.and_then(|number| mirrored(variant.board(), number));
                mirrored.map_or(part, |number| number.to_string())
            })
            .collect()
    }
}

/// The number of the square in the same column of the vertically mirrored row.
fn mirrored(board: Board, number: usize) -> Option<usize> {
    board.square(number)?;
    let (row, nth) = ((number - 1) / board.width(), (number - 1) % board.width());
    Some((board.size() - 1 - row) * board.width() + nth + 1)
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of an unknown frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not a frame: write pydraughts or native")]
pub struct UnknownFrame {
    /// The text.
    pub text: String,
}

impl FromStr for Frame {
    type Err = UnknownFrame;

    fn from_str(text: &str) -> Result<Frame, UnknownFrame> {
        let known = Frame::ALL.into_iter().find(|frame| frame.name() == text);
        known.ok_or_else(|| UnknownFrame {
            text: text.to_owned(),
        })
    }
}
