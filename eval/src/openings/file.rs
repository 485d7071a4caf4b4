//! Openings from a file: games in PDN, or one FEN per line.

use std::collections::HashSet;
use std::io::{self, BufRead, Read as _};

use rules::pdn::{PdnGame, PdnReader};
use rules::{Position, Variant};

use super::Opening;
use crate::error::EvalError;

/// Maximum size of a file in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Maximum number of openings in a file.
const MAX_OPENINGS: usize = 100_000;

/// Reads openings of `variant`: all moves of each PDN game, or one FEN per line, where empty lines
/// and lines that start with `#` are ignored.
///
/// Openings that reach the same position count once. A file has at most 16 MiB and 100,000
/// openings.
///
/// # Errors
/// If the file cannot be read, is too large, names another variant, contains an illegal move or
/// position or an opening after which the game is over, or has no openings. The message names the
/// line.
pub fn read(variant: Variant, input: impl BufRead) -> Result<Vec<Opening>, EvalError> {
    let text = read_text(input)?;
    let mut openings = if is_pdn(&text) {
        read_pdn(variant, &text)?
    } else {
        read_fens(variant, &text)?
    };
    if openings.len() > MAX_OPENINGS {
        return Err(too_large(MAX_OPENINGS, "openings"));
    }
    let mut seen = HashSet::new();
    openings.retain(|opening| seen.insert(opening.game().position().hash()));
    match openings.is_empty() {
        true => Err(EvalError::NoOpenings),
        false => Ok(openings),
    }
}

fn read_text(input: impl BufRead) -> Result<String, EvalError> {
    // Growing would take twice as much; memory that is not written costs nothing.
    let mut bytes = Vec::with_capacity(MAX_BYTES + 1);
    input
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(EvalError::OpeningsUnreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(too_large(MAX_BYTES, "bytes"));
    }
    String::from_utf8(bytes).map_err(|error| EvalError::OpeningsUnreadable(io::Error::other(error)))
}

fn too_large(limit: usize, what: &'static str) -> EvalError {
    EvalError::OpeningsTooLarge { limit, what }
}

/// True if the first significant word is a tag or a move rather than a FEN.
fn is_pdn(text: &str) -> bool {
    lines(text)
        .next()
        .is_some_and(|(_, line)| !matches!(line.as_bytes(), [b'W' | b'B' | b'w' | b'b', b':', ..]))
}

/// Significant lines with their numbers, from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn read_pdn(variant: Variant, text: &str) -> Result<Vec<Opening>, EvalError> {
    let opening = |game: PdnGame| {
        check_variant(&game, variant)?;
        let (start, moves) = game.replay(variant)?;
        checked(Opening { start, moves }, game.line)
    };
    PdnReader::new(text.as_bytes())
        .map(|game| opening(game?))
        .take(MAX_OPENINGS + 1)
        .collect()
}

/// A game without a variant counts as one of `variant`; rulesets of one game share their openings.
fn check_variant(game: &PdnGame, asked: Variant) -> Result<(), EvalError> {
    let says = ["Variant", "GameType"]
        .iter()
        .any(|name| game.tag(name).is_some());
    if !says {
        return Ok(());
    }
    let found = game.variant()?;
    if found.rules().game_type == asked.rules().game_type {
        return Ok(());
    }
    Err(EvalError::OtherVariant {
        line: game.line,
        found: found.name(),
        asked: asked.name(),
    })
}

fn read_fens(variant: Variant, text: &str) -> Result<Vec<Opening>, EvalError> {
    lines(text)
        .map(|(line, fen)| {
            let start = Position::from_fen(variant, fen)
                .map_err(|source| EvalError::OpeningFen { line, source })?;
            let moves = Vec::new();
            checked(Opening { start, moves }, line)
        })
        .take(MAX_OPENINGS + 1)
        .collect()
}

fn checked(opening: Opening, line: usize) -> Result<Opening, EvalError> {
    match opening.game().outcome() {
        Some(outcome) => Err(EvalError::OpeningOver {
            line,
            reason: outcome.reason(),
        }),
        None => Ok(opening),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> Result<Vec<Opening>, String> {
        read(Variant::English, text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn pdn_with_and_without_tags() {
        let text = "[Event \"x\"]\n[GameType \"21\"]\n1. 11-15 23-19 *\n\n1. 9-13 *\n1. 9-13 *\n";
        let openings = english(text).expect("two openings");
        let lengths: Vec<usize> = openings.iter().map(|opening| opening.moves.len()).collect();
        assert_eq!(lengths, [2, 1]);
    }

    #[test]
    fn a_fen_a_line() {
        let text = "# endings\n\nW:WK1:BK32,28\nB:W30:B3\nW:WK1:BK32,28\n";
        let openings = english(text).expect("two openings");
        assert_eq!(openings.len(), 2);
        assert_eq!(openings[0].start.to_fen(), "W:WK1:B28,K32:H0:F1");
        assert!(openings[1].moves.is_empty());
    }

    #[test]
    fn files_are_limited() {
        let fen = "W:WK1:BK32\n";
        let padded = |n_bytes: usize| {
            let comment = format!("#{}\n", "x".repeat(98));
            let mut text = comment.repeat((n_bytes - fen.len()) / comment.len());
            text.push_str(fen);
            let rest = "\n".repeat(n_bytes - text.len());
            text + &rest
        };
        let many = |n: usize| fen.repeat(n);
        let games = |n: usize| "1. 11-15 *\n".repeat(n);
        let cases: [(&dyn Fn(usize) -> String, usize); 3] = [
            (&padded, MAX_BYTES),
            (&many, MAX_OPENINGS),
            (&games, MAX_OPENINGS),
        ];
        for (text, limit) in cases {
            assert_eq!(english(&text(limit)).expect("at the limit").len(), 1);
            let error = english(&text(limit + 1)).expect_err("above the limit");
            assert!(error.contains(&format!("more than {limit} ")), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "has no openings"),
            ("# nothing\n", "has no openings"),
            ("1. 11-15 *\n1. 11-22 *\n", "line 2: ply 1"),
            ("W:WK1:BK32\nW:WK1:B99\n", "line 2"),
            ("B:WK1:B\n", "line 1: the game is over (no-pieces)"),
            (
                "[Variant \"thai\"]\n1. 22-18 *\n",
                "line 1: this is a game of thai",
            ),
            (
                "[GameType \"49\"]\n1. 32-28 *\n",
                "line 1: the game has no known",
            ),
        ];
        for (text, expected) in cases {
            let error = english(text).expect_err(text);
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
