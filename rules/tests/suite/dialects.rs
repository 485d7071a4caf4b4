//! PDN as written by other programs: a valid game in which one habit of writing is changed is read
//! with the same meaning or rejected, never with another meaning.

use crate::habits::{KEPT, RISKY, each_move};
use crate::support::plies;
use rules::pdn::{PdnGames, PdnRecord, PdnResult};
use rules::{Color, Game, Goal, Outcome, Position, Variant, WinReason};

/// A game of pseudo-random moves that ends after at most 60 plies, and its text.
pub(super) fn game(variant: Variant, seed: u64) -> (Game, String) {
    let mut game = Game::new(Position::start(variant));
    let mut state = seed;
    while game.outcome().is_none() && game.plies() < 60 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let legal = game.legal_moves();
        let mv = legal[(state >> 33) as usize % legal.len()];
        game.play(mv);
    }
    let outcome = Outcome::Win(Color::ALL[seed as usize % 2], WinReason::Resigned);
    let line = plies(game.moves());
    let record = PdnRecord {
        tags: &[("Event", "a"), ("White", "Wim"), ("Black", "Bea")],
        start: game.start(),
        comment: "",
        line: &line,
        end: Some(outcome).into(),
    };
    let text = record.to_string();
    (game, text)
}

/// The game, its moves, its result, and the names of White and Black.
type Meaning = (Variant, Vec<rules::Move>, PdnResult, [Option<String>; 2]);

/// The meaning of a text with one game, if it is read.
pub(super) fn meaning(text: &str) -> Option<Meaning> {
    let mut games = PdnGames::new(text.as_bytes(), None).collect::<Vec<_>>();
    if games.len() != 1 || games[0].fault.is_some() {
        return None;
    }
    let read = games.remove(0);
    let result = read.game.result();
    let names = ["White", "Black"].map(|name| read.game.tag(name).map(str::to_owned));
    let variant = read.variant.unwrap();
    let moves = read.played.unwrap().moves;
    Some((variant, moves, result, names))
}

#[test]
fn no_habit_of_writing_changes_the_meaning() {
    for variant in Variant::GAMES {
        for seed in 0..12 {
            let (game, text) = game(variant, seed);
            let original = meaning(&text).unwrap();
            assert_eq!(
                (original.0, &original.1[..]),
                (variant, game.moves()),
                "{text}"
            );
            for (habit, change) in KEPT {
                let changed = change(&text);
                assert_eq!(
                    meaning(&changed).as_ref(),
                    Some(&original),
                    "{habit}:\n{changed}"
                );
            }
            for (habit, change) in RISKY {
                let changed = change(&text);
                let mut read = meaning(&changed);
                // Without tags, these games look like the one whose moves they have.
                if let Some(read) = &mut read
                    && *habit == "no tags for the game"
                    && variant.rules().goal != Goal::Win
                {
                    read.0 = variant;
                }
                assert!(
                    read.is_none() || read.as_ref() == Some(&original),
                    "{habit}:\n{changed}"
                );
            }
        }
    }
}

#[test]
fn squares_may_be_named_in_either_way_and_alphabet() {
    for variant in Variant::GAMES {
        let (game, text) = game(variant, 5);
        let board = variant.board();
        let named = |number: usize| {
            let (row, column) = board.place(number).unwrap();
            format!("{}{}", char::from(b'a' + column as u8), board.size() - row)
        };
        let algebraic = |mv: &str| {
            let mut out = String::new();
            for part in mv.split_inclusive(['-', 'x']) {
                let square = part.trim_end_matches(['-', 'x']);
                match square.parse() {
                    Ok(number) => out.push_str(&named(number)),
                    Err(_) => out.push_str(square),
                }
                out.push_str(&part[square.len()..]);
            }
            out
        };
        let cyrillic = |mv: &str| {
            let letters = "abcdefgh".chars().zip("абвгдежз".chars());
            letters.fold(algebraic(mv), |text, (latin, letter)| {
                text.replace(latin, &letter.to_string())
            })
        };
        let changed = each_move(&text, algebraic);
        assert_eq!(meaning(&changed).unwrap().1, game.moves(), "{changed}");
        let changed = each_move(&text, |mv| algebraic(mv).replace(['-', 'x'], ""));
        assert_eq!(meaning(&changed).unwrap().1, game.moves(), "{changed}");
        if board.size() == 8 {
            let changed = each_move(&text, cyrillic);
            assert_eq!(meaning(&changed).unwrap().1, game.moves(), "{changed}");
        }
    }
}

/// Sets the position on the board up before each move, and names all squares of captures.
#[test]
fn positions_and_paths_may_be_written_out() {
    for variant in Variant::GAMES {
        let (game, text) = game(variant, 7);
        let (tags, _) = text.split_once("\n\n").unwrap();
        let mut changed = format!("{tags}\n\n");
        let mut position = *game.start();
        for &mv in game.moves() {
            let path = position.path(mv).into_iter();
            let squares: Vec<_> = path.map(|square| variant.square_name(square)).collect();
            let sign = if mv.is_capture() { "x" } else { "-" };
            changed += &format!("/FEN \"{position}\"/ {}\n", squares.join(sign));
            position = position.play(mv);
        }
        let read = meaning(&changed).unwrap_or_else(|| panic!("{changed}"));
        assert_eq!((read.0, &read.1[..]), (variant, game.moves()), "{changed}");
    }
}
