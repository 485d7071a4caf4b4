//! Books: their file, their values, and how they grow.

use book::{Book, BookError, UNIT};
use proptest::prelude::*;
use rules::pdn::PdnResult;
use rules::{Game, Move, Position, Variant};
use types::Seed;

#[path = "../../../fuzz/bodies/book.rs"]
mod body;
#[path = "../../../fuzz/bodies/seeds.rs"]
mod seeds;

/// A game whose moves are chosen by numbers.
fn game(variant: Variant, choices: &[usize]) -> Game {
    let mut game = Game::new(Position::start(variant));
    for choice in choices {
        let legal = game.legal_moves();
        let Some(&mv) = legal.get(choice % legal.len().max(1)) else {
            break;
        };
        game.play(mv);
    }
    game
}

fn result(number: usize) -> PdnResult {
    use rules::Color::{Black, White};
    [
        PdnResult::Won(White),
        PdnResult::Won(Black),
        PdnResult::Drawn,
        PdnResult::Open,
    ][number % 4]
}

/// A value for a move that depends only on the move and its position.
fn value(position: &Position, mv: Move) -> i16 {
    (position.play(mv).hash() % 2000) as i16 - 1000
}

/// Grows a book until it has `n` searched positions.
fn expand(book: &mut Book, n: usize) {
    while book.searched() < n {
        book.settle();
        let wanted = book.to_search(5);
        assert!(!wanted.is_empty());
        for position in wanted {
            let legal = position.legal_moves();
            let values: Vec<_> = legal.iter().map(|&mv| (mv, value(&position, mv))).collect();
            book.add_search(&position, &values[..values.len().min(4)]);
        }
    }
    book.settle();
}

