//! The contents of a book: for people, and as PDN.

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use book::{Book, BookLine, FoundMove};
use rules::Position;
use rules::pdn::{PdnEnd, PdnPly, PdnRecord};
use serde::Serialize;
use store::{AtomicFile, StoreError};

use crate::check_is_new;
use run::Result;

/// A position and its moves in a book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BookPosition {
    /// The position.
    pub fen: String,
    /// Its moves, the best first; none out of the book.
    pub moves: Vec<ShownMove>,
}

/// A move of a book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Games in which it was played.
    pub games: u32,
    /// Games that its side won.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that its side lost.
    pub losses: u32,
    /// The score of its side in games, from 0 to 1.
    pub score: Option<f32>,
    /// The expected score by the searches, from 0 to 1.
    pub value: Option<f32>,
}

impl ShownMove {
    fn new(position: &Position, found: &FoundMove) -> ShownMove {
        let tally = &found.tally;
        ShownMove {
            text: position.move_text(found.mv),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            score: tally.score(),
            value: found.expected(),
        }
    }

    /// The figures in words.
    fn figures(&self) -> String {
        let percent = |share: f32| format!("{:.1} %", 100.0 * share);
        let mut parts = Vec::new();
        if self.games > 0 {
            parts.push(format!("games {}", self.games));
        }
        parts.extend(self.score.map(|score| format!("score {}", percent(score))));
        parts.extend(self.value.map(|value| format!("value {}", percent(value))));
        parts.join(", ")
    }
}

/// The moves of a position in a book.
pub fn position(book: &Book, position: &Position) -> BookPosition {
    let moves = book.moves(position);
    let moves = moves.iter().map(|found| ShownMove::new(position, found));
    BookPosition {
        fen: position.to_fen(),
        moves: moves.collect(),
    }
}

impl fmt::Display for BookPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.fen)?;
        if self.moves.is_empty() {
            writeln!(f, "  not in the book")?;
        }
        let mut moves = self.moves.iter();
        moves.try_for_each(|shown| writeln!(f, "  {:<8} {}", shown.text, shown.figures()))
    }
}

/// Lines that were written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedLines {
    /// The file.
    pub file: String,
    /// Its lines.
    pub lines: u64,
}

impl fmt::Display for ExportedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} lines", self.file, self.lines)
    }
}

/// Writes the lines of a book as games, the best first. The figures of a move are in its comment,
/// in the first line that has it.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn export(book: &Book, to: &Path) -> Result<ExportedLines> {
    check_is_new(to)?;
    let mut file = AtomicFile::create(to)?;
    let mut lines = 0;
    for line in book.lines() {
        lines += 1;
        let text = pdn(book, &line, lines);
        let written = file.write_all(text.as_bytes());
        written.map_err(StoreError::io("write", to))?;
    }
    file.finish()?;
    Ok(ExportedLines {
        file: to.display().to_string(),
        lines,
    })
}

fn pdn(book: &Book, line: &BookLine, number: u64) -> String {
    let start = Position::start(book.variant());
    let mut position = start;
    let mut plies = Vec::new();
    for (ply, found) in line.moves.iter().enumerate() {
        let shown = ShownMove::new(&position, found);
        let comment = match ply < line.shared {
            true => String::new(),
            false => shown.figures(),
        };
        plies.push(PdnPly {
            comment,
            ..found.mv.into()
        });
        position = position.play(found.mv);
    }
    let round = number.to_string();
    PdnRecord {
        tags: &[("Event", "Opening book"), ("Round", &round)],
        start: &start,
        comment: "",
        line: &plies,
        end: PdnEnd::OPEN,
    }
    .to_string()
}
