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

/// A game with its variations to be written, as [`PdnRecord`].
#[derive(Clone, Copy, Debug)]
pub struct PdnTree<'a> {
    /// Tags such as `Event`, `White` and `Black`. Those that follow from the game are added.
    pub tags: &'a [(&'a str, &'a str)],
    /// The position before the first move.
    pub start: &'a Position,
    /// What is said before the first move; empty for nothing.
    pub comment: &'a str,
    /// The main line.
    pub line: &'a [PdnPly],
    /// The result, if the game ended.
    pub outcome: Option<Outcome>,
}

/// A legal move, what is said about it, and what could have been played instead.
#[derive(Clone, Debug)]
pub struct PdnPly {
    /// The move.
    pub mv: Move,
    /// A mark such as `!`, or nothing.
    pub glyph: String,
    /// A comment, without braces; empty for none.
    pub comment: String,
    /// Lines from the position before the move.
    pub variations: Vec<Vec<PdnPly>>,
}

impl fmt::Display for PdnRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ply = |(i, mv): (usize, &Move)| PdnPly {
            mv: *mv,
            glyph: String::new(),
            comment: self.comments.get(i).cloned().unwrap_or_default(),
            variations: Vec::new(),
        };
        let line: Vec<PdnPly> = self.moves.iter().enumerate().map(ply).collect();
        let PdnRecord {
            tags,
            start,
            outcome,
            ..
        } = *self;
        PdnTree {
            tags,
            start,
            comment: "",
            line: &line,
            outcome,
        }
        .fmt(f)
    }
}

impl fmt::Display for PdnTree<'_> {
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
        let mut lines = Lines { f, column: 0 };
        lines.comment(self.comment)?;
        lines.moves(*self.start, self.line, "")?;
        lines.word("*")?;
        f.write_str("\n\n")
    }
}

impl PdnTree<'_> {
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

    /// A line from a position; `sign` stands directly before its first word.
    fn moves(&mut self, mut position: Position, line: &[PdnPly], sign: &str) -> fmt::Result {
        let first = position.variant().rules().first_player;
        let mut sign = sign;
        // After anything but a move the number is repeated.
        let mut is_new = true;
        for ply in line {
            let number = position.full_move();
            if position.turn() == first {
                self.word(&format!("{sign}{number}."))?;
            } else if is_new {
                self.word(&format!("{sign}{number}..."))?;
            }
            sign = "";
            self.word(&format!("{}{}", position.move_text(ply.mv), ply.glyph))?;
            self.comment(&ply.comment)?;
            for variation in ply.variations.iter().filter(|line| !line.is_empty()) {
                self.moves(position, variation, "(")?;
                self.end_variation()?;
            }
            is_new = !ply.variations.is_empty();
            position = position.play(ply.mv);
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) -> fmt::Result {
        match text {
            "" => Ok(()),
            text => self.word(&format!("{{{}}}", text.replace('}', ")"))),
        }
    }

    fn end_variation(&mut self) -> fmt::Result {
        self.column += 1;
        self.f.write_char(')')
    }

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
