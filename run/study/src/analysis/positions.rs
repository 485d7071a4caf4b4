//! Analysis of single positions, a line each.

use std::io::BufRead;
use std::sync::Arc;

use engine::Findings;
use rules::{Game, LineRead, Position, Variant, read_line};

use super::pool;
use super::seat::{Analysts, Seats};
use run::Result;

/// Bytes of a line at most: a position and the moves of the longest games.
const MAX_LINE: usize = 1 << 16;

/// The question about each position.
#[derive(Clone, Copy, Debug)]
pub struct PositionQuestion {
    /// The game.
    pub variant: Variant,
    /// Lines to find.
    pub lines: usize,
    /// Positions that are searched at a time.
    pub threads: usize,
}

/// The answer to a line.
pub struct Answer {
    /// The number of the line, from 1.
    pub line: u64,
    /// The position, or why there is none.
    pub found: Result<FoundPosition, String>,
}

/// A position and what an analysis found.
pub struct FoundPosition {
    /// The game that led to the position.
    pub game: Game,
    /// The lines; nothing where the game is over.
    pub findings: Option<Findings>,
}

/// Answers each line of a stream, in order: a FEN or the word `start`, and moves after it. Empty
/// lines have no answer.
///
/// # Errors
/// When `each` fails, or no thread can be started.
pub fn answer_positions(
    mut input: impl BufRead + Send + 'static,
    question: &PositionQuestion,
    analysts: &Arc<Analysts>,
    each: impl FnMut(Answer) -> Result<()>,
) -> Result<()> {
    let (mut bytes, mut number, mut is_over) = (Vec::new(), 0, false);
    let lines = std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        number += 1;
        let text = match read_line(&mut input, MAX_LINE, &mut bytes) {
            Ok(LineRead::End) => return None,
            Ok(LineRead::Line) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Ok(LineRead::TooLong) => Err(format!("it is longer than {MAX_LINE} bytes, the limit")),
            Err(error) => {
                is_over = true;
                Err(format!("cannot read it: {error}"))
            }
        };
        Some((number, text))
    });
    let lines = lines.filter(|(_, text)| text.as_ref().map_or(true, |text| !text.is_empty()));
    let (variant, n_lines) = (question.variant, question.lines);
    let worker = || {
        let mut seats = Seats::new(Arc::clone(analysts));
        move |(line, text): (u64, Result<String, String>)| {
            let found = text.and_then(|text| {
                let game = read_game(variant, &text)?;
                let findings = match game.outcome() {
                    Some(_) => None,
                    None => {
                        let found = seats.analyze(&game, n_lines, None);
                        Some(found.map_err(|error| error.to_string())?)
                    }
                };
                Ok(FoundPosition { game, findings })
            });
            Answer { line, found }
        }
    };
    pool::in_order(lines, question.threads, worker, each)
}

/// Reads a position and moves. A FEN may hold spaces.
fn read_game(variant: Variant, text: &str) -> Result<Game, String> {
    if let Ok(position) = Position::from_fen(variant, text) {
        return Ok(Game::new(position));
    }
    let mut words = text.split_whitespace();
    let start = match words.next().unwrap_or_default() {
        "start" => Position::start(variant),
        fen => Position::from_fen(variant, fen)
            .map_err(|error| format!("cannot read the FEN {fen:?}: {error}"))?,
    };
    let mut game = Game::new(start);
    for (index, word) in words.enumerate() {
        let mv = game.position().parse_move(word);
        game.play(mv.map_err(|error| format!("move {}: {error}", index + 1))?);
    }
    Ok(game)
}
