//! Building, verifying, probing and sampling.

use std::time::Instant;

use endgame::{Army, Database, EndgameError, GameValue, MAX_PIECES, Material, Slice};
use proptest::prelude::*;
use rules::{Color, Goal, Position, Setup, Variant};

use crate::support::{build, position};

/// Two pieces on the large boards, three on the small ones, so that it takes a second or two.
#[test]
fn every_value_is_proven() {
    for variant in Variant::ALL {
        let n_pieces = if variant.board().n_squares() > 32 {
            2
        } else {
            3
        };
        let database = build(variant, n_pieces);
        assert_eq!(database.verify().unwrap(), 2 * database.n_positions());
    }
}

/// Time, size and verification of the databases listed in BENCHMARKS.md.
#[test]
#[ignore = "takes minutes: run with --ignored --nocapture to see the table"]
fn every_value_of_four_pieces_is_proven() {
    for variant in Variant::ALL {
        let start = Instant::now();
        let database = build(variant, 4);
        let built = start.elapsed().as_secs_f64();
        let mut file = Vec::new();
        database.write(&mut file).unwrap();
        println!(
            "{variant}: {} positions, {built:.1} s to build, {} bytes on disk, longest win {} plies",
            database.n_positions(),
            file.len(),
            database.longest(),
        );
        let start = Instant::now();
        assert_eq!(database.verify().unwrap(), 2 * database.n_positions());
        println!(
            "{variant}: proven in {:.1} s",
            start.elapsed().as_secs_f64()
        );
    }
}

#[test]
fn threads_change_nothing() {
    let with_threads = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        pool.build()
            .unwrap()
            .install(|| build(Variant::Ringboard, 3))
    };
    assert!(with_threads(1) == with_threads(3));
}

#[test]
fn a_smaller_database_is_part_of_a_larger_one() {
    for variant in [Variant::Customary, Variant::Thai] {
        let (small, large) = (build(variant, 2), build(variant, 3));
        assert_eq!(small.slices(), &large.slices()[..small.slices().len()]);
    }
}

/// With two pieces, king rest (4.6) never applies and no win exceeds its limit (4.8). With three
/// pieces both happen.
#[test]
fn frisian_is_not_frisian_plain() {
    let both = [Variant::Frisian, Variant::FrisianPlain];
    let [real, plain] = both.map(|variant| build(variant, 2));
    let counts = |slice: &Slice| GameValue::ALL.map(|value| slice.count(value));
    let counted = |database: &Database| database.slices().iter().map(counts).collect::<Vec<_>>();
    assert_eq!(counted(&real), counted(&plain));
    let databases = both.map(|variant| build(variant, 3));
    let against_king = |men, kings| {
        let own = Army { men, kings };
        let enemy = Army { men: 0, kings: 1 };
        databases.each_ref().map(|database| {
            let mut slices = database.slices().iter();
            let slice = slices.find(|slice| slice.material() == Material { own, enemy });
            slice.unwrap()
        })
    };
    let [real, plain] = against_king(0, 2);
    assert_eq!(real.n_positions(), plain.n_positions());
    assert!(real.count(GameValue::Win) < plain.count(GameValue::Win));
    assert_eq!([real.longest(), plain.longest()], [14, 18]);
    let [real, plain] = against_king(1, 1);
    assert_eq!(real.n_positions(), 4 * plain.n_positions());
    assert!(real.count(GameValue::Win) < 3 * plain.count(GameValue::Win));
    // If the king on 1 must rest, the man has to move.
    let value = |fen| databases[0].probe(&position(Variant::Frisian, fen));
    assert_eq!(value("W:WK1,39:BK50"), Some(GameValue::Win));
    assert_eq!(value("W:WK1,39:BK50:H3:F9:+301+0"), Some(GameValue::Draw));
}

#[test]
fn what_is_not_there_has_no_value() {
    let database = build(Variant::Ringboard, 2);
    let probe = |fen| database.probe(&position(Variant::Ringboard, fen));
    assert_eq!(probe("W:W34,35:B7"), None, "three pieces");
    assert_eq!(probe("W:W8:B20"), None, "R24: a man on the inner far row");
    assert_eq!(probe("W:WK34:B"), None, "nothing to play against");
    assert_eq!(probe("B:WK34:B"), Some(GameValue::Loss));
    let other = position(Variant::English, "W:WK1:BK32");
    assert_eq!(database.probe(&other), None);
    for n_pieces in [0, 1, MAX_PIECES + 1] {
        let built = Database::build(Variant::English, n_pieces, |_| ());
        assert!(matches!(built, Err(EndgameError::PieceCount { .. })));
        assert!(Database::build_bytes(Variant::English, n_pieces).is_err());
    }
}

