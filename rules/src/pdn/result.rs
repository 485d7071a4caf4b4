//! Results as text.

use crate::Color;
use crate::notation::{is_capture, is_separator};

/// A result, as far as PDN gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PdnResult {
    /// This side won.
    Won(Color),
    /// A draw.
    Drawn,
    /// Unfinished or unknown.
    Open,
}

impl PdnResult {
    /// `white` or `black` for the winner, `draw` or `ongoing`.
    pub const fn word(self) -> &'static str {
        match self {
            PdnResult::Won(winner) => winner.name(),
            PdnResult::Drawn => "draw",
            PdnResult::Open => "ongoing",
        }
    }
}

/// A result as written: `1-0` refers to the side that moves first, `2-0` to White.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Score {
    FirstWon,
    SecondWon,
    Won(Color),
    Drawn,
    /// Both lost, or a form that does not name a winner.
    Unknown,
}

/// Normalizes a result for comparison: without spaces and with plain hyphens.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => {}
            '½' if plain.ends_with(|c: char| c.is_ascii_digit()) => plain.push_str(".5"),
            '½' => plain.push_str("1/2"),
            c if c == ':' || is_separator(c) && !is_capture(c) => plain.push('-'),
            ',' => plain.push('.'),
            c => plain.push(c),
        }
    }
    plain
}

/// A result without what people add to it: parentheses, and letters as in `1-0F` for a forfeit.
fn bare(plain: &str) -> &str {
    let end = |c: char| c.is_alphabetic() || matches!(c, '.' | '!' | '?' | ')' | '}');
    let text = plain.trim_start_matches('(').trim_end_matches(end);
    text.split(['(', '{']).next().unwrap_or(text)
}

/// The meaning of a `Result` tag's value, or of the word that ends a game. Games won with a plus
/// (`1+ - 1-`, and `1 1/2 - 1/2` in Delft's count) are draws on the board.
pub(super) fn score(text: &str) -> Score {
    match bare(&plain(text)) {
        "1-0" => Score::FirstWon,
        "0-1" => Score::SecondWon,
        "0-0" => Score::Unknown,
        "1/2-1/2" | "1/2" | "1+-1-" | "1--1+" | "11/2-1/2" | "1/2-11/2" | "1.5-1/2" | "1/2-1.5" => {
            Score::Drawn
        }
        other => {
            let points = |text: &str| -> Option<u32> {
                let (whole, part) = text.split_once('.').unwrap_or((text, ""));
                let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
                let is_points = !text.is_empty() && is_number(whole) && is_number(part);
                (is_points && part.len() <= 2)
                    .then(|| format!("{whole}{part:0<2}").parse().ok())
                    .flatten()
            };
            let sides = other.split_once('-');
            match sides.and_then(|(white, black)| Some((points(white)?, points(black)?))) {
                Some((white, black)) if white == black => Score::Drawn,
                // Two points shared unevenly, as in Goes.
                Some((white @ 1..200, black)) if black == 200 - white => Score::Drawn,
                Some((white, 0)) if white >= 200 => Score::Won(Color::White),
                Some((0, black)) if black >= 200 => Score::Won(Color::Black),
                _ => Score::Unknown,
            }
        }
    }
}

/// The words that end a game whatever its tags are. None of them could be a move: there is no
/// square 0, and no move ends where it began.
const ENDS: [&str; 16] = [
    "*", "1-0", "0-1", "2-0", "0-2", "1-1", "0-0", "1/2-1/2", "1/2", "0.5-0.5", "1.5-0.5",
    "0.5-1.5", "1.5-1/2", "1/2-1.5", "1+-1-", "1--1+",
];

/// Tests if a word ends a game.
pub(super) fn ends_game(word: &str) -> bool {
    // Other signs, such as `½:½`, `1:1` and `0,5-0,5`.
    let is_short = word.len() <= "1½–½".len() && word.starts_with(['0', '1', '2', '½']);
    ENDS.contains(&word) || is_short && ENDS.contains(&&*plain(word))
}
