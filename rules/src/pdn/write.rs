//! Writing games.

use std::fmt::{self, Write};

use crate::{Move, Outcome, Position};

/// A game to be written: [`fmt::Display`] gives its PDN, ended by an empty line.
#[derive(Clone, Copy, Debug)]
pub struct PdnRecord<'a> {
    /// Tags such as `Event`, `White` and `Black`. Those that follow from the game are added.
    pub tags: &'a [(&'a str, &'a str)],
    /// The position before the first move.
    pub start: &'a Position,
    /// The moves, all legal.
    pub moves: &'a [Move],
    /// [move of `moves`] a comment after it, without braces; empty for none. May be shorter than
    /// `moves`.
    pub comments: &'a [String],
    /// The result, if the game ended.
    pub outcome: Option<Outcome>,
}

impl fmt::Display for PdnRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags {
            write_tag(f, name, value)?;
        }
        self.write_result(f)?;
        let variant = self.start.variant();
        write_tag(f, "GameType", variant.rules().game_type)?;
        write_tag(f, "Variant", variant.name())?;
        // pydraughts loses moves of English games that give the usual start as a FEN.
        if *self.start != Position::start(variant) {
            write_tag(f, "SetUp", "1")?;
            write_tag(f, "FEN", &self.start.to_notated_fen())?;
        }
        f.write_str("\n")?;
        self.write_moves(f)
    }
}

impl PdnRecord<'_> {
    fn write_result(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(outcome) = self.outcome else {
            return write_tag(f, "Result", "*");
        };
        let first = self.start.variant().rules().first_player;
        match outcome.winner() {
            Some(winner) => {
                write_tag(f, "Result", if winner == first { "1-0" } else { "0-1" })?;
                let mut name = winner.to_string();
                name[..1].make_ascii_uppercase();
                write_tag(f, "Winner", &name)?;
            }
            None => write_tag(f, "Result", "1/2-1/2")?,
        }
        write_tag(f, "Termination", outcome.reason())
    }

    /// The moves with their numbers, in lines of at most 79 characters, and the separator.
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Lines { f, column: 0 };
        let mut position = *self.start;
        let first = position.variant().rules().first_player;
        for (i, mv) in self.moves.iter().enumerate() {
            let number = position.full_move();
            if position.turn() == first {
                lines.word(&format!("{number}."))?;
            } else if i == 0 {
                lines.word(&format!("{number}..."))?;
            }
            lines.word(&position.move_text(*mv))?;
            if let Some(comment) = self.comments.get(i).filter(|comment| !comment.is_empty()) {
                lines.word(&format!("{{{}}}", comment.replace('}', ")")))?;
            }
            position = position.play(*mv);
        }
        lines.word("*")?;
        f.write_str("\n\n")
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\n', '\r'], " ");
    writeln!(f, "[{name} \"{value}\"]")
}

/// Breaks words into lines.
struct Lines<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    column: usize,
}

impl Lines<'_, '_> {
    const WIDTH: usize = 79;

    fn word(&mut self, word: &str) -> fmt::Result {
        if self.column > 0 {
            let fits = self.column + 1 + word.len() <= Lines::WIDTH;
            self.f.write_char(if fits { ' ' } else { '\n' })?;
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.column += word.len();
        self.f.write_str(word)
    }
}
