//! Positions as text: `turn:W<squares>:B<squares>:H<n>:F<n>`, and `:+<black>+<white>` where the
//! rules count king moves, as lidraughts writes them.

use std::fmt;

use crate::notation::{digits, read_algebraic};
use crate::{Bitboard, Board, Color, Notation, Position, Setup, SetupError, Square, Variant};

/// The reason why a text is not the FEN of a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// The first field is not a side.
    #[error("FEN starts with `{found}`: it must start with the side to move, W or B, then a colon")]
    Turn {
        /// The first field.
        found: String,
    },
    /// An unknown field.
    #[error("unknown FEN field `{field}`: expected W.., B.., H.., F.. or +..")]
    UnknownField {
        /// The field.
        field: String,
    },
    /// A duplicate field.
    #[error("FEN field `{field}` comes a second time: merge it with the first")]
    RepeatedField {
        /// The later field.
        field: String,
    },
    /// A side has no field.
    #[error("FEN has no field for {color}: add `:{}` and its squares", color.letter())]
    MissingSide {
        /// The side.
        color: Color,
    },
    /// Something in a side's field is not a square.
    #[error(
        "`{text}` in FEN field `{field}` is not a square: write a number, K before kings, or a range such as 1-4"
    )]
    NotASquare {
        /// The invalid text.
        text: String,
        /// The field that contains it.
        field: String,
    },
    /// The board has no square with this number.
    #[error("square {number} is not on the {variant} board: its squares are 1 to {last}")]
    OffBoard {
        /// The number.
        number: usize,
        /// The largest number.
        last: usize,
        /// The variant.
        variant: Variant,
    },
    /// A range starts after its end.
    #[error("range {first}-{last} in FEN runs backwards: write {last}-{first}")]
    BackwardRange {
        /// The first number.
        first: usize,
        /// The second number.
        last: usize,
    },
    /// A square is listed twice.
    #[error("square {square} is taken twice in FEN: list each square once")]
    Overlap {
        /// The square.
        square: usize,
    },
    /// A counter is out of range.
    #[error(
        "FEN field `{field}` is out of range: write {letter}{least} to {letter}{}",
        u16::MAX
    )]
    Counter {
        /// The field.
        field: String,
        /// The letter of the counter.
        letter: char,
        /// The smallest value.
        least: u16,
    },
    /// Malformed king rest counters.
    #[error(
        "FEN field `{field}` does not give king rest counters: write +<black>+<white>, each 0 or a count and the two-digit square of that side's king, such as +0+346"
    )]
    Rest {
        /// The field.
        field: String,
    },
    /// The parts are not a valid position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Position {
    /// Parses a position. Sides may be in either order; ranges and leading zeros are accepted;
    /// squares may be written by column and row; missing counters are 0; king rest counters are
    /// ignored if the rules have none. The text may be in quotes or in a `[FEN ".."]` tag.
    ///
    /// ```
    /// use rules::{Position, Variant};
    ///
    /// let position = Position::from_fen(Variant::English, "W:B1-3:WK6,30")?;
    /// assert_eq!(position.to_fen(), "W:WK6,30:B1,2,3:H0:F1");
    /// # Ok::<(), rules::FenError>(())
    /// ```
    pub fn from_fen(variant: Variant, fen: &str) -> Result<Position, FenError> {
        Ok(Position::new(variant, &read(variant, fen)?)?)
    }

    /// As [`Position::from_fen`], but men on their last row are kings, which is all that they can
    /// be: collections of problems omit the letter there.
    pub(crate) fn from_problem(variant: Variant, fen: &str) -> Result<Position, FenError> {
        let mut setup = read(variant, fen)?;
        setup.crown(variant.board());
        Ok(Position::new(variant, &setup)?)
    }

    /// Formats the position: explicit ascending squares, White first, then all counters.
    pub fn to_fen(&self) -> String {
        self.to_string()
    }
}

/// The parts of the position that a FEN describes, unchecked.
fn read(variant: Variant, fen: &str) -> Result<Setup, FenError> {
    let is_text = |c: &char| !c.is_whitespace() && *c != '\u{feff}';
    let fen: String = undressed(fen).chars().filter(is_text).collect();
    let mut fields = fen.trim_end_matches(['.', ';', ':']).split(':');
    let mut reader = Reader::new(variant, fields.next().unwrap_or_default())?;
    for field in fields {
        reader.read(field)?;
    }
    reader.finish()
}

