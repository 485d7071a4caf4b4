//! Openings from a file: games in PDN, or a FEN a line.

use std::collections::HashSet;
use std::io::BufRead;

use rules::pdn::{PdnGame, PdnReader};
use rules::{Position, Variant};

use super::Opening;
use crate::error::EvalError;

/// Reads openings of `variant`: all moves of each PDN game, or one FEN a line, where empty lines and
/// lines that begin with `#` are ignored.
///
/// Openings that reach the same position count once.
///
/// # Errors
/// When the file cannot be read, names another variant, holds an illegal move or position, an
/// opening after which the game is over, or none at all. The message names the line.
pub fn read(variant: Variant, mut input: impl BufRead) -> Result<Vec<Opening>, EvalError> {
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .map_err(EvalError::OpeningsUnreadable)?;
    let mut openings = if is_pdn(&text) {
        read_pdn(variant, &text)?
    } else {
        read_fens(variant, &text)?
    };
    let mut seen = HashSet::new();
    openings.retain(|opening| seen.insert(opening.game().position().hash()));
    match openings.is_empty() {
        true => Err(EvalError::NoOpenings),
        false => Ok(openings),
    }
}

/// Whether the first significant word is a tag or a move rather than a FEN.
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
        .collect()
}

/// A game without a variant is taken for `variant`; rulesets of one game share their openings.
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
