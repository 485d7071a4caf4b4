//! Writing games.

use std::fmt::{self, Write};

use super::game::is_among;
use super::lexer::is_of_name;
use super::{PdnResult, kind};
use crate::{Color, Move, Outcome, Position};

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PdnEnd<'a> {
    /// The result.
    pub result: PdnResult,
    /// The reason for the `Termination` tag; empty if unknown.
    pub reason: &'a str,
}

impl PdnEnd<'_> {
    /// A game without a result.
    pub const OPEN: PdnEnd<'static> = PdnEnd {
        result: PdnResult::Open,
        reason: "",
    };
}

impl From<Option<Outcome>> for PdnEnd<'static> {
    fn from(outcome: Option<Outcome>) -> PdnEnd<'static> {
        outcome.map_or(PdnEnd::OPEN, |outcome| PdnEnd {
            result: outcome.winner().map_or(PdnResult::Drawn, PdnResult::Won),
            reason: outcome.reason(),
        })
    }
}

/// A game to write: [`fmt::Display`] formats its PDN, terminated by an empty line.
#[derive(Clone, Copy, Debug)]
pub struct PdnRecord<'a> {
    /// Tags such as `Event`, `White` and `Black`. Tags derived from the game are added, replacing
    /// any given here. Names lose spaces and signs, values line breaks.
    pub tags: &'a [(&'a str, &'a str)],
    /// The position before the first move.
    pub start: &'a Position,
    /// The comment before the first move, or empty.
    pub comment: &'a str,
    /// The main line.
    pub line: &'a [PdnPly],
    /// The end of the game.
    pub end: PdnEnd<'a>,
}

/// A legal move with its annotations and alternatives.
#[derive(Clone, Debug)]
pub struct PdnPly {
    /// The move.
    pub mv: Move,
    /// A mark such as `!`, or empty.
    pub glyph: String,
    /// A comment, without braces; empty for none.
    pub comment: String,
    /// Commands to write into the comment, such as `clk` with a time.
    pub data: Vec<(String, String)>,
    /// Lines from the position before the move.
    pub variations: Vec<Vec<PdnPly>>,
}

impl From<Move> for PdnPly {
    fn from(mv: Move) -> PdnPly {
        PdnPly {
            mv,
            glyph: String::new(),
            comment: String::new(),
            data: Vec::new(),
            variations: Vec::new(),
        }
    }
}

/// Tags derived from the game.
const DERIVED: [&str; 7] = [
    "Result",
    "Winner",
    "Termination",
    "GameType",
    "Variant",
    "SetUp",
    "FEN",
];

impl fmt::Display for PdnRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags {
            // Only what can be read again.
            let name: String = name.chars().filter(|c| is_of_name(*c)).collect();
            if !name.is_empty() && !is_among(&DERIVED, &name) {
                write_tag(f, &name, value)?;
            }
        }
        let variant = self.start.variant();
        let usual = Position::start(variant);
        let is_turned = *self.start == usual.turned();
        let first = match is_turned {
            true => !usual.turn(),
            false => usual.turn(),
        };
        self.write_result(f, first)?;
        write_tag(f, "GameType", &kind::game_type(variant, first))?;
        write_tag(f, "Variant", variant.name())?;
        // pydraughts loses moves of English games whose FEN is the usual start position.
        if *self.start != usual && !is_turned {
            write_tag(f, "SetUp", "1")?;
            let fen = self.start.fen_in(variant.rules().notation).to_string();
            write_tag(f, "FEN", &fen)?;
        }
        f.write_str("\n")?;
        let mut lines = Lines {
            f,
            column: 0,
            first,
        };
        lines.comment(self.comment, &[])?;
        lines.moves(*self.start, self.line, "")?;
        lines.word("*")?;
        f.write_str("\n\n")
    }
}

impl PdnRecord<'_> {
    /// Writes the result in PDN's form for the game; `first` is the side that moves first.
    fn write_result(&self, f: &mut fmt::Formatter<'_>, first: Color) -> fmt::Result {
        let text = kind::result_text(self.start.variant(), first, self.end.result);
        write_tag(f, "Result", text)?;
        if let PdnResult::Won(winner) = self.end.result {
            let mut name = winner.to_string();
            name[..1].make_ascii_uppercase();
            write_tag(f, "Winner", &name)?;
        }
        match self.end.reason {
            "" => Ok(()),
            reason => write_tag(f, "Termination", reason),
        }
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
    /// The side that moves first.
    first: Color,
}

impl Lines<'_, '_> {
    const WIDTH: usize = 79;

    /// Writes a line from a position; `sign` precedes its first word.
    fn moves(&mut self, mut position: Position, line: &[PdnPly], sign: &str) -> fmt::Result {
        let first = self.first;
        let is_turned = first != position.variant().rules().first_player;
        let mut sign = sign;
        // The number is repeated after anything but a move.
        let mut is_new = true;
        for ply in line {
            // The rules increment the full move number after the second player's move.
            let number = position.full_move() - u32::from(is_turned && position.turn() != first);
            if position.turn() == first {
                self.word(&format!("{sign}{number}."))?;
            } else if is_new {
                self.word(&format!("{sign}{number}..."))?;
            }
            sign = "";
            self.word(&format!("{}{}", position.move_text(ply.mv), ply.glyph))?;
            self.comment(&ply.comment, &ply.data)?;
            for variation in ply.variations.iter().filter(|line| !line.is_empty()) {
                self.moves(position, variation, "(")?;
                self.column += 1;
                self.f.write_char(')')?;
            }
            is_new = !ply.variations.is_empty();
            position = position.play(ply.mv);
        }
        Ok(())
    }

    fn comment(&mut self, text: &str, data: &[(String, String)]) -> fmt::Result {
        let command = |(name, value): &(String, String)| format!("[%{name} {value}]");
        let text = (!text.is_empty()).then(|| text.to_owned());
        let parts: Vec<String> = data.iter().map(command).chain(text).collect();
        match parts.is_empty() {
            true => Ok(()),
            false => self.word(&format!("{{{}}}", parts.join(" ").replace('}', ")"))),
        }
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
