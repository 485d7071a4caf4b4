//! Whose view positions are written from.

use std::fmt;
use std::str::FromStr;

use rules::{Color, Position};

/// How positions are written in games where Black moves first. The protocol does not say, for it
/// knows only games where White does.
///
/// Moves are written with the squares' own numbers in either frame, and games where White moves
/// first are the same in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// From the view of the side that moves first, which is called `W`: the board is turned by 180
    /// degrees and colours are swapped. So pydraughts does, for English.
    Pydraughts,
    /// As the board is: square 1 first, Black is `b`.
    Native,
}

impl Frame {
    /// Both frames, the usual one first.
    pub const ALL: [Frame; 2] = [Frame::Pydraughts, Frame::Native];

    /// The name of the parameter that chooses.
    pub const PARAMETER: &str = "english-frame";

    /// The name as a value of that parameter.
    pub const fn name(self) -> &'static str {
        match self {
            Frame::Pydraughts => "pydraughts",
            Frame::Native => "native",
        }
    }

    /// A position as it is written in this frame, or back.
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

/// A text is no frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not a frame: write pydraughts or native")]
pub struct UnknownFrame {
    /// What was written.
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
