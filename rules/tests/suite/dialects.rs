//! PDN as written by other programs: a valid game in which one habit of writing is changed is read
//! with the same meaning or rejected, never with another meaning.

use rules::pdn::{PdnGames, PdnRecord, PdnResult};
use rules::{Color, Game, Outcome, Position, Variant, WinReason};

/// A habit of writing, and the same text in it.
pub(super) type Habit = (&'static str, fn(&str) -> String);

/// Changes the moves, which come after the first blank line.
fn in_moves(text: &str, change: impl Fn(&str) -> String) -> String {
    let (tags, moves) = text.split_once("\n\n").unwrap();
    format!("{tags}\n\n{}", change(moves))
}

/// Changes every word that is a move.
fn each_move(text: &str, change: impl Fn(&str) -> String) -> String {
    in_moves(text, |moves| {
        let words = moves.split_whitespace().map(|word| {
            let is_move = word.contains(['-', 'x']) && !word.starts_with('{');
            if is_move {
                change(word)
            } else {
                word.to_owned()
            }
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    })
}

/// Changes the value of a tag.
fn retagged(text: &str, name: &str, change: impl Fn(&str) -> String) -> String {
    let lines = text
        .lines()
        .map(|line| match line.strip_prefix(&format!("[{name} \"")) {
            Some(rest) => format!("[{name} \"{}\"]", change(rest.trim_end_matches("\"]"))),
            None => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Habits that keep the meaning of every game.
pub(super) const KEPT: &[Habit] = &[
    ("tag names in lower case", |text| {
        let lower = |line: &str| match line.split_once(' ') {
            Some((name, value)) if name.starts_with('[') => {
                format!("{} {value}", name.to_lowercase())
            }
            _ => line.to_owned(),
        };
        text.lines().map(lower).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("carriage returns", |text| text.replace('\n', "\r")),
    ("carriage returns and line feeds", |text| {
        text.replace('\n', "\r\n")
    }),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
    ("a repeated tag", |text| {
        text.replacen("\n\n", "\n[Event \"again\"]\n\n", 1)
    }),
    ("comments after semicolons", |text| {
        each_move(text, |mv| format!("{mv} ; so 1-2 (it is\n"))
    }),
    ("comment lines", |text| {
        each_move(text, |mv| format!("{mv}\n% 11-15 {{\n"))
    }),
    ("en dashes", |text| {
        each_move(text, |mv| mv.replace('-', "–"))
    }),
    ("non-breaking hyphens", |text| {
        each_move(text, |mv| mv.replace('-', "\u{2011}"))
    }),
    ("spaces around signs", |text| {
        each_move(text, |mv| mv.replace('-', " - ").replace('x', " x "))
    }),
    ("a space after the sign", |text| {
        each_move(text, |mv| mv.replace('-', "- ").replace('x', "x "))
    }),
    ("a space before the sign", |text| {
        each_move(text, |mv| mv.replace('-', " -").replace('x', " x"))
    }),
    ("colons for captures", |text| {
        each_move(text, |mv| mv.replace('x', ":"))
    }),
    ("hyphens for captures", |text| {
        each_move(text, |mv| mv.replace('x', "-"))
    }),
    ("stars for only moves", |text| {
        each_move(text, |mv| format!("{mv}*"))
    }),
    ("marks", |text| each_move(text, |mv| format!("{mv}!?"))),
    ("marks in parentheses", |text| {
        each_move(text, |mv| format!("{mv}(!)"))
    }),
    ("numbers of marks", |text| {
        each_move(text, |mv| format!("{mv}$1"))
    }),
    ("commas", |text| each_move(text, |mv| format!("{mv},"))),
    ("clocks", |text| {
        each_move(text, |mv| format!("{mv} {{[%clock w0:10:00 B0:09:58]}}"))
    }),
    ("no spaces after numbers", |text| {
        in_moves(text, |moves| moves.replace(". ", "."))
    }),
    ("no dots after numbers", |text| {
        in_moves(text, |moves| moves.replace(". ", " "))
    }),
    ("no numbers", |text| {
        in_moves(text, |moves| {
            let words = moves.split_whitespace().filter(|word| !word.ends_with('.'));
            words.collect::<Vec<_>>().join(" ")
        })
    }),
    ("one line", |text| {
        in_moves(text, |moves| moves.replace('\n', " "))
    }),
    ("a word a line", |text| {
        in_moves(text, |moves| moves.replace(' ', "\n"))
    }),
    ("no star at the end", |text| {
        in_moves(text, |moves| moves.replace('*', ""))
    }),
    ("the short type", |text| {
        retagged(text, "GameType", |value| {
            value.split(',').next().unwrap().to_owned()
        })
    }),
    ("spaces in the type", |text| {
        retagged(text, "GameType", |value| value.replace(',', ", "))
    }),
    ("an empty FEN", |text| {
        text.replacen("\n\n", "\n[FEN \"\"]\n\n", 1)
    }),
    ("an unknown FEN", |text| {
        text.replacen("\n\n", "\n[FEN \"?\"]\n\n", 1)
    }),
    ("Red", |text| text.replace("[Black ", "[Red ")),
    ("leading zeros", |text| {
        each_move(text, |mv| {
            let mut padded = String::new();
            for part in mv.split_inclusive(['-', 'x']) {
                let is_digit = part.starts_with(|c: char| c.is_ascii_digit());
                let n_digits = part.trim_end_matches(['-', 'x']).len();
                padded.push_str(if is_digit && n_digits == 1 { "0" } else { "" });
                padded.push_str(part);
            }
            padded
        })
    }),
];

/// Habits after which a game may be refused, but is never another one.
pub(super) const RISKY: &[Habit] = &[
    ("no tags for the game", |text| {
        let is_kept = |line: &&str| !line.starts_with("[GameType") && !line.starts_with("[Variant");
        text.lines().filter(is_kept).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("another type", |text| {
        retagged(text, "GameType", |_| "27".to_owned())
    }),
    ("an unknown variant", |text| {
        retagged(text, "Variant", |_| "Frysk!".to_owned())
    }),
    ("a contradicting type", |text| {
        retagged(text, "GameType", |value| {
            if value.starts_with("20") {
                "21".to_owned()
            } else {
                "20".to_owned()
            }
        })
    }),
    ("a contradicting size", |text| {
        retagged(text, "GameType", |value| {
            if value.contains(",10,") {
                value.replace(",10,", ",8,")
            } else {
                value.replace(",8,", ",10,")
            }
        })
    }),
    ("the other side first", |text| {
        retagged(text, "GameType", |value| {
            if value.contains(",W,") {
                value.replace(",W,", ",B,")
            } else {
                value.replace(",B,", ",W,")
            }
        })
    }),
    ("no signs in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], " "))
    }),
    ("no last comment sign", |text| {
        text.replacen("*", "{ begun", 1)
    }),
    ("a broken tag", |text| {
        text.replacen("[White \"", "[White ", 1)
    }),
    ("two results", |text| {
        text.replacen("\n\n", "\n[Result \"1/2-1/2\"]\n\n", 1)
    }),
    ("two players", |text| {
        text.replacen("\n\n", "\n[White \"Other\"]\n\n", 1)
    }),
];

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
    let record = PdnRecord {
        tags: &[("Event", "a"), ("White", "Wim"), ("Black", "Bea")],
        start: game.start(),
        moves: game.moves(),
        comments: &[],
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
    let (_, moves) = read.into_moves().unwrap();
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
                let read = meaning(&changed);
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