#[test]
fn every_slice_is_reported_and_counted() {
    let mut n_positions = 0;
    let database = Database::build(Variant::Thai, 3, |slice| {
        let counts = GameValue::ALL.map(|value| slice.count(value));
        assert_eq!(counts.iter().sum::<usize>(), slice.n_positions());
        n_positions += slice.n_positions();
    });
    let database = database.unwrap();
    assert_eq!(n_positions, database.n_positions());
    assert_eq!(
        Database::count_positions(Variant::Thai, 3).unwrap(),
        n_positions
    );
    let longest = database.slices().iter().map(|slice| slice.longest());
    assert_eq!(longest.max(), Some(database.longest()));
    assert!(database.longest() > 1);
}

/// Two bits per known position, twelve per position of the materials being solved.
#[test]
fn building_needs_so_many_bytes() {
    let bytes = [2, 3, 4].map(|n| Database::build_bytes(Variant::Thai, n).unwrap());
    assert_eq!(bytes, [3_286, 113_312, 2_393_574]);
}

#[test]
fn a_sample_is_fixed_balanced_and_true() {
    // Where the first king wins, nothing is drawn: no sample is balanced.
    let has_draws = |variant: &Variant| variant.rules().goal != Goal::FirstKing;
    for variant in Variant::GAMES.into_iter().filter(has_draws) {
        let database = build(variant, 3);
        let sample = database.sample(90, 7);
        assert_eq!(sample, database.sample(90, 7));
        assert_ne!(sample, database.sample(90, 8));
        assert_eq!(database.sample(91, 7).len(), 91);
        for solved in &sample {
            let worst = solved.moves.iter().map(|&(_, value)| value).min();
            assert_eq!(solved.can_blunder(), worst < Some(solved.value));
        }
        assert!(sample.iter().any(|solved| solved.can_blunder()));
        for value in GameValue::ALL {
            let n = sample.iter().filter(|solved| solved.value == value).count();
            assert_eq!(n, 30, "{variant} {value:?}");
        }
        for n_pieces in [2, 3] {
            let n = sample
                .iter()
                .filter(|solved| solved.position.occupied().count() == n_pieces)
                .count();
            assert_eq!(n, 45, "{variant}: {n_pieces} pieces");
        }
        for solved in &sample {
            assert_eq!(solved.position.outcome(), None);
            assert!(solved.moves.len() > 1);
            assert!(!solved.moves.iter().any(|(mv, _)| mv.is_capture()));
            assert_eq!(database.probe(&solved.position), Some(solved.value));
            let best = solved.moves.iter().map(|&(_, value)| value).max();
            assert_eq!(best, Some(solved.value));
            let moves = solved.position.legal_moves();
            assert!(moves.iter().eq(solved.moves.iter().map(|(mv, _)| mv)));
        }
        for color in Color::ALL {
            assert!(sample.iter().any(|solved| solved.position.turn() == color));
        }
    }
}

/// Up to three pieces anywhere, including illegal squares.
fn any_position(variant: Variant) -> impl Strategy<Value = Option<Position>> {
    let piece = (
        1..=variant.board().n_squares(),
        any::<bool>(),
        any::<bool>(),
    );
    (proptest::collection::vec(piece, 1..4), any::<bool>()).prop_map(move |(pieces, white)| {
        let mut setup = Setup::empty(if white { Color::White } else { Color::Black });
        for (number, is_king, is_white) in pieces {
            let sets = if is_king {
                &mut setup.kings
            } else {
                &mut setup.men
            };
            let set = &mut sets[usize::from(is_white)];
            *set |= variant.board().range(number, number);
        }
        Position::new(variant, &setup).ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn turning_the_board_changes_no_value(
        position in proptest::sample::select(&Variant::ALL[..]).prop_flat_map(any_position),
    ) {
        use std::sync::LazyLock;
        static ALL: LazyLock<Vec<Database>> =
            LazyLock::new(|| Variant::ALL.map(|variant| build(variant, 2)).into());
        if let Some(position) = position {
            let database = &ALL[position.variant().index()];
            let value = database.probe(&position);
            prop_assert_eq!(value, database.probe(&position.turned()));
            if let (Some(GameValue::Win | GameValue::Draw), None) = (value, position.outcome()) {
                let after = |mv: &rules::Move| database.probe(&position.play(*mv));
                let best = position.legal_moves().iter().filter_map(after).min();
                prop_assert_eq!(best.map(GameValue::before_the_move), value);
            }
        }
    }
}
