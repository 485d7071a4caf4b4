//! The protocol's notation of positions and moves.

use rules::{Bitboard, Color, Move, MoveTextError, Position, Setup, Variant};

use super::frame::Frame;

/// The error of an invalid position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionTextError {
    /// The number of letters is wrong.
    #[error(
        "position has {length} letters: the {variant} board needs {expected}, the side to move and \
         one for each square"
    )]
    Length {
        /// The number of letters found.
        length: usize,
        /// The number of letters needed.
        expected: usize,
        /// The variant.
        variant: Variant,
    },
    /// The first letter is not a side to move.
    #[error("position starts with `{found}`: it must start with the side to move, W or B")]
    Turn {
        /// The letter.
        found: char,
    },
    /// A letter is not a piece.
    #[error("letter {place} of the position is `{found}`: write w, b, W, B or e")]
    Piece {
        /// Its index, counting the first square as 1.
        place: usize,
        /// The letter.
        found: char,
    },
    /// The pieces are not a valid position.
    #[error(transparent)]
    Setup(#[from] rules::SetupError),
}

/// Formats a position: `W` or `B`, then `w`, `b`, `W`, `B` or `e` for each square. The format has
/// no counters.
pub fn position_text(position: &Position, frame: Frame) -> String {
    let position = frame.view(position);
    let board = position.board();
    let letter = |number| position.letter(board.square(number)?);
    let squares = (1..=board.n_squares()).map(|number| letter(number).unwrap_or('e'));
    std::iter::once(position.turn().letter())
        .chain(squares)
        .collect()
}

/// Parses a position as the start of a game, with counters at zero.
pub fn read_position(
    variant: Variant,
    text: &str,
    frame: Frame,
) -> Result<Position, PositionTextError> {
    let board = variant.board();
    let (length, expected) = (text.chars().count(), board.n_squares() + 1);
    if length != expected {
        return Err(PositionTextError::Length {
            length,
            expected,
            variant,
        });
    }
    let mut letters = text.chars();
    let turn = match letters.next() {
        Some('W' | 'w') => Color::White,
        Some('B' | 'b') => Color::Black,
        found => {
            let found = found.unwrap_or_default();
            return Err(PositionTextError::Turn { found });
        }
    };
    let mut setup = Setup::empty(turn);
    for (place, found) in (1..).zip(letters) {
        let color = match found.to_ascii_lowercase() {
            'w' => Color::White,
            'b' => Color::Black,
            'e' => continue,
            _ => return Err(PositionTextError::Piece { place, found }),
        };
        let is_king = found.is_ascii_uppercase();
        let set = if is_king {
            &mut setup.kings
        } else {
            &mut setup.men
        };
        set[color.index()] |= board.range(place, place);
    }
    Ok(frame.view(&Position::new(variant, &setup)?))
}

/// Formats a legal move: `from-to`, or `fromxto` followed by `x` and every captured square.
pub fn write_move(position: &Position, mv: Move, frame: Frame) -> String {
    let board = position.board();
    let separator = if mv.is_capture() { "x" } else { "-" };
    let squares = [mv.from, mv.to].into_iter().chain(mv.captured);
    let numbers: Vec<String> = squares
        .map(|square| board.number(square).to_string())
        .collect();
    frame.renumber(position.variant(), &numbers.join(separator))
}

/// Formats a line of moves.
pub(super) fn write_moves(start: &Position, moves: &[Move], frame: Frame) -> Vec<String> {
    let mut position = *start;
    let write = |&mv: &Move| {
        let text = write_move(&position, mv, frame);
        position = position.play(mv);
        text
    };
    moves.iter().map(write).collect()
}

/// Parses a move. Captured squares may be in any order, and may be omitted if the move is
/// unambiguous; visited squares, which other programs write instead, are accepted too.
pub fn read_move(position: &Position, text: &str, frame: Frame) -> Result<Move, MoveTextError> {
    let legal = position.legal_moves();
    let text = frame.renumber(position.variant(), text);
    match exact_move(position, &legal, &text) {
        Some(mv) => Ok(mv),
        None => position.parse_move(&text),
    }
}

