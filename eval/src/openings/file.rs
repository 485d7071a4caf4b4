//! Openings from a file: games in PDN, or one FEN per line.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufRead, Read as _};

use rules::pdn::{PdnGames, ReadGame};
use rules::{Position, Variant};

use super::Opening;
use crate::error::EvalError;

/// Maximum size of a file in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Maximum number of openings in a file.
const MAX_OPENINGS: usize = 100_000;

/// The openings of a file, and the faults in the others.
#[derive(Debug, Default)]
pub struct OpeningsFile {
    /// Different openings, in the order of the file.
    pub openings: Vec<Opening>,
    /// The faults in the omitted openings, with their lines.
    pub faults: Vec<EvalError>,
}

/// Reads openings of `variant`: the moves of each PDN game, one FEN a line, or the moves of one
/// opening a line. Empty lines and lines that begin with `#` are ignored. Of each opening at most
/// `plies` moves are taken, if that is given.
///
/// Openings that reach the same position count once. A file has at most 16 MiB and 100,000
/// openings.
///
/// # Errors
/// When the file cannot be read, is larger, or has no opening that is right. Others that name
/// another variant, hold an illegal move or position, or after which the game is over are left out.
pub fn read(
    variant: Variant,
    plies: Option<usize>,
    input: impl BufRead,
) -> Result<OpeningsFile, EvalError> {
    let text = read_text(input)?;
    let read: Box<dyn Iterator<Item = (usize, Result<Opening, EvalError>)>> = match Form::of(&text)
    {
        Form::Fens => Box::new(lines(&text).map(|(line, fen)| {
            let start = Position::from_fen(variant, fen);
            let opening = start.map(|start| Opening {
                start,
                moves: Vec::new(),
            });
            (line, opening.map_err(|error| fault(line, error)))
        })),
        Form::MoveLines => Box::new(lines(&text).filter_map(|(line, moves)| {
            // Each line is a game of its own.
            let mut game = PdnGames::new(moves.as_bytes(), Some(variant)).next()?.game;
            game.moves.iter_mut().for_each(|mv| mv.line = line);
            let opening = game.replay(variant);
            let opening = opening.map(|(start, moves)| Opening { start, moves });
            Some((line, opening.map_err(EvalError::from)))
        })),
        Form::Pdn => Box::new(
            PdnGames::new(text.as_bytes(), Some(variant))
                .map(|read| (read.game.line, opening(variant, read))),
        ),
    };
    let mut file = OpeningsFile::default();
    for (index, (line, opening)) in read.enumerate() {
        if index == MAX_OPENINGS {
            return Err(too_large(MAX_OPENINGS, "openings"));
        }
        match opening.and_then(|opening| checked(opening, plies, line)) {
            Ok(opening) => file.openings.push(opening),
            Err(fault) => file.faults.push(fault),
        }
    }
    let mut seen = HashSet::new();
    let openings = &mut file.openings;
    openings.retain(|opening| seen.insert(opening.game().position().hash()));
    match (file.openings.is_empty(), file.faults.is_empty()) {
        (true, true) => Err(EvalError::Openings(
            "the file has no openings: write games in PDN, or one FEN or the moves of one opening \
             a line"
                .to_owned(),
        )),
        (true, false) => Err(file.faults.swap_remove(0)),
        (false, _) => Ok(file),
    }
}

/// The opening that a game is, if it is one of `asked`; rulesets of one game share their openings.
fn opening(asked: Variant, read: ReadGame) -> Result<Opening, EvalError> {
    let found = read.variant.unwrap_or(asked);
    if found.rules().game_type != asked.rules().game_type {
        let what = format!("this is a game of {found}, not of {asked}");
        return Err(fault(read.game.line, what));
    }
    if let Some(fault) = read.fault {
        return Err(fault.into());
    }
    let (start, moves) = match read.played.filter(|_| found == asked) {
        Some(played) => (played.start, played.moves),
        None => read.game.replay(asked)?,
    };
    Ok(Opening { start, moves })
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
    let text = String::from_utf8(bytes)
        .map_err(|error| EvalError::OpeningsUnreadable(io::Error::other(error)))?;
    // Lines may end with carriage returns alone.
    Ok(match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    })
}

fn too_large(limit: usize, what: &str) -> EvalError {
    EvalError::Openings(format!(
        "the file has more than {limit} {what}: leave some out"
    ))
}

fn fault(line: usize, what: impl Display) -> EvalError {
    EvalError::Openings(format!("openings, line {line}: {what}"))
}

/// The layout of a file of openings.
enum Form {
    Fens,
    MoveLines,
    Pdn,
}

