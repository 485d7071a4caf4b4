//! The list of variants and their shared geometry.

use rules::{Bitboard, Board, Color, Position, Square, Variant};

#[test]
fn names_read_back() {
    for (i, variant) in Variant::ALL.into_iter().enumerate() {
        assert_eq!(variant.index(), i);
        assert_eq!(variant.name().parse(), Ok(variant));
        assert_eq!(variant.to_string(), variant.name());
        assert!(variant.rules_version() > 0);
    }
    assert_eq!(
        "frisan".parse::<Variant>().unwrap_err().to_string(),
        format!(
            "unknown variant `frisan` (did you mean `frisian`?): write one of {}",
            Variant::ALL.map(Variant::name).join(", ")
        )
    );
}

#[test]
fn the_first_five_are_the_games_of_the_specification() {
    let first = ["english", "customary", "frisian", "thai", "ringboard"];
    assert_eq!(Variant::ALL.map(Variant::name)[..5], first);
    assert_eq!(Variant::GAMES.map(Variant::name)[..5], first);
    assert!(Variant::GAMES.is_sorted());
}

#[test]
fn hub_engines_may_call_a_variant_by_another_name() {
    for variant in Variant::ALL {
        assert_eq!(Variant::by_hub_name(variant.name()), Some(variant));
    }
    assert_eq!(Variant::by_hub_name("normal"), Some(Variant::International));
    assert_eq!(Variant::by_hub_name("losing"), Some(Variant::Antidraughts));
    assert_eq!(Variant::by_hub_name("bt"), Some(Variant::Breakthrough));
    assert_eq!(Variant::by_hub_name("killer"), None);
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

/// The legal moves as text, in canonical order.
fn moves(variant: Variant, fen: &str) -> String {
    let position = Position::from_fen(variant, fen).unwrap();
    let mut moves = position.legal_moves();
    moves.sort_canonical();
    let texts: Vec<String> = moves.iter().map(|mv| position.move_text(*mv)).collect();
    texts.join(" ")
}

/// The alternative rulesets, in positions that show the difference.
#[test]
fn rulesets_differ_where_they_say() {
    let c1 = "W:W27,28:B14,23,24";
    assert_eq!(moves(Variant::Customary, c1), "27x9 27x18 27x20 28x19");
    assert_eq!(moves(Variant::CustomaryFinish, c1), "27x9 27x20 28x19");

    let f13 = "W:W36,K46:BK5,15:+346+0";
    assert_eq!(moves(Variant::Frisian, f13), "36-31");
    let with_king = "36-31 46-10 46-14 46-19 46-23 46-28 46-32 46-37 46-41";
    assert_eq!(moves(Variant::FrisianPlain, f13), with_king);

    // T4: the victim on 18 blocks the way back to the one on 25, and vice versa.
    let t4 = "W:WK22:B18,25";
    let victims = |variant| -> Vec<u32> {
        let position = Position::from_fen(variant, t4).unwrap();
        position
            .legal_moves()
            .iter()
            .map(|mv| mv.captured.count())
            .collect()
    };
    assert_eq!(victims(Variant::Thai), [2, 2]);
    assert_eq!(victims(Variant::ThaiLiftAfter), [1, 1]);
}

#[test]
fn draw_rules_in_words() {
    let words = |variant: Variant| {
        let rules = variant.rules().draws.rules.iter();
        rules.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        words(Variant::English),
        [
            "The same position 3 times, with the same side to move",
            "40 moves of each side without a capture or a man move"
        ]
    );
    assert_eq!(
        words(Variant::Frisian)[..2],
        [
            "2 kings against 1 king: 7 moves of each side without a capture or a man move",
            "1 king each: 2 moves of each side without a capture or a man move"
        ]
    );
    assert_eq!(
        words(Variant::Thai)[0],
        "1 king each and nothing to capture: at once"
    );
    assert_eq!(
        words(Variant::International)[..2],
        [
            "1 king against 1 or 2 pieces, a king among them: 5 moves of each side without a capture \
             or a man move",
            "1 king against 3 pieces, a king among them: 16 moves of each side without a capture or a \
             man move"
        ]
    );
    assert_eq!(
        words(Variant::Russian)[..5],
        [
            "1 king against 1 or 2 pieces, a king among them: 5 moves of each side, whatever is moved",
            "3 pieces, a king among them, against a king that is alone on the main road: 5 moves of \
             each side while it is there",
            "1 king against 3 to 12 kings: 15 moves of each side without a capture or a promotion",
            "4 or 5 pieces, with kings on both sides: 30 moves of each side without a capture or a \
             promotion",
            "6 or 7 pieces, with kings on both sides: 60 moves of each side without a capture or a \
             promotion",
        ]
    );
}