fn exact_move(position: &Position, legal: &[Move], text: &str) -> Option<Move> {
    let board = position.board();
    let mut squares = text
        .trim()
        .split(['-', 'x'])
        .map(|number| board.square(number.parse().ok()?));
    let (from, to) = (squares.next()??, squares.next()??);
    let captured = squares.try_fold(Bitboard::EMPTY, |set, square| Some(set | square?.bit()))?;
    let is_meant = |mv: &&Move| **mv == Move { from, to, captured };
    legal.iter().find(is_meant).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_start_positions() {
        // As written by Scan 3.1 and pydraughts.
        let frisian = format!("W{}{}{}", "b".repeat(20), "e".repeat(10), "w".repeat(20));
        let english = format!("W{}{}{}", "b".repeat(12), "e".repeat(8), "w".repeat(12));
        for frame in Frame::ALL {
            let text = position_text(&Position::start(Variant::Frisian), frame);
            assert_eq!(text, frisian);
        }
        let start = Position::start(Variant::English);
        assert_eq!(position_text(&start, Frame::Pydraughts), english);
        let native = english.replacen('W', "B", 1);
        assert_eq!(position_text(&start, Frame::Native), native);
        assert_eq!(
            read_position(Variant::English, &native, Frame::Native),
            Ok(start)
        );
    }

    /// `Board("english", "W:WK5,21:B9,10")` of pydraughts 0.6.7.
    #[test]
    fn pydraughts_turns_english_positions() {
        let position = Position::from_fen(Variant::English, "W:WK5,21:B9,10").unwrap();
        let text = "BeeeeeeeeeeebeeeeeeeeeewweeeBeeee";
        assert_eq!(position_text(&position, Frame::Pydraughts), text);
        assert_eq!(
            read_position(Variant::English, text, Frame::Pydraughts),
            Ok(position)
        );
    }

    #[test]
    fn wrong_positions_are_explained() {
        let read = |text: &str| {
            read_position(Variant::English, text, Frame::Native)
                .unwrap_err()
                .to_string()
        };
        assert!(read("Wwb").contains("needs 33"));
        assert!(read(&format!("X{}", "e".repeat(32))).contains("W or B"));
        assert!(read(&format!("W{}x", "e".repeat(31))).contains("letter 32"));
        assert!(read(&format!("Ww{}", "e".repeat(31))).contains("K1"));
        assert!(read(&"é".repeat(33)).contains("W or B"));
    }

    #[test]
    fn moves_are_read_leniently() {
        let position = Position::from_fen(Variant::English, "W:W22:B9,10,17,18").unwrap();
        let moves = position.legal_moves();
        for (mv, text) in moves.iter().zip(["22x6x9x17", "22x6x10x18"]) {
            assert_eq!(write_move(&position, *mv, Frame::Native), text);
            assert_eq!(read_move(&position, text, Frame::Native), Ok(*mv));
        }
        assert_eq!(
            read_move(&position, "22x6x17x9", Frame::Native),
            Ok(moves[0])
        );
        assert_eq!(read_move(&position, "22x13x6", Frame::Native), Ok(moves[0]));
        assert!(matches!(
            read_move(&position, "22x6", Frame::Native),
            Err(MoveTextError::Ambiguous { .. })
        ));
        let single = Position::from_fen(Variant::English, "W:W22:B18").unwrap();
        let only = single.legal_moves()[0];
        for text in ["22x15x18", "22x15", "22-15", " 22x15 "] {
            assert_eq!(read_move(&single, text, Frame::Native), Ok(only));
        }
        for text in [
            "",
            "22",
            "22x15x17",
            "22-17",
            "x",
            "022x99",
            "99999999999999999999x1",
        ] {
            assert!(read_move(&single, text, Frame::Native).is_err(), "{text}");
        }
    }

    /// The first moves of pydraughts' `Board("russian")`, and a capture.
    #[test]
    fn pydraughts_counts_the_squares_of_algebraic_moves_from_a1() {
        let start = Position::start(Variant::Russian);
        let written = |text: &str, frame| {
            let mv = start.parse_move(text).unwrap();
            write_move(&start, mv, frame)
        };
        for (text, native, pydraughts) in [
            ("a3-b4", "21-17", "9-13"),
            ("c3-b4", "22-17", "10-13"),
            ("g3-h4", "24-20", "12-16"),
        ] {
            assert_eq!(written(text, Frame::Native), native);
            assert_eq!(written(text, Frame::Pydraughts), pydraughts);
            for (frame, text) in [
                (Frame::Native, native),
                (Frame::Pydraughts, pydraughts),
                (Frame::Pydraughts, text),
            ] {
                let mv = read_move(&start, text, frame).unwrap();
                assert_eq!(write_move(&start, mv, Frame::Native), native);
            }
        }
        let capture = Position::from_fen(Variant::Russian, "W:Wc3:Bd4").unwrap();
        let mv = capture.legal_moves()[0];
        assert_eq!(write_move(&capture, mv, Frame::Pydraughts), "10x19x14");
        assert_eq!(read_move(&capture, "10x19", Frame::Pydraughts), Ok(mv));
        assert!(read_move(&start, "9-99", Frame::Pydraughts).is_err());
    }
}