impl Form {
    /// FENs if the first line is one, unless it is the tag of a game. Lines of moves have neither
    /// tags nor results, and one of them begins a second opening.
    fn of(text: &str) -> Form {
        let is_fen = |line: &str| {
            let start = line.trim_start_matches(['"', '\u{feff}']);
            start.as_bytes().get(1) == Some(&b':') && start.starts_with(['W', 'B', 'w', 'b', '?'])
        };
        let is_fen_tag = |line: &str| {
            line.get(..5)
                .is_some_and(|name| name.eq_ignore_ascii_case("[FEN "))
        };
        let all = || lines(text).map(|(_, line)| line);
        let first = all().next().unwrap_or_default();
        if first.is_empty() || is_fen(first) || is_fen_tag(first) && all().all(is_fen_tag) {
            return Form::Fens;
        }
        let is_of_moves = |line: &str| {
            let moves = without_comments(line);
            let mut words = moves.split_whitespace();
            !moves.contains(['[', '{', '}', '(', '*', '%'])
                && !words.any(|word| word.ends_with("-0"))
        };
        let begins = |line: &str| {
            !line.starts_with(|c: char| c.is_ascii_digit()) || {
                let number = line.split_once('.').map(|(number, _)| number.trim());
                number.is_none_or(|number| number == "1" || number.parse::<u32>().is_err())
            }
        };
        match all().all(is_of_moves) && all().all(begins) && all().nth(1).is_some() {
            true => Form::MoveLines,
            false => Form::Pdn,
        }
    }
}

/// A line without comments that end on it: an opening may have its name after it.
fn without_comments(line: &str) -> String {
    let mut rest = line.split(';').next().unwrap_or(line);
    let mut text = String::new();
    while let Some((before, comment)) = rest.split_once('{')
        && let Some((_, after)) = comment.split_once('}')
    {
        text.push_str(before);
        rest = after;
    }
    text + rest
}

/// Significant lines with their numbers, from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';', '%']))
}

/// The opening, cut to a number of moves.
fn checked(mut opening: Opening, plies: Option<usize>, line: usize) -> Result<Opening, EvalError> {
    opening.moves.truncate(plies.unwrap_or(usize::MAX));
    let Some(outcome) = opening.game().outcome() else {
        return Ok(opening);
    };
    let reason = outcome.reason();
    let what = format!("the game is over ({reason}): remove this opening");
    Err(fault(line, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> Result<Vec<Opening>, String> {
        let read = read(Variant::English, None, text.as_bytes());
        read.map(|file| file.openings)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn bad_openings_cost_no_other() {
        let text = "1. 11-15 *\n1. 11-22 *\n[GameType \"20\"] 1. 32-28 *\n\n1. 9-13 *\n";
        let file = read(Variant::English, None, text.as_bytes()).unwrap();
        assert_eq!((file.openings.len(), file.faults.len()), (2, 2));
        assert!(file.faults[0].to_string().starts_with("line 2: ply 1: "));
        let file = read(Variant::English, None, &b"W:W21:B1\nW:W21:B99\n"[..]).unwrap();
        assert_eq!((file.openings.len(), file.faults.len()), (1, 1));
    }

    #[test]
    fn a_line_of_moves_is_an_opening() {
        let text = "11-15 23-19 8-11\n# drawn\n9-13 24-20\n1. 11-16 24-20\n";
        let lengths = |plies| {
            let file = read(Variant::English, plies, text.as_bytes()).unwrap();
            assert!(file.faults.is_empty(), "{:?}", file.faults);
            let lengths = file.openings.iter().map(|opening| opening.moves.len());
            lengths.collect::<Vec<_>>()
        };
        assert_eq!(lengths(None), [3, 2, 2]);
        assert_eq!(lengths(Some(1)), [1, 1, 1]);
        let named = "11-15 23-19 ; old fourteenth\r; more\r9-13 24-20 {a name}\r% end\r";
        assert_eq!(english(named).unwrap().len(), 2);
        // Lines of one game are not openings.
        assert_eq!(
            english("1. 11-15 23-19\n2. 8-11 22-17\n").unwrap()[0]
                .moves
                .len(),
            4
        );
    }

    #[test]
    fn fens_may_be_in_quotes_and_tags() {
        for text in [
            "\"W:W21:B1\"\n",
            "[FEN \"W:W21:B1\"]\n[FEN \"W:W22:B1\"]\n",
            "\u{feff}W:W21:B1;\n",
        ] {
            assert_eq!(english(text).unwrap()[0].start.to_fen(), "W:W21:B1:H0:F1");
        }
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
            ("\n1. 11-22 *\n", "line 2: ply 1"),
            ("\nW:WK1:B99\n", "line 2"),
            ("B:WK1:B\n", "line 1: the game is over (no-pieces)"),
            (
                "[Variant \"thai\"]\n1. 22-18 *\n",
                "line 1: this is a game of thai",
            ),
            (
                "[GameType \"49\"]\n1. 32-28 *\n",
                "line 1: GameType 49 is a game that is not known, which is not played here",
            ),
        ];
        for (text, expected) in cases {
            let error = english(text).expect_err(text);
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
