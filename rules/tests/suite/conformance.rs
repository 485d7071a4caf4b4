//! Invariants of every variant, checked in every position of random games and in scattered ones.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::support::{random_game, reference, scattered};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Bitboard, Color, Game, Move, MoveList, Outcome, Position, Restart, Setup, Variant};

/// Debug builds play fewer games.
const N_GAMES: u64 = if cfg!(debug_assertions) { 5 } else { 50 };
const N_SCATTERED: u64 = if cfg!(debug_assertions) { 300 } else { 5000 };

/// Runs a check on many positions of every variant.
fn for_all_positions(check: impl Fn(&Position)) {
    for variant in Variant::ALL {
        for seed in 0..N_GAMES {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let start = Position::start(variant);
            random_game(start, 400, &mut rng, |game| check(game.position()));
        }
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for _ in 0..N_SCATTERED {
            check(&scattered(variant, &mut rng));
        }
    }
}

fn canonical(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut list = MoveList::new();
    moves.into_iter().for_each(|mv| list.push(mv));
    list.sort_canonical();
    list.to_vec()
}

#[test]
fn moves_and_paths_are_those_of_the_reference() {
    for_all_positions(|position| {
        let board = position.board();
        let numbers = |squares: Vec<rules::Square>| -> Vec<usize> {
            squares
                .into_iter()
                .map(|square| board.token(square) + 1)
                .collect()
        };
        let expected = reference::moves(position);
        let moves = canonical(position.legal_moves().iter().copied());
        assert_eq!(moves.len(), expected.len(), "{position:?}");
        for (mv, (identity, path)) in moves.iter().zip(&expected) {
            let victims = numbers(mv.captured.iter().collect());
            let found = (board.token(mv.from) + 1, board.token(mv.to) + 1, victims);
            assert_eq!(&found, identity, "{position:?}");
            assert_eq!(&numbers(position.path(*mv)), path, "{position:?} {mv:?}");
        }
    });
}

#[test]
fn a_side_has_moves_when_its_list_is_not_empty() {
    for_all_positions(|position| {
        let is_stuck = position.legal_moves().is_empty();
        assert_eq!(position.has_moves(), !is_stuck, "{position:?}");
    });
}

#[test]
fn captures_alone_are_the_captures_of_the_list() {
    for_all_positions(|position| {
        let mut alone = MoveList::new();
        position.generate_captures(&mut alone);
        let moves = position.legal_moves();
        let captures: Vec<_> = moves.iter().filter(|mv| mv.is_capture()).collect();
        assert_eq!(alone.iter().collect::<Vec<_>>(), captures, "{position}");
        assert!(position.may_capture() || captures.is_empty(), "{position}");
    });
}

#[test]
fn moves_are_unique() {
    for_all_positions(|position| {
        let moves = canonical(position.legal_moves().iter().copied());
        assert!(
            moves.windows(2).all(|pair| pair[0] != pair[1]),
            "{position:?}"
        );
    });
}

#[test]
fn move_text_reads_back() {
    for_all_positions(|position| {
        for &mv in &position.legal_moves() {
            let text = position.move_text(mv);
            assert_eq!(position.parse_move(&text), Ok(mv), "{position:?} {text}");
            let dashes = text.replace('x', "-");
            assert_eq!(
                position.parse_move(&dashes),
                Ok(mv),
                "{position:?} {dashes}"
            );
        }
    });
}

#[test]
fn fen_reads_back() {
    for_all_positions(|position| {
        let fen = position.to_fen();
        let read = Position::from_fen(position.variant(), &fen);
        assert_eq!(read.as_ref(), Ok(position), "{fen}");
        assert_eq!(read.map(|read| read.setup()), Ok(position.setup()));
    });
}

#[test]
fn positions_share_a_hash_when_repetition_calls_them_the_same() {
    let known = RefCell::new(HashMap::new());
    for_all_positions(|position| {
        for &mv in &position.legal_moves() {
            let next = position.play(mv);
            let setup = next.setup();
            let same = (
                next.variant(),
                setup.men,
                setup.kings,
                setup.turn,
                setup.king_rests,
            );
            let first = *known.borrow_mut().entry(next.hash()).or_insert(same);
            assert_eq!(first, same, "{position:?} {mv:?}");
            let counted = Setup {
                no_progress: 9,
                full_move: 7,
                ..setup
            };
            assert_eq!(
                Position::new(next.variant(), &counted).unwrap().hash(),
                next.hash()
            );
        }
    });
}

