//! Descriptions of variants for people, as plain data.

use std::fmt;

use crate::{DrawRule, Ending, Restart, Side, Span};

/// A description of a variant. The draw rules are not part of it: [`DrawRule`] describes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// A summary in one sentence.
    pub summary: &'static str,
    /// Other names that people type, in lower case, without a following "checkers" or "draughts".
    pub aliases: &'static [&'static str],
    /// The special rules.
    pub points: &'static [Point],
    /// The sources of the rules.
    pub sources: &'static [&'static str],
}

/// A special rule of a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// One or two sentences.
    pub text: &'static str,
    /// A move that illustrates it.
    pub example: Option<Illustration>,
}

/// A move that illustrates a rule. Tests check that it is legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Illustration {
    /// The position, as FEN with square numbers.
    pub fen: &'static str,
    /// The move, in the variant's notation.
    pub mv: &'static str,
}

impl Point {
    /// A rule without an illustration.
    pub(crate) const fn said(text: &'static str) -> Point {
        Point {
            text,
            example: None,
        }
    }

    /// A rule with the position and the move that illustrate it.
    pub(crate) const fn shown(text: &'static str, fen: &'static str, mv: &'static str) -> Point {
        Point {
            text,
            example: Some(Illustration { fen, mv }),
        }
    }
}

impl fmt::Display for DrawRule {
    /// Formats the condition of a draw, to start a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = |restart: Restart| match restart {
            Restart::Progress => " without a capture or a man move",
            Restart::Balance => " without a capture or a promotion",
            Restart::Never => ", whatever is moved",
        };
        match *self {
            DrawRule::Repetition { times } => {
                write!(
                    f,
                    "The same position {times} times, with the same side to move"
                )
            }
            DrawRule::NoProgress { plies } => {
                let without = without(Restart::Progress);
                write!(f, "{} moves of each side{without}", plies / 2)
            }
            DrawRule::MainRoad { plies } => write!(
                f,
                "3 pieces, a king among them, against a king that is alone on the main road: {} \
                 moves of each side while it is there",
                plies / 2
            ),
            DrawRule::Ending {
                ending,
                plies,
                restart,
                unless_capture,
                ..
            } => {
                write!(f, "{ending}")?;
                if unless_capture {
                    f.write_str(" and nothing to capture")?;
                }
                match plies {
                    0 => f.write_str(": at once"),
                    _ => write!(f, ": {} moves of each side{}", plies / 2, without(restart)),
                }
            }
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Armies(a, b) if a == b => write!(f, "{a} each"),
            Ending::Armies(a, b) => write!(f, "{a} against {b}"),
            Ending::Kinged(pieces) => write!(f, "{pieces} pieces, with kings on both sides"),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Side { pieces, men } = self;
        let ending = if pieces.most == 1 { "" } else { "s" };
        match men {
            false => write!(f, "{pieces} king{ending}"),
            true => write!(f, "{pieces} piece{ending}, a king among them"),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { least, most } = self;
        match most - least {
            0 => write!(f, "{least}"),
            1 => write!(f, "{least} or {most}"),
            _ => write!(f, "{least} to {most}"),
        }
    }
}