/// Strips quotation marks of any kind, brackets, the name `FEN` and a semicolon from a FEN.
pub(crate) fn undressed(text: &str) -> &str {
    let is_around = |c: char| {
        let is_quote = matches!(c, '"' | '\'' | '`' | '‘'..='‟' | '«' | '»');
        c.is_whitespace() || is_quote || matches!(c, '\u{feff}' | ';' | '[' | ']')
    };
    let text = text.trim_matches(is_around);
    match text.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("FEN") => text[3..].trim_matches(is_around),
        _ => text,
    }
}

/// The fields read so far.
struct Reader {
    variant: Variant,
    turn: Color,
    /// [color] men and kings, once the side's field has been read.
    sides: [Option<(Bitboard, Bitboard)>; 2],
    no_progress: Option<u16>,
    full_move: Option<u16>,
    king_rests: Option<WrittenRests>,
}

/// [color] the king and its count, if any.
type KingRests = [Option<(Square, u8)>; 2];

/// King rest counters in the order in which they are written.
struct WrittenRests {
    field: String,
    /// Each with the king's square, if given.
    counters: [(u8, Option<Square>); 2],
}

impl Reader {
    fn new(variant: Variant, turn: &str) -> Result<Reader, FenError> {
        let turn = match turn {
            "W" | "w" => Color::White,
            "B" | "b" => Color::Black,
            _ => {
                return Err(FenError::Turn {
                    found: turn.to_owned(),
                });
            }
        };
        Ok(Reader {
            variant,
            turn,
            sides: [None; 2],
            no_progress: None,
            full_move: None,
            king_rests: None,
        })
    }

    fn read(&mut self, field: &str) -> Result<(), FenError> {
        let mut chars = field.chars();
        let repeated = match chars.next().map(|c| c.to_ascii_uppercase()) {
            Some('W') => self.read_side(Color::White, field, chars.as_str())?,
            Some('B') => self.read_side(Color::Black, field, chars.as_str())?,
            Some('H') => self.no_progress.replace(counter(field, 'H', 0)?).is_some(),
            Some('F') => self.full_move.replace(counter(field, 'F', 1)?).is_some(),
            Some('+') => {
                let rests = read_king_rests(self.variant, field, chars.as_str())?;
                self.king_rests.replace(rests).is_some()
            }
            _ => {
                return Err(FenError::UnknownField {
                    field: field.to_owned(),
                });
            }
        };
        if repeated {
            return Err(FenError::RepeatedField {
                field: field.to_owned(),
            });
        }
        Ok(())
    }

    fn read_side(&mut self, color: Color, field: &str, squares: &str) -> Result<bool, FenError> {
        let side = side(self.variant, field, squares)?;
        Ok(self.sides[color.index()].replace(side).is_some())
    }

    fn finish(self) -> Result<Setup, FenError> {
        let side = |color: Color| self.sides[color.index()].ok_or(FenError::MissingSide { color });
        let (white, black) = (side(Color::White)?, side(Color::Black)?);
        Ok(Setup {
            men: [black.0, white.0],
            kings: [black.1, white.1],
            turn: self.turn,
            no_progress: self.no_progress.unwrap_or(0),
            full_move: self.full_move.unwrap_or(1),
            king_rests: match self.king_rests {
                Some(rests) => rests.by_side([black.1, white.1])?,
                None => [None; 2],
            },
        })
    }
}

/// The men and kings of one side.
fn side(variant: Variant, field: &str, squares: &str) -> Result<(Bitboard, Bitboard), FenError> {
    let board = variant.board();
    let (mut men, mut kings) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for item in squares.split(',').filter(|item| !item.is_empty()) {
        let (is_king, numbers) = match item.strip_prefix(['K', 'k']) {
            Some(rest) => (true, rest),
            None => (false, item),
        };
        let not_a_square = || FenError::NotASquare {
            text: item.to_owned(),
            field: field.to_owned(),
        };
        let read = |text: &str| {
            let algebraic = || Some(board.number(read_algebraic(board, text)?));
            digits(text).or_else(algebraic).ok_or_else(not_a_square)
        };
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let last = last
            .strip_prefix(['K', 'k'])
            .filter(|_| is_king)
            .unwrap_or(last);
        let (first, last) = (read(first)?, read(last)?);
        if let Some(&number) = [first, last].iter().find(|&&n| board.square(n).is_none()) {
            return Err(FenError::OffBoard {
                number,
                last: board.n_squares(),
                variant,
            });
        }
        if first > last {
            return Err(FenError::BackwardRange { first, last });
        }
        let set = board.range(first, last);
        if let Some(square) = (set & (men | kings)).iter().next() {
            return Err(FenError::Overlap {
                square: board.number(square),
            });
        }
        if is_king { kings |= set } else { men |= set }
    }
    Ok((men, kings))
}

