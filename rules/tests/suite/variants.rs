//! The list of variants and the geometry they share.

use rules::{Bitboard, Board, Color, Square, Variant};

#[test]
fn names_read_back() {
    for (i, variant) in Variant::ALL.into_iter().enumerate() {
        assert_eq!(variant.index(), i);
        assert_eq!(variant.name().parse(), Ok(variant));
        assert_eq!(variant.to_string(), variant.name());
    }
    assert_eq!(
        "frisan".parse::<Variant>().unwrap_err().to_string(),
        "unknown variant `frisan`: did you mean `frisian`? (one of english, customary, frisian, \
         thai, ringboard, customary-finish, frisian-plain, thai-lift-after)"
    );
}

#[test]
fn squares_are_numbered_row_by_row() {
    for board in [Board::Eight, Board::Ten] {
        assert_eq!(board.mask().count() as usize, board.n_squares());
        let by_bit: Vec<Square> = board.mask().iter().collect();
        for (token, square) in by_bit.into_iter().enumerate() {
            assert_eq!(board.square(token + 1), Some(square));
            assert_eq!(board.number(square), token + 1);
            assert_eq!(board.token(square), token);
            assert_eq!(board.token_square(token), square);
            assert_eq!(board.number(square.turned()), board.n_squares() - token);
        }
        assert_eq!(board.square(0), None);
        assert_eq!(board.square(board.n_squares() + 1), None);
        assert_eq!(board.last_row(Color::White), board.range(1, board.width()));
    }
}

#[test]
fn the_small_board_is_the_inside_of_the_large_one() {
    assert_eq!(Board::Eight.mask() & Board::Ten.mask(), Board::Eight.mask());
    let inner = (1..=50).filter(|n| ![1, 2, 3, 4, 5, 6, 15, 16, 25, 26, 35, 36, 45].contains(n));
    let inner: Bitboard = inner
        .filter(|n| *n < 46)
        .filter_map(|n| Board::Ten.square(n))
        .collect();
    assert_eq!(Board::Eight.mask(), inner);
}

#[test]
fn sets_of_squares() {
    let set = Board::Eight.range(5, 8);
    assert_eq!((set.count(), set.iter().len()), (4, 4));
    assert_eq!(set.iter().collect::<Bitboard>(), set);
    assert_eq!(set.turned().turned(), set);
    assert_eq!(set.turned(), Board::Eight.range(25, 28));
    assert!(set.intersects(Board::Eight.mask()) && !set.intersects(Board::Eight.range(9, 32)));
    assert_eq!(Square::new(63), None);
    assert_eq!(Square::new(62).map(Square::index), Some(62));
}
