//! The view that positions are written from.

use std::fmt;
use std::str::FromStr;

use rules::{Color, Position};

/// How positions are written in games where Black moves first, which the protocol does not define: in
/// its own games White moves first.
///
/// Moves use the board's square numbers in either frame, and games where White moves first are the same
/// in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// From the view of the side that moves first, which is called `W`: the board is turned by 180
    /// degrees and colours are swapped, as in pydraughts for English.
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
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text is not a frame.
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
