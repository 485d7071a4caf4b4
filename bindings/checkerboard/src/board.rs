//! CheckerBoard's boards and squares.

use std::ffi::c_int;

use rules::{Board, Color, Position, Setup, Square, Variant};

/// Pieces by file and rank, see [`Coordinates`].
pub type Cells = [[c_int; 8]; 8];

const WHITE: c_int = 1;
const BLACK: c_int = 2;
const MAN: c_int = 4;
const KING: c_int = 8;

/// A square: file from the left and rank from the bottom, where Black's men start. Boards with the
/// dark corner on the right are mirrored, so that all games have the same squares.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    /// The file, from 0.
    pub x: c_int,
    /// The rank, from 0.
    pub y: c_int,
}

impl Coordinates {
    /// The coordinates of a square.
    pub fn of(square: Square) -> Coordinates {
        let n = Board::Eight.token(square);
        let rank = n / 4;
        let file = 2 * (3 - n % 4) + rank % 2;
        Coordinates {
            x: file as c_int,
            y: rank as c_int,
        }
    }

    /// The piece on the square.
    pub fn cell(self, cells: &mut Cells) -> &mut c_int {
        &mut cells[self.x as usize][self.y as usize]
    }
}

/// A side by CheckerBoard's number.
pub(crate) fn color(number: c_int) -> Option<Color> {
    match number {
        WHITE => Some(Color::White),
        BLACK => Some(Color::Black),
        _ => None,
    }
}

/// A piece by CheckerBoard's number.
pub(crate) fn piece(color: Color, is_king: bool) -> c_int {
    let side = match color {
        Color::White => WHITE,
        Color::Black => BLACK,
    };
    side | if is_king { KING } else { MAN }
}

/// The position on a board.
///
/// # Errors
///
/// Returns a message if a number is no piece, or the pieces make no position.
pub(crate) fn read(variant: Variant, cells: &Cells, turn: c_int) -> Result<Position, String> {
    let turn = color(turn).ok_or_else(|| format!("{turn} is no side: 1 is white, 2 black"))?;
    let mut setup = Setup::empty(turn);
    for number in 1..=Board::Eight.n_squares() {
        let Some(square) = Board::Eight.square(number) else {
            continue;
        };
        let Coordinates { x, y } = Coordinates::of(square);
        let found = cells[x as usize][y as usize];
        if found == 0 {
            continue;
        }
        let side = color(found & (WHITE | BLACK));
        let kind = found & !(WHITE | BLACK);
        let (Some(side), MAN | KING) = (side, kind) else {
            return Err(format!("square {number} has {found}, which is no piece"));
        };
        let pieces = match kind {
            KING => &mut setup.kings,
            _ => &mut setup.men,
        };
        pieces[side.index()].0 |= square.bit().0;
    }
    Position::new(variant, &setup).map_err(|error| error.to_string())
}

/// The board of a position.
pub(crate) fn write(position: &Position) -> Cells {
    let mut cells = Cells::default();
    for color in [Color::Black, Color::White] {
        for (squares, is_king) in [(position.men(color), false), (position.kings(color), true)] {
            for square in squares.iter() {
                *Coordinates::of(square).cell(&mut cells) = piece(color, is_king);
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_the_coordinates_of_checkerboard() {
        let of = |number| {
            let Coordinates { x, y } = Coordinates::of(Board::Eight.square(number).unwrap());
            (x, y)
        };
        assert_eq!(
            (of(1), of(4), of(5), of(8)),
            ((6, 0), (0, 0), (7, 1), (1, 1))
        );
        assert_eq!((of(29), of(32)), ((7, 7), (1, 7)));
    }

    #[test]
    fn games_with_other_numbers_have_coordinates_of_their_own() {
        let of = |board: Board, number| {
            let Coordinates { x, y } = Coordinates::of(board.square(number).unwrap());
            (x, y)
        };
        for n in 0..32 {
            let (row, k) = (n / 4, n % 4);
            let odd = row % 2;
            let italian = of(Board::EightRight, n as usize + 1);
            assert_eq!(italian, (2 * k + odd, row));
            let spanish = of(Board::EightRightUp, n as usize + 1);
            assert_eq!(spanish, (2 * (3 - k) + (7 - row) % 2, 7 - row));
        }
    }

    #[test]
    fn boards_are_read_as_they_are_written() {
        for variant in [
            Variant::English,
            Variant::Russian,
            Variant::Brazilian,
            Variant::Italian,
            Variant::Spanish,
            Variant::Czech,
        ] {
            let start = Position::start(variant);
            let turn = if start.turn() == Color::White {
                WHITE
            } else {
                BLACK
            };
            let cells = write(&start);
            assert_eq!(cells[6][0], piece(Color::Black, false));
            assert_eq!(
                read(variant, &cells, turn).unwrap().to_fen(),
                start.to_fen()
            );
        }
        let mut cells = write(&Position::start(Variant::English));
        cells[6][0] = 3;
        assert!(
            read(Variant::English, &cells, BLACK)
                .unwrap_err()
                .contains("square 1")
        );
        assert!(read(Variant::English, &Cells::default(), 0).is_err());
    }
}
