//! Sets of squares and of directions.

use rules::{Bitboard, Board, Color, Directions, Square, Variant};

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

#[test]
fn directions_are_joined_and_compared() {
    let (forward, diagonal) = (Directions::FORWARD, Directions::DIAGONAL);
    assert_eq!(forward.and(diagonal), diagonal);
    assert_eq!(diagonal.and(Directions::STRAIGHT), Directions::ALL);
    assert!(diagonal.contains(forward) && !forward.contains(diagonal));
    assert!(diagonal.intersects(forward) && forward.intersects(diagonal));
    assert!(!diagonal.intersects(Directions::STRAIGHT));
    assert!(Variant::Frisian.rules().jumps_straight());
    assert!(!Variant::International.rules().jumps_straight());
}

#[test]
fn black_goes_the_other_way() {
    let shifts = |directions: Directions, color| {
        let mut shifts: Vec<i8> = directions.shifts(color).collect();
        shifts.sort_unstable();
        shifts
    };
    assert_eq!(shifts(Directions::FORWARD, Color::White), [-7, -6]);
    assert_eq!(shifts(Directions::FORWARD, Color::Black), [6, 7]);
    for color in Color::ALL {
        assert_eq!(shifts(Directions::STRAIGHT, color), [-13, -1, 1, 13]);
    }
}