/// Half of the bits are set on average, so that tables fill evenly.
#[test]
fn every_bit_of_a_hash_is_set_as_often_as_not() {
    let counts = RefCell::new(([0_u32; 64], 0_u32));
    for_all_positions(|position| {
        let (set, total) = &mut *counts.borrow_mut();
        *total += 1;
        for (bit, count) in set.iter_mut().enumerate() {
            *count += (position.hash() >> bit & 1) as u32;
        }
    });
    let (set, total) = counts.into_inner();
    for (bit, count) in set.into_iter().enumerate() {
        let share = f64::from(count) / f64::from(total);
        assert!((0.45..0.55).contains(&share), "bit {bit}: {share}");
    }
}

#[test]
fn a_turned_board_has_the_turned_moves() {
    let turn_move = |mv: Move| Move {
        from: mv.from.turned(),
        to: mv.to.turned(),
        captured: mv.captured.turned(),
    };
    let turn_outcome = |outcome: Outcome| match outcome {
        Outcome::Win(color, reason) => Outcome::Win(!color, reason),
        draw => draw,
    };
    for_all_positions(|position| {
        let turned = position.turned();
        assert_eq!(turned.turned(), *position);
        let moves = position.legal_moves();
        let expected = canonical(moves.iter().copied().map(turn_move));
        assert_eq!(
            canonical(turned.legal_moves().iter().copied()),
            expected,
            "{position:?}"
        );
        assert_eq!(
            turned.outcome(),
            position.outcome().map(turn_outcome),
            "{position:?}"
        );
        for &mv in &moves {
            let there = position.play(mv).turned();
            // Only the full move number depends on the colors.
            assert_eq!(
                there.hash(),
                turned.play(turn_move(mv)).hash(),
                "{position:?} {mv:?}"
            );
        }
    });
}

#[test]
fn playing_changes_what_the_move_says() {
    for_all_positions(|position| {
        for &mv in &position.legal_moves() {
            check_play(position, mv);
        }
    });
}

fn check_play(before: &Position, mv: Move) {
    let (us, them) = (before.turn(), !before.turn());
    let after = before.play(mv);
    let rules = before.variant().rules();
    let is_king = before.all_kings().contains(mv.from);
    let is_crowned = !is_king && rules.promotes(us, &mv);

    assert!(before.pieces(us).contains(mv.from));
    // A Thai king may even land on the squares of its first victims (5.5).
    let in_the_way = before.occupied() & !mv.from.bit() & !mv.captured;
    assert!(!in_the_way.contains(mv.to));
    assert_eq!(mv.captured & before.pieces(them), mv.captured);
    assert!(mv.is_capture() || rules.simple_area.contains(mv.to));

    assert_eq!(after.turn(), them);
    assert_eq!(after.pieces(them), before.pieces(them) & !mv.captured);
    let ours = before.pieces(us) & !mv.from.bit() | mv.to.bit();
    assert_eq!(after.pieces(us), ours);
    assert_eq!(after.kings(them), before.kings(them) & !mv.captured);
    let new_king = if is_king || is_crowned {
        mv.to.bit()
    } else {
        Bitboard::EMPTY
    };
    assert_eq!(
        after.kings(us),
        before.kings(us) & !mv.from.bit() | new_king
    );
    assert!((after.pieces(us) & after.pieces(them)).is_empty());

    let restarts = match rules.draws.restart(after.army(us), after.army(them)) {
        Restart::Progress => mv.is_capture() || !is_king,
        Restart::Balance => mv.is_capture() || is_crowned,
        Restart::Never => rules.draws.restart(before.army(us), before.army(them)) != Restart::Never,
    };
    let no_progress = if restarts {
        0
    } else {
        before.no_progress() + 1
    };
    assert_eq!(after.no_progress(), no_progress);
    let full_moves = after.full_move() - before.full_move();
    assert_eq!(full_moves, u32::from(us != rules.first_player));
}

