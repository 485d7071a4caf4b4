//! Positions as text: `turn:W<squares>:B<squares>:H<n>:F<n>`, and `:+<black>+<white>` where the
//! rules count king moves, as lidraughts writes them.

use std::fmt;

use crate::notation::{digits, read_algebraic};
use crate::{Bitboard, Color, Notation, Position, Setup, SetupError, Square, Variant};

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
    let mut setup = Setup::empty(side_to_move(fields.next().unwrap_or_default())?);
    let mut counters = None;
    // The first letters of the fields so far.
    let mut letters = String::new();
    for field in fields {
        let first = field.chars().next().unwrap_or_default();
        let letter = first.to_ascii_uppercase();
        match letter {
            'W' => setup.place(Color::White, side(variant, field)?),
            'B' => setup.place(Color::Black, side(variant, field)?),
            'H' => setup.no_progress = counter(field, 'H', 0)?,
            'F' => setup.full_move = counter(field, 'F', 1)?,
            '+' => counters = Some((field, read_king_rests(variant, field)?)),
            _ => {
                return Err(FenError::UnknownField {
                    field: field.to_owned(),
                });
            }
        }
        if letters.contains(letter) {
            return Err(FenError::RepeatedField {
                field: field.to_owned(),
            });
        }
        letters.push(letter);
    }
    for color in [Color::White, Color::Black] {
        if !letters.contains(color.letter()) {
            return Err(FenError::MissingSide { color });
        }
    }
    if let Some((field, counters)) = counters {
        let rests = king_rests(counters, setup.kings);
        setup.king_rests = rests.ok_or_else(|| FenError::Rest {
            field: field.to_owned(),
        })?;
    }
    Ok(setup)
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

fn side_to_move(field: &str) -> Result<Color, FenError> {
    match field {
        "W" | "w" => Ok(Color::White),
        "B" | "b" => Ok(Color::Black),
        _ => Err(FenError::Turn {
            found: field.to_owned(),
        }),
    }
}

/// The men and kings of one side.
fn side(variant: Variant, field: &str) -> Result<[Bitboard; 2], FenError> {
    let board = variant.board();
    let (mut men, mut kings) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for item in field[1..].split(',').filter(|item| !item.is_empty()) {
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
    Ok([men, kings])
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

/// King rest counters in the order in which they are written, each with the king's square, if any.
type Counters = [(u8, Option<Square>); 2];

fn read_king_rests(variant: Variant, field: &str) -> Result<Counters, FenError> {
    let malformed = || FenError::Rest {
        field: field.to_owned(),
    };
    let (first, second) = field[1..].split_once('+').ok_or_else(malformed)?;
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
    Ok([read(first)?, read(second)?])
}

/// [color] the counters; `None` if both belong to one side. Black's is written first, but was
/// second in earlier versions: the king on the counter's square determines the color.
fn king_rests(
    [first, second]: Counters,
    kings: [Bitboard; 2],
) -> Option<[Option<(Square, u8)>; 2]> {
    let owner = |(_, square): (u8, Option<Square>)| {
        let square = square?;
        Color::ALL
            .into_iter()
            .find(|color| kings[color.index()].contains(square))
    };
    let is_swapped = match [owner(first), owner(second)] {
        [Some(first), Some(second)] if first == second => return None,
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
    Some([of(black), of(white)])
}

impl Position {
    /// The FEN with squares in a notation: PDN has the variant's.
    pub(crate) fn fen_in(&self, notation: Notation) -> impl fmt::Display {
        fmt::from_fn(move |f| {
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
            if self.variant().rules().king_rest_limit == 0 {
                return Ok(());
            }
            f.write_str(":")?;
            Color::ALL
                .into_iter()
                .try_for_each(|color| match self.king_rest(color) {
                    Some((square, count)) => write!(f, "+{count}{:02}", board.number(square)),
                    None => f.write_str("+0"),
                })
        })
    }
}

impl fmt::Display for Position {
    /// Formats the position as FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fen_in(Notation::Numbers).fmt(f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({} {self})", self.variant())
    }
}
