//! Moves as CheckerBoard describes them.

use std::ffi::c_int;

use rules::{Bitboard, Move, Position, Square};

use crate::board::{Coordinates, piece};

/// Entries of the lists in a [`CheckerBoardMove`].
const LIST: usize = 12;

/// A move, as CheckerBoard animates it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckerBoardMove {
    /// Captured pieces.
    pub jumps: c_int,
    /// The moving piece after the move.
    pub new_piece: c_int,
    /// The moving piece before the move.
    pub old_piece: c_int,
    /// The start.
    pub from: Coordinates,
    /// The end.
    pub to: Coordinates,
    /// The start and the landing squares.
    pub path: [Coordinates; LIST],
    /// The squares of the captured pieces, in the order of the capture.
    pub captured: [Coordinates; LIST],
    /// The captured pieces.
    pub captured_pieces: [c_int; LIST],
}

/// One jump: the landing square, the captured square and the captured piece.
struct Jump {
    landing: Square,
    captured: Square,
    piece: c_int,
}

/// The jumps of one way to make a move.
fn jumps(position: &Position, mv: Move, path: &[Square]) -> Vec<Jump> {
    let mut left = mv.captured;
    let mut found = Vec::new();
    for step in path.windows(2) {
        let captured = left
            .iter()
            .find(|&square| is_between(square, step[0], step[1]));
        let Some(captured) = captured else { continue };
        left = Bitboard(left.0 & !captured.bit().0);
        let is_king = position.all_kings().0 & captured.bit().0 != 0;
        found.push(Jump {
            landing: step[1],
            captured,
            piece: piece(!position.turn(), is_king),
        });
    }
    found
}

/// Returns `true` for a square between two others on a diagonal.
fn is_between(square: Square, one: Square, other: Square) -> bool {
    let [s, a, b] = [square, one, other].map(Coordinates::of);
    let inside = |s: c_int, a: c_int, b: c_int| a.min(b) < s && s < a.max(b);
    inside(s.x, a.x, b.x)
        && inside(s.y, a.y, b.y)
        && (s.x - a.x).abs() == (s.y - a.y).abs()
        && (s.x - a.x).signum() == (b.x - a.x).signum()
        && (s.y - a.y).signum() == (b.y - a.y).signum()
}

/// The moving piece before and after a move.
fn moving(position: &Position, mv: Move) -> (c_int, c_int) {
    let color = position.turn();
    let is_king =
        |position: &Position, square: Square| position.all_kings().0 & square.bit().0 != 0;
    let after = position.play(mv);
    (
        piece(color, is_king(position, mv.from)),
        piece(color, is_king(&after, mv.to)),
    )
}

impl CheckerBoardMove {
    /// Describes a legal move, by its smallest path.
    pub(crate) fn new(position: &Position, mv: Move) -> CheckerBoardMove {
        let path = position.path(mv);
        let jumps = jumps(position, mv, &path);
        let (old_piece, new_piece) = moving(position, mv);
        let mut described = CheckerBoardMove {
            jumps: jumps.len() as c_int,
            new_piece,
            old_piece,
            from: Coordinates::of(mv.from),
            to: Coordinates::of(mv.to),
            ..CheckerBoardMove::default()
        };
        for (place, &square) in described.path.iter_mut().zip(&path) {
            *place = Coordinates::of(square);
        }
        for (i, jump) in jumps.iter().enumerate().take(LIST) {
            described.captured[i] = Coordinates::of(jump.captured);
            described.captured_pieces[i] = jump.piece;
        }
        described
    }
}

/// The legal moves of a position, as `get movelist` returns them: every way to make a capture is a
/// move.
pub(crate) fn list(position: &Position, legal: &[Move]) -> String {
    let number = |square| position.board().number(square);
    let mut moves = String::new();
    let mut n_moves = 0;
    for &mv in legal {
        for path in position.paths(mv, 64) {
            let jumps = jumps(position, mv, &path);
            let (old, new) = moving(position, mv);
            let (from, to) = (number(mv.from), number(mv.to));
            moves += &format!("{},{old},{new},{from},{to}", jumps.len());
            for jump in &jumps {
                let (landing, captured) = (number(jump.landing), number(jump.captured));
                moves += &format!(",{landing},{captured},{}", jump.piece);
            }
            moves.push(';');
            n_moves += 1;
        }
    }
    match n_moves {
        0 => "movelist 0".to_owned(),
        _ => format!("movelist {n_moves},{moves}"),
    }
}

#[cfg(test)]
mod tests {
    use rules::{Board, Game, Variant};

    use super::*;

    fn described(variant: Variant, fen: &str, text: &str) -> CheckerBoardMove {
        let position = Position::from_fen(variant, fen).unwrap();
        CheckerBoardMove::new(&position, position.parse_move(text).unwrap())
    }

    #[test]
    fn the_structure_is_that_of_c() {
        assert_eq!(size_of::<CheckerBoardMove>(), 4 * (3 + 4 + 24 + 24 + 12));
    }

    #[test]
    fn captures_are_described_jump_by_jump() {
        let mv = described(Variant::English, "B:W18,26,K27:B14", "14x23x30");
        assert_eq!((mv.jumps, mv.old_piece, mv.new_piece), (2, 6, 10));
        let at = |number| Coordinates::of(Board::Eight.square(number).unwrap());
        assert_eq!((mv.from, mv.to), (at(14), at(30)));
        assert_eq!(mv.path[..3], [at(14), at(23), at(30)]);
        assert_eq!(mv.captured[..2], [at(18), at(26)]);
        assert_eq!(mv.captured_pieces[..3], [5, 5, 0]);
    }

    #[test]
    fn a_list_has_every_move_with_its_jumps() {
        let position = Position::from_fen(Variant::Russian, "W:WKa1:Bd4,f6").unwrap();
        let text = list(&position, &Game::new(position).legal_moves());
        assert!(text.starts_with("movelist "), "{text}");
        let (count, rest) = text["movelist ".len()..].split_once(',').unwrap();
        assert_eq!(rest.matches(';').count().to_string(), count);
        for mv in rest.split_terminator(';') {
            let fields: Vec<usize> = mv.split(',').map(|field| field.parse().unwrap()).collect();
            assert_eq!(fields.len(), 5 + 3 * fields[0], "{mv}");
            assert_eq!(fields[0], 2, "{mv}");
        }
        // Italian has its square 1 on the left, Spanish on the right of White's side.
        for (variant, fen, expected) in [
            (Variant::Italian, "W:W21:B1", "2,0,5,5,21,17;0,5,5,21,18;"),
            (Variant::Spanish, "W:W9:B32", "1,0,5,5,9,13;"),
        ] {
            let position = Position::from_fen(variant, fen).unwrap();
            let text = list(&position, &Game::new(position).legal_moves());
            assert_eq!(text, format!("movelist {expected}"));
        }
        let lost = Position::from_fen(Variant::Russian, "W:W:BKd4");
        if let Ok(lost) = lost {
            assert_eq!(list(&lost, &[]), "movelist 0");
        }
    }
}