#[test]
fn every_random_game_ends() {
    for variant in Variant::ALL {
        for seed in 0..4 * N_GAMES {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (game, _) = random_game(Position::start(variant), 10_000, &mut rng, |_| {});
            assert!(
                game.outcome().is_some(),
                "{variant} seed {seed}: {:?}",
                game.position()
            );
        }
    }
}

#[test]
fn repetitions_are_the_earlier_occurrences() {
    for variant in Variant::ALL {
        for seed in 0..N_GAMES {
            let mut seen: Vec<u64> = Vec::new();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            random_game(Position::start(variant), 10_000, &mut rng, |game: &Game| {
                let hash = game.position().hash();
                let earlier = seen.iter().filter(|known| **known == hash).count();
                assert_eq!(game.repetitions() as usize, earlier);
                assert!(game.earlier_hashes().len() as u32 <= game.position().no_progress());
                seen.push(hash);
            });
        }
    }
}

/// Article 4.6, recomputed from the moves of a game instead of maintained in the position.
#[test]
fn king_rest_counters_follow_from_the_moves() {
    for seed in 0..8 * N_GAMES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = Position::start(Variant::Frisian);
        let (_, moves) = random_game(start, 10_000, &mut rng, |_| {});
        let mut runs = [None; 2];
        let mut position = start;
        for mv in moves {
            let (us, them) = (position.turn(), !position.turn());
            let is_king_walk = !mv.is_capture() && position.all_kings().contains(mv.from);
            runs[us.index()] = match runs[us.index()] {
                _ if !is_king_walk => None,
                Some((at, count)) if at == mv.from => Some((mv.to, count + 1)),
                _ => Some((mv.to, 1)),
            };
            position = position.play(mv);
            for color in [us, them] {
                let run = &mut runs[color.index()];
                *run = run
                    .filter(|(at, _)| position.kings(color).contains(*at))
                    .filter(|_| !position.men(color).is_empty());
                assert_eq!(position.king_rest(color), *run, "{position:?}");
                assert!(run.is_none_or(|(_, count)| count <= 3));
            }
        }
    }
}

#[test]
fn positions_that_differ_by_the_rules_differ_in_hash() {
    let fen = |variant, fen| {
        Position::from_fen(variant, fen)
            .expect("a legal FEN")
            .hash()
    };
    let hashes = [
        fen(Variant::Frisian, "W:W36,K46:BK5:+0+0"),
        fen(Variant::Frisian, "B:W36,K46:BK5:+0+0"),
        fen(Variant::Frisian, "W:W36,K46:BK5:+146+0"),
        fen(Variant::Frisian, "W:W36,K46:BK5:+246+0"),
        fen(Variant::FrisianPlain, "W:W36,K46:BK5"),
        fen(Variant::Frisian, "W:W36,K47:BK5:+0+0"),
        fen(Variant::Frisian, "W:WK36,K46:BK5:+0+0"),
    ];
    for (i, a) in hashes.iter().enumerate() {
        assert!(hashes[..i].iter().all(|b| a != b), "{i}");
    }
    let with_counters = fen(Variant::Frisian, "W:W36,K46:BK5:H9:F30:+0+0");
    assert_eq!(hashes[0], with_counters);
}

#[test]
fn both_sides_start_alike() {
    for variant in Variant::ALL {
        let start = Position::start(variant);
        assert_eq!(start.turn(), variant.rules().first_player);
        assert_eq!(start.men(Color::White), start.men(Color::Black).turned());
        assert_eq!((start.no_progress(), start.full_move()), (0, 1));
        assert_eq!(start.outcome(), None);
    }
}

#[test]
fn examples_are_legal_moves() {
    for variant in Variant::ALL {
        let about = variant.about();
        assert!(!about.summary.is_empty() && !about.sources.is_empty());
        let examples: Vec<_> = about
            .points
            .iter()
            .filter_map(|point| point.example)
            .collect();
        assert!(!examples.is_empty(), "{variant} has no example");
        for example in examples {
            let (position, ..) = example.read(variant).expect("a legal move");
            assert_eq!(position.outcome(), None, "{variant} {example:?}");
        }
    }
}
