//! Sets of squares.

use rules::{Bitboard, Board, Square};

fn set(numbers: &[usize]) -> Bitboard {
    let square = |&number: &usize| Board::Eight.square(number).unwrap();
    numbers.iter().map(square).collect()
}

#[test]
fn a_square_in_both_sets_is_in_their_union() {
    let mut union = set(&[1, 2]);
    assert_eq!(union | set(&[2, 32]), set(&[1, 2, 32]));
    union |= set(&[2, 32]);
    assert_eq!(union, set(&[1, 2, 32]));
    assert_eq!(set(&[7, 7]).count(), 1);
}

#[test]
fn what_is_common_and_what_is_not_in_a_set() {
    let (mut few, many) = (set(&[5, 6]), set(&[6, 7]));
    assert_eq!(few & many, set(&[6]));
    assert!(few.intersects(many) && !few.intersects(set(&[7])));
    let others: Vec<Square> = (!few & Board::Eight.mask()).iter().collect();
    assert_eq!(others.len(), 30);
    assert!(others.iter().all(|&square| !few.contains(square)));
    few &= many;
    assert_eq!(few, set(&[6]));
}
