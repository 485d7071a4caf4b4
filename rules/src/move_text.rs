//! Moves as text.

use crate::notation::{column, digits, is_separator, square};
use crate::{Bitboard, Color, Move, MoveList, Position, Square};

/// The reason why a text is not a move of the position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveTextError {
    /// The text is not a list of squares.
    #[error(
        "`{text}` is not a move: write squares with - or x between them, such as 11-15 or 15x22"
    )]
    Syntax {
        /// The text.
        text: String,
    },
    /// A square is not on the board.
    #[error("square {number} in move `{text}` is not on the board: its squares are 1 to {last}")]
    OffBoard {
        /// The text.
        text: String,
        /// The number.
        number: usize,
        /// The largest number.
        last: usize,
    },
    /// The text matches no legal move.
    #[error("`{text}` is not a legal move here: {}", hint(legal))]
    Illegal {
        /// The text.
        text: String,
        /// The legal moves from the same square, or all if there are none.
        legal: Vec<String>,
    },
    /// The text matches several legal moves.
    #[error("`{text}` could be {}: write every landing square", candidates.join(" or "))]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves, written in full.
        candidates: Vec<String>,
    },
}

fn hint(legal: &[String]) -> String {
    if legal.is_empty() {
        return "the side to move has no move".to_owned();
    }
    format!("try {}", legal.join(", "))
}

impl Position {
    /// Formats a legal move in the variant's notation: `11-15`, `15x22`, or the whole path if
    /// several captures share origin and destination.
    pub fn move_text(&self, mv: Move) -> String {
        self.move_text_among(mv, &self.legal_moves())
    }

    /// Like [`Position::move_text`], for callers that already have the legal moves.
    pub fn move_text_among(&self, mv: Move, legal: &[Move]) -> String {
        let same_ends = legal
            .iter()
            .filter(|other| (other.from, other.to) == (mv.from, mv.to));
        if mv.is_capture() && same_ends.count() > 1 {
            return self.path_text(mv);
        }
        let separator = if mv.is_capture() { "x" } else { "-" };
        let [from, to] = [mv.from, mv.to].map(|square| self.variant().square_name(square));
        format!("{from}{separator}{to}")
    }

    /// Formats legal moves that follow one another from this position.
    pub fn move_texts(&self, moves: &[Move]) -> Vec<String> {
        let mut position = *self;
        let write = |mv: &Move| {
            let text = position.move_text(*mv);
            position = position.play(*mv);
            text
        };
        moves.iter().map(write).collect()
    }

    fn path_text(&self, mv: Move) -> String {
        let path = self.path(mv).into_iter();
        let squares: Vec<_> = path
            .map(|square| self.variant().square_name(square))
            .collect();
        squares.join("x")
    }

    /// Parses a move, with square numbers or with columns and rows. Squares may be separated by
    /// `-`, `x`, `:` or dashes, those with letters also by nothing; captures may include any of the
    /// visited squares, in order. The first square may be reduced to its column: `c:e5`, `cd4`.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveTextError> {
        match self.moves_meant(text, Color::White)?.as_slice() {
            [mv] => Ok(*mv),
            several => Err(self.ambiguity(text, several)),
        }
    }

    pub(crate) fn ambiguity(&self, text: &str, candidates: &[Move]) -> MoveTextError {
        MoveTextError::Ambiguous {
            text: text.to_owned(),
            candidates: candidates.iter().map(|mv| self.path_text(*mv)).collect(),
        }
    }

    /// The legal moves that a text may mean, at least one. Columns and rows are named from a side
    /// of the board: White's in our notations; from Black's, `a1` is in Black's left corner.
    pub(crate) fn moves_meant(&self, text: &str, side: Color) -> Result<Vec<Move>, MoveTextError> {
        let (from, others) = self.squares(text, side)?;
        let Some((&to, stops)) = others.split_last() else {
            return Err(syntax(text));
        };
        let legal = self.legal_moves();
        let candidates: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|mv| mv.to == to && from.contains(mv.from) && self.passes(*mv, stops))
            .collect();
        let is_whole_path =
            |mv: &&Move| from.count() == 1 && mv.captured.count() as usize == stops.len() + 1;
        match candidates.as_slice() {
            [] => Err(self.illegal(text, from, &legal)),
            [_] => Ok(candidates),
            several => {
                let whole = several.iter().find(is_whole_path).copied();
                Ok(whole.map_or(candidates, |mv| vec![mv]))
            }
        }
    }

    fn illegal(&self, text: &str, from: Bitboard, legal: &MoveList) -> MoveTextError {
        let from_here = || legal.iter().filter(|mv| from.contains(mv.from));
        let write = |mv: &Move| self.move_text_among(*mv, legal);
        let legal = if from_here().next().is_some() {
            from_here().map(write).collect()
        } else {
            legal.iter().map(write).collect()
        };
        MoveTextError::Illegal {
            text: text.to_owned(),
            legal,
        }
    }

    /// The squares of a move in order, named from a side of the board: those that the first one may
    /// be, which may be given by its column alone, and the others.
    fn squares(&self, text: &str, side: Color) -> Result<(Bitboard, Vec<Square>), MoveTextError> {
        let board = self.board();
        let syntax = || syntax(text);
        let mut from = Bitboard::EMPTY;
        let mut others = Vec::new();
        let mut rest = text.trim();
        let mut is_separated = true;
        let mut has_letters = false;
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            let is_row = after.starts_with(|c: char| c.is_ascii_digit());
            // Where a column must follow, the Cyrillic letter is no sign: `гх4`.
            let is_column = is_row && column_named_like_x(first) && has_letters;
            if is_separator(first) && !is_column {
                if is_separated {
                    return Err(syntax());
                }
                is_separated = true;
                rest = after.trim_start();
                continue;
            }
            let letter = (!first.is_ascii_digit()).then_some(first);
            let tail = if letter.is_some() { after } else { rest };
            let n_digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = digits(&tail[..n_digits]);
            let set = match (letter, number) {
                (None, Some(number)) if is_separated => {
                    let square = board.square(number).ok_or_else(|| MoveTextError::OffBoard {
                        text: text.to_owned(),
                        number,
                        last: board.n_squares(),
                    });
                    square?.bit()
                }
                (Some(letter), Some(row)) => square(board, letter, row).ok_or_else(syntax)?.bit(),
                (Some(letter), None) if from.is_empty() => column(board, letter),
                _ => return Err(syntax()),
            };
            if set.is_empty() {
                return Err(syntax());
            }
            match from.is_empty() {
                true => from = set.of_side(side),
                false => others.extend(set.of_side(side)),
            }
            has_letters |= letter.is_some();
            is_separated = false;
            rest = tail[n_digits..].trim_start();
        }
        match is_separated {
            true => Err(syntax()),
            false => Ok((from, others)),
        }
    }
}

/// True for the letter that names the column h by its sound.
fn column_named_like_x(letter: char) -> bool {
    matches!(letter, 'х' | 'Х')
}

fn syntax(text: &str) -> MoveTextError {
    MoveTextError::Syntax {
        text: text.to_owned(),
    }
}
