//! Moves as text.

use crate::{Move, MoveList, Position, Square};

/// Why a text is not a move of the position.
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
    /// No legal move is meant by the text.
    #[error("`{text}` is not a legal move here: {}", hint(legal))]
    Illegal {
        /// The text.
        text: String,
        /// The legal moves from the same square, or all if there are none.
        legal: Vec<String>,
    },
    /// Several legal moves could be meant.
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
    /// Writes a legal move in the variant's notation: `11-15`, `15x22`, or the whole path where
    /// several captures share start and end.
    pub fn move_text(&self, mv: Move) -> String {
        self.move_text_among(mv, &self.legal_moves())
    }

    /// [`Position::move_text`] for callers that have the legal moves at hand.
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

    fn path_text(&self, mv: Move) -> String {
        let path = self.path(mv).into_iter();
        let squares: Vec<_> = path
            .map(|square| self.variant().square_name(square))
            .collect();
        squares.join("x")
    }

    /// Reads a move, by numbers or in the variant's notation. Captures may be written with `-`, `x`
    /// or `:`, and with any of the squares they visit, in order.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveTextError> {
        let squares = self.squares(text)?;
        let legal = self.legal_moves();
        let [from, stops @ .., to] = squares.as_slice() else {
            return Err(MoveTextError::Syntax {
                text: text.to_owned(),
            });
        };
        let candidates: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|mv| (mv.from, mv.to) == (*from, *to))
            .filter(|mv| self.path_through(*mv, stops).is_some())
            .collect();
        let is_whole_path = |mv: &&Move| mv.captured.count() as usize + 1 == squares.len();
        match candidates.as_slice() {
            [] => Err(self.illegal(text, *from, &legal)),
            [mv] => Ok(*mv),
            several => several.iter().find(is_whole_path).copied().ok_or_else(|| {
                let candidates = several.iter().map(|mv| self.path_text(*mv)).collect();
                MoveTextError::Ambiguous {
                    text: text.to_owned(),
                    candidates,
                }
            }),
        }
    }

    fn illegal(&self, text: &str, from: Square, legal: &MoveList) -> MoveTextError {
        let from_here = || legal.iter().filter(|mv| mv.from == from);
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

    fn squares(&self, text: &str) -> Result<Vec<Square>, MoveTextError> {
        let (board, notation) = (self.board(), self.variant().rules().notation);
        let read = |digits: &str| {
            if let Some(square) = notation.read_algebraic(board, digits) {
                return Ok(square);
            }
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let number = is_number.then(|| digits.parse().ok()).flatten();
            let number = number.ok_or_else(|| MoveTextError::Syntax {
                text: text.to_owned(),
            })?;
            board.square(number).ok_or_else(|| MoveTextError::OffBoard {
                text: text.to_owned(),
                number,
                last: board.n_squares(),
            })
        };
        text.trim()
            .split(['-', 'x', 'X', ':', '×'])
            .map(|part| read(part.trim()))
            .collect()
    }
}