fn counter(field: &str, letter: char, least: u16) -> Result<u16, FenError> {
    digits(&field[1..])
        .and_then(|value| u16::try_from(value).ok())
        .filter(|value| *value >= least)
        .ok_or_else(|| FenError::Counter {
            field: field.to_owned(),
            letter,
            least,
        })
}

fn read_king_rests(
    variant: Variant,
    field: &str,
    counters: &str,
) -> Result<WrittenRests, FenError> {
    let malformed = || FenError::Rest {
        field: field.to_owned(),
    };
    let (first, second) = counters.split_once('+').ok_or_else(malformed)?;
    let limit = variant.rules().king_rest_limit;
    let read = |text: &str| {
        let count = text.get(..1).and_then(digits).ok_or_else(malformed)? as u8;
        if limit == 0 {
            return Ok((0, None));
        }
        let number = match text.len() {
            1 => return Ok((count, None)),
            3 => digits(&text[1..]).ok_or_else(malformed)?,
            _ => return Err(malformed()),
        };
        let (board, last) = (variant.board(), variant.board().n_squares());
        let square = board.square(number).ok_or(FenError::OffBoard {
            number,
            last,
            variant,
        });
        Ok((count, (count > 0).then_some(square).transpose()?))
    };
    Ok(WrittenRests {
        field: field.to_owned(),
        counters: [read(first)?, read(second)?],
    })
}

impl WrittenRests {
    /// [color] the counters. Black's is written first, but was second in earlier versions: the king
    /// on the counter's square determines the color.
    fn by_side(self, kings: [Bitboard; 2]) -> Result<KingRests, FenError> {
        let malformed = || FenError::Rest {
            field: self.field.clone(),
        };
        let owner = |(_, square): (u8, Option<Square>)| {
            let square = square?;
            Color::ALL
                .into_iter()
                .find(|color| kings[color.index()].contains(square))
        };
        let [first, second] = self.counters;
        let is_swapped = match [owner(first), owner(second)] {
            [Some(first), Some(second)] if first == second => return Err(malformed()),
            [Some(first), _] => first == Color::White,
            [None, Some(second)] => second == Color::Black,
            [None, None] => false,
        };
        let [black, white] = match is_swapped {
            true => [second, first],
            false => [first, second],
        };
        // A count without a square counts as none.
        let of = |(count, square): (u8, Option<Square>)| square.map(|square| (square, count));
        Ok([of(black), of(white)])
    }
}

impl Position {
    /// The FEN with squares in the variant's notation, as used in PDN.
    pub(crate) fn to_notated_fen(self) -> String {
        let mut fen = String::new();
        match self.write_fen(&mut fen, self.variant().rules().notation) {
            Ok(()) => fen,
            Err(fmt::Error) => self.to_fen(),
        }
    }

    fn write_fen(&self, f: &mut impl fmt::Write, notation: Notation) -> fmt::Result {
        let board = self.board();
        write!(f, "{}", self.turn().letter())?;
        for color in [Color::White, Color::Black] {
            write!(f, ":{}", color.letter())?;
            for (i, square) in self.pieces(color).iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let is_king = self.all_kings().contains(square);
                let king = if is_king { "K" } else { "" };
                write!(f, "{comma}{king}{}", notation.write(board, square))?;
            }
        }
        write!(f, ":H{}:F{}", self.no_progress(), self.full_move())?;
        if self.variant().rules().king_rest_limit > 0 {
            f.write_str(":")?;
            write_king_rest(f, board, self.king_rest(Color::Black))?;
            write_king_rest(f, board, self.king_rest(Color::White))?;
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    /// Formats the position as FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_fen(f, Notation::Numbers)
    }
}

fn write_king_rest(
    f: &mut impl fmt::Write,
    board: Board,
    rest: Option<(Square, u8)>,
) -> fmt::Result {
    match rest {
        Some((square, count)) => write!(f, "+{count}{:02}", board.number(square)),
        None => f.write_str("+0"),
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({} {self})", self.variant())
    }
}
