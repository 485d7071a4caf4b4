//! Move lists longer than in real games.

use rules::{Bitboard, Board, Move, MoveList, Position, Square, Variant};

use crate::support::reference;

/// A different move for each number.
fn made(number: usize) -> Move {
    let square = |number: usize| Board::Ten.square(1 + number % 50).unwrap();
    let captured = match number / 50 {
        0 => Bitboard::EMPTY,
        n => square(number + n).bit(),
    };
    Move {
        from: square(number),
        to: square(number + 7),
        captured,
    }
}

#[test]
fn a_list_may_be_longer_than_what_is_inside_it() {
    let mut list = MoveList::new();
    for length in [
        3 * MoveList::INLINE,
        5,
        MoveList::INLINE,
        MoveList::INLINE + 1,
    ] {
        list.clear();
        for number in 0..length {
            assert_eq!(list.len(), number);
            list.push(made(number));
        }
        let expected: Vec<Move> = (0..length).map(made).collect();
        assert_eq!(list[..], expected[..]);
    }
}

#[test]
fn moves_are_added_where_not_every_square_has_room() {
    let fen = "W:WK1,K2,K3,K4,K21,K22,K23,K24,K25,K47,K48,K49,K50:B45";
    let position = Position::from_fen(Variant::International, fen).unwrap();
    let moves = position.legal_moves();
    assert!(
        moves.len() + Square::COUNT > MoveList::INLINE,
        "{}",
        moves.len()
    );
    assert_eq!(moves.len(), reference::moves(&position).len());
}