fn of_games(variant: Variant, games: &[Vec<usize>]) -> Book {
    let mut book = Book::new(variant);
    for (number, choices) in games.iter().enumerate() {
        assert!(book.add_game(&game(variant, choices), result(number), 30));
    }
    book
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_book_survives_its_file(
        which in 0..Variant::ALL.len(),
        games in prop::collection::vec(prop::collection::vec(0..50_usize, 0..40), 0..8),
    ) {
        let mut book = of_games(Variant::ALL[which], &games);
        book.set_analyst("ab");
        expand(&mut book, 12);
        let again = Book::from_bytes(&book.to_bytes()).unwrap();
        prop_assert_eq!(again.to_bytes(), book.to_bytes());
        prop_assert_eq!((again.len(), again.searched()), (book.len(), book.searched()));
        for choices in &games {
            let mut position = Position::start(book.variant());
            for &mv in game(book.variant(), choices).moves() {
                prop_assert_eq!(book.moves(&position), again.moves(&position));
                position = position.play(mv);
            }
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_another_book(
        games in prop::collection::vec(prop::collection::vec(0..50_usize, 1..12), 1..4),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut book = of_games(Variant::English, &games);
        expand(&mut book, 3);
        let whole = book.to_bytes();
        let mut bytes = whole.clone();
        for (at, byte) in &damage {
            bytes[at.index(whole.len())] = *byte;
        }
        if bytes != whole {
            prop_assert!(Book::from_bytes(&bytes).is_err());
        }
        prop_assert!(Book::from_bytes(&whole[..cut.index(whole.len())]).is_err());
        let short = &bytes[..cut.index(bytes.len())];
        body::book(&[&[1], &bytes[..]].concat());
        body::book(&[&[1], short].concat());
    }
}

#[test]
fn errors_name_the_fault() {
    let whole = of_games(Variant::English, &[vec![0, 1, 2]]).to_bytes();
    let error = |bytes: &[u8]| Book::from_bytes(bytes).unwrap_err();
    assert_eq!(error(b""), BookError::NotABook);
    assert_eq!(error(b"[Event \"a\"]"), BookError::NotABook);
    let mut newer = whole.clone();
    newer[8] = 2;
    assert_eq!(error(&newer), BookError::Format { found: 2, known: 1 });
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(
        error(&damaged)
            .to_string()
            .contains("the checksum does not fit")
    );
    // All other faults come after a checksum that fits.
    let mended = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        let n = bytes.len() - 4;
        let checksum = crc32c::crc32c(&bytes[..n]).to_le_bytes();
        bytes[n..].copy_from_slice(&checksum);
        error(&bytes).to_string()
    };
    assert!(mended(12, 99).contains("version 99 of the rules of english"));
    assert!(mended(17, b'x').contains("\"xnglish\", which is not a game"));
    let first = 8 + 8 + 8 + 1;
    assert!(mended(first, 4).contains("a position is not reached"));
    assert!(mended(first + 1, 9).contains("more moves than are legal"));
    assert!(mended(first + 2, 9).contains("a move is not legal"));
    assert!(mended(first + 3, 8).contains("unknown flags"));
}

#[test]
fn a_position_and_its_mirror_image_are_one() {
    let variant = Variant::Frisian;
    let book = of_games(variant, &[vec![3, 4, 5, 6, 7, 8], vec![3, 4, 1]]);
    let position = *game(variant, &[3, 4]).position();
    let (found, mirrored) = (book.moves(&position), book.moves(&position.turned()));
    assert_eq!((found.len(), mirrored.len()), (2, 2));
    for (a, b) in found.iter().zip(&mirrored) {
        assert_eq!(
            position.play(a.mv).turned().hash(),
            position.turned().play(b.mv).hash()
        );
        assert_eq!(a.tally, b.tally);
    }
}

#[test]
fn results_are_those_of_the_side_that_moves() {
    use rules::Color::{Black, White};
    let game = game(Variant::English, &[0, 0]);
    let mut book = Book::new(Variant::English);
    for result in [
        PdnResult::Won(Black),
        PdnResult::Won(Black),
        PdnResult::Won(White),
        PdnResult::Drawn,
        PdnResult::Open,
    ] {
        assert!(book.add_game(&game, result, 20));
    }
    let start = Position::start(Variant::English);
    let first = book.moves(&start)[0].tally;
    assert_eq!(
        (first.wins, first.draws, first.losses, first.open),
        (2, 1, 1, 1)
    );
    assert_eq!((first.games(), first.score()), (5, Some(0.625)));
    let second = book.moves(&start.play(game.moves()[0]))[0].tally;
    assert_eq!((second.wins, second.losses), (1, 2));
    let other = Game::new(Position::from_fen(Variant::English, "W:W30:B1").unwrap());
    assert!(!book.add_game(&other, PdnResult::Drawn, 20));
    assert!(book.moves(&Position::start(Variant::Russian)).is_empty());
}

#[test]
fn values_are_backed_up_and_decide() {
    let start = Position::start(Variant::English);
    let legal = start.legal_moves();
    let mut book = Book::new(Variant::English);
    book.add_search(&start, &[(legal[0], 500), (legal[1], 300), (legal[2], 290)]);
    book.settle();
    let choose = |book: &Book, margin, seed| {
        let found = book.choose(&start, margin, Seed::new(seed));
        found.unwrap().mv
    };
    assert_eq!(choose(&book, 0.0, 1), legal[0]);
    // The answer to the best move turns out to be strong.
    let after = start.play(legal[0]);
    book.add_search(
        &after,
        &[(after.legal_moves()[0], 100), (after.legal_moves()[1], 900)],
    );
    book.settle();
    let found = book.moves(&start);
    assert_eq!(
        found.iter().map(|found| found.value).collect::<Vec<_>>(),
        [Some(300), Some(290), Some(-900)]
    );
    let drawn: Vec<Move> = (0..40).map(|seed| choose(&book, 0.01, seed)).collect();
    assert!(drawn.contains(&legal[1]) && drawn.contains(&legal[2]) && !drawn.contains(&legal[0]));
    assert_eq!(choose(&book, 0.01, 7), drawn[7]);
    assert!((0..40).all(|seed| choose(&book, 0.0, seed) == legal[1]));
    assert_eq!(
        found[0].expected(),
        Some((1.0 + 300.0 / f32::from(UNIT)) / 2.0)
    );
}

#[test]
fn without_values_results_decide_and_few_games_weigh_little() {
    let start = Position::start(Variant::English);
    let mut book = Book::new(Variant::English);
    let mut play = |choice: usize, result: PdnResult, times: usize| {
        for _ in 0..times {
            book.add_game(&game(Variant::English, &[choice]), result, 20);
        }
    };
    play(0, result(1), 1);
    play(1, result(1), 30);
    play(1, result(0), 10);
    let chosen = book.choose(&start, 0.0, Seed::new(1)).unwrap();
    assert_eq!((chosen.mv, chosen.value), (start.legal_moves()[1], None));
    book.prune(2);
    assert_eq!(book.moves(&start).len(), 1);
}

#[test]
fn expansion_is_deterministic_and_prefers_good_lines() {
    let mut books = [Variant::English, Variant::Thai].map(|variant| {
        let mut book = Book::new(variant);
        expand(&mut book, 60);
        let mut parts = Book::new(variant);
        expand(&mut parts, 30);
        let mut parts = Book::from_bytes(&parts.to_bytes()).unwrap();
        expand(&mut parts, 60);
        assert!(
            parts.to_bytes() == book.to_bytes(),
            "it resumes where it stopped"
        );
        book
    });
    let lengths = |book: &Book| {
        let best = book.lines().next().unwrap().moves.len();
        let all: Vec<usize> = book.lines().map(|line| line.moves.len()).collect();
        (best, all.iter().sum::<usize>() / all.len())
    };
    let (best, mean) = lengths(&books[0]);
    assert!(best >= mean, "{best} {mean}");
    let n_moves: usize = books[0]
        .lines()
        .map(|line| line.moves.len() - line.shared)
        .sum();
    assert!(n_moves >= 4 * books[0].searched() - 8);
    let other = books[1].clone();
    books[1].merge(&other);
    assert!(
        books[1].to_bytes() == other.to_bytes(),
        "values of the same search are the same"
    );
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(include_str!("../../../fuzz/seeds/book.hex"), body::book);
}
