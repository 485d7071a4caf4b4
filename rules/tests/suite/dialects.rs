//! PDN as other programs write it: a good game in which one habit of writing is changed means the
//! same or is refused, never something else.

use rules::pdn::{PdnGames, PdnRecord, PdnResult, read_games};
use rules::{Color, Game, Outcome, Position, Variant, WinReason};

/// A habit of writing, and the same text in it.
type Habit = (&'static str, fn(&str) -> String);

/// Changes the moves, which are after the first blank line.
fn in_moves(text: &str, change: impl Fn(&str) -> String) -> String {
    let (tags, moves) = text.split_once("\n\n").unwrap();
    format!("{tags}\n\n{}", change(moves))
}

/// Changes every word that is a move.
fn each_move(text: &str, change: impl Fn(&str) -> String) -> String {
    in_moves(text, |moves| {
        let words = moves.split_whitespace().map(|word| {
            let is_move = word.contains(['-', 'x']) && !word.starts_with('{');
            if is_move { change(word) } else { word.to_owned() }
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    })
}

/// Changes the value of a tag.
fn retagged(text: &str, name: &str, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().map(|line| {
        match line.strip_prefix(&format!("[{name} \"")) {
            Some(rest) => format!("[{name} \"{}\"]", change(rest.trim_end_matches("\"]"))),
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Habits that keep the meaning of every game.
const KEPT: &[Habit] = &[
    ("tag names in lower case", |text| {
        let lower = |line: &str| match line.split_once(' ') {
            Some((name, value)) if name.starts_with('[') => format!("{} {value}", name.to_lowercase()),
            _ => line.to_owned(),
        };
        text.lines().map(lower).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("carriage returns", |text| text.replace('\n', "\r")),
    ("carriage returns and line feeds", |text| text.replace('\n', "\r\n")),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
    ("a repeated tag", |text| text.replacen("\n\n", "\n[Event \"again\"]\n\n", 1)),
    ("comments after semicolons", |text| each_move(text, |mv| format!("{mv} ; so 1-2 (it is\n"))),
    ("comment lines", |text| each_move(text, |mv| format!("{mv}\n% 11-15 {{\n"))),
    ("en dashes", |text| each_move(text, |mv| mv.replace('-', "–"))),
    ("non-breaking hyphens", |text| each_move(text, |mv| mv.replace('-', "\u{2011}"))),
    ("spaces around signs", |text| each_move(text, |mv| mv.replace('-', " - ").replace('x', " x "))),
    ("a space after the sign", |text| each_move(text, |mv| mv.replace('-', "- ").replace('x', "x "))),
    ("a space before the sign", |text| each_move(text, |mv| mv.replace('-', " -").replace('x', " x"))),
    ("colons for captures", |text| each_move(text, |mv| mv.replace('x', ":"))),
    ("hyphens for captures", |text| each_move(text, |mv| mv.replace('x', "-"))),
    ("stars for only moves", |text| each_move(text, |mv| format!("{mv}*"))),
    ("marks", |text| each_move(text, |mv| format!("{mv}!?"))),
    ("marks in parentheses", |text| each_move(text, |mv| format!("{mv}(!)"))),
    ("numbers of marks", |text| each_move(text, |mv| format!("{mv}$1"))),
    ("commas", |text| each_move(text, |mv| format!("{mv},"))),
    ("clocks", |text| each_move(text, |mv| format!("{mv} {{[%clock w0:10:00 B0:09:58]}}"))),
    ("no spaces after numbers", |text| in_moves(text, |moves| moves.replace(". ", "."))),
    ("no dots after numbers", |text| in_moves(text, |moves| moves.replace(". ", " "))),
    ("no numbers", |text| in_moves(text, |moves| {
        let words = moves.split_whitespace().filter(|word| !word.ends_with('.'));
        words.collect::<Vec<_>>().join(" ")
    })),
    ("one line", |text| in_moves(text, |moves| moves.replace('\n', " "))),
    ("a word a line", |text| in_moves(text, |moves| moves.replace(' ', "\n"))),
    ("no star at the end", |text| in_moves(text, |moves| moves.replace('*', ""))),
    ("the short type", |text| retagged(text, "GameType", |value| {
        value.split(',').next().unwrap().to_owned()
    })),
    ("spaces in the type", |text| retagged(text, "GameType", |value| value.replace(',', ", "))),
    ("an empty FEN", |text| text.replacen("\n\n", "\n[FEN \"\"]\n\n", 1)),
    ("an unknown FEN", |text| text.replacen("\n\n", "\n[FEN \"?\"]\n\n", 1)),
    ("Red", |text| text.replace("[Black ", "[Red ")),
    ("leading zeros", |text| each_move(text, |mv| {
        let mut padded = String::new();
        for part in mv.split_inclusive(['-', 'x']) {
            let is_digit = part.starts_with(|c: char| c.is_ascii_digit());
            let n_digits = part.trim_end_matches(['-', 'x']).len();
            padded.push_str(if is_digit && n_digits == 1 { "0" } else { "" });
            padded.push_str(part);
        }
        padded
    })),
];

/// Habits after which a game may be refused, but is never another one.
const RISKY: &[Habit] = &[
    ("no tags for the game", |text| {
        let is_kept = |line: &&str| !line.starts_with("[GameType") && !line.starts_with("[Variant");
        text.lines().filter(is_kept).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("another type", |text| retagged(text, "GameType", |_| "23".to_owned())),
    ("an unknown variant", |text| retagged(text, "Variant", |_| "Frysk!".to_owned())),
    ("a contradicting type", |text| retagged(text, "GameType", |value| {
        if value.starts_with("20") { "21".to_owned() } else { "20".to_owned() }
    })),
    ("a contradicting size", |text| retagged(text, "GameType", |value| {
        if value.contains(",10,") { value.replace(",10,", ",8,") } else { value.replace(",8,", ",10,") }
    })),
    ("the other side first", |text| retagged(text, "GameType", |value| {
        if value.contains(",W,") { value.replace(",W,", ",B,") } else { value.replace(",B,", ",W,") }
    })),
    ("no signs in moves", |text| each_move(text, |mv| mv.replace(['-', 'x'], " "))),
    ("no last comment sign", |text| text.replacen("*", "{ begun", 1)),
    ("a broken tag", |text| text.replacen("[White \"", "[White ", 1)),
    ("two results", |text| text.replacen("\n\n", "\n[Result \"1/2-1/2\"]\n\n", 1)),
    ("two players", |text| text.replacen("\n\n", "\n[White \"Other\"]\n\n", 1)),
];

/// A game of pseudo-random moves that ends after at most 60 plies, and its text.
fn game(variant: Variant, seed: u64) -> (Game, String) {
    let mut game = Game::new(Position::start(variant));
    let mut state = seed;
    while game.outcome().is_none() && game.plies() < 60 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
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

/// The meaning of a text with one game, if it is read.
fn meaning(text: &str) -> Option<(Variant, Vec<rules::Move>, PdnResult, [Option<String>; 2])> {
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
            assert_eq!((original.0, &original.1[..]), (variant, game.moves()), "{text}");
            for (habit, change) in KEPT {
                let changed = change(&text);
                assert_eq!(meaning(&changed).as_ref(), Some(&original), "{habit}:\n{changed}");
            }
            for (habit, change) in RISKY {
                let changed = change(&text);
                let read = meaning(&changed);
                assert!(read.is_none() || read.as_ref() == Some(&original), "{habit}:\n{changed}");
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

/// The first game, as variant and moves in writing, or what is wrong.
fn read_first(text: &str) -> Result<(Variant, String), String> {
    let read = read_games(text, None).remove(0);
    let variant = read.variant;
    let (start, moves) = read.into_moves().map_err(|error| error.to_string())?;
    let mut position = start;
    let mut texts = Vec::new();
    for mv in moves {
        texts.push(position.move_text(mv));
        position = position.play(mv);
    }
    Ok((variant.unwrap(), texts.join(" ")))
}

#[test]
fn real_habits_are_read() {
    for (text, moves) in [
        ("[GameType \"20\"] [Fen \"W:W32:B19\"] 1. 32-28 *", "32-28"),
        ("[GameType \"31\"] 1. 5-9 28-24 2. 6-10 *", "5-9 28-24 6-10"),
        ("[GameType \"20\"] 1.31-26 17-21 /FEN \"B:B1-16,18-21:W26,28,33-50\"/ 20-24 *", "20-24"),
        ("[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 3. 37-32  9- 14 *", "32-28 19-23 28x19 14x23 37-32 9-14"),
        ("[GameType \"21\"] [FEN \"B:W14,15,18,21,22,23,30:B6,7,8,10,12,13\"] 1. 10x26 18-14 2. 26-31 *", "10x17x26 18-14 26-31"),
        ("[Variant \"Frisian\"] 1. 32-28 19-23 *", "32-28 19-23"),
        ("[GameType \"25\"] 1.a3b4 b6a5 *", "a3-b4 b6-a5"),
        ("[GameType \"25\"] 1. cd4 ba5 2. dc5 b:d4 3. e:c5 d:b4 4. a:c5 *", "c3-d4 b6-a5 d4-c5 b6xd4 e3xc5 d6xb4 a3xc5"),
        ("[GameType \"20\"] [FEN \"?:W32:B19\"] 1. 19-23 *", "19-23"),
        ("[GameType \"20\"] [White \"A\"] 1. 32-28 19-23 ½-½", "32-28 19-23"),
        ("[GameType \"20\"] [Result \"4-6\"] 1. 32-28 19-23 4-6", "32-28 19-23"),
    ] {
        assert_eq!(read_first(text).map(|(_, moves)| moves).as_deref(), Ok(moves), "{text}");
    }
    let dyke = "[Event \"Dyke\"]\n[Black \"J\"]\n[White \"T\"]\n[Event \"8x8\"]\n[Result \"1/2-1/2\"]\n[GameType \"21\"]\n\n1. 9-14 22-17 *\n";
    let (_, moves, result, names) = meaning(dyke).unwrap();
    assert_eq!((moves.len(), result), (2, PdnResult::Drawn));
    assert_eq!(names, [Some("T".to_owned()), Some("J".to_owned())]);
}

#[test]
fn games_that_are_not_played_here_are_refused_by_name() {
    for (text, hint) in [
        ("[GameType \"23\"] 1. 11-15 22-18 *", "GameType 23 is pool checkers"),
        ("[GameType \"30,W,8,8,A0,0\"] 1. a3-a4 *", "Turkish draughts"),
        ("[Variant \"Breakthrough\"] [GameType \"20\"] 1. 32-28 *", "names `Breakthrough`"),
        ("1. 32-28 19-23 *", "its moves fit frisian and international"),
        ("[GameType \"20\"] [Variant \"Frisian\"] 1. 32-28 *", "the Variant tag names frisian"),
        ("[GameType \"draughts\"] 1. 32-28 *", "is no GameType"),
    ] {
        let error = read_first(text).unwrap_err();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

#[test]
fn a_bad_game_keeps_its_moves_and_costs_no_other() {
    let good = "[GameType \"21\"]\n\n1. 11-15 23-19 *\n\n";
    for (bad, n_moves) in [
        ("[GameType \"21\"]\n\n1. 11-15 23-19 2. 1-2 8-11 *\n\n", 2),
        ("[GameType \"21\"]\n\n1. 11-15 {no end\n\n", 1),
        ("[GameType \"21\"]\n\n1. 11-15 (12-16\n\n", 1),
        ("[GameType \"21\"]\n[White \"A]\n\n1. 11-15 *\n\n", 0),
    ] {
        let text = format!("{good}{bad}{good}");
        let games = read_games(&text, None);
        let faults: Vec<bool> = games.iter().map(|read| read.fault.is_some()).collect();
        assert_eq!(faults, [false, true, false], "{text}");
        let kept = games[1].played.as_ref().map_or(0, |played| played.moves.len());
        assert_eq!(kept, n_moves, "{text}");
    }
}

#[test]
fn untagged_games_are_what_all_of_them_fit() {
    // The second game is international alone, since frisian captures across would come first.
    let text = "1. 32-28 19-23 *\n\n1. 32-28 17-22 2. 28x17 11x22 *\n";
    let games = read_games(text, None);
    let variants: Vec<_> = games.iter().map(|read| read.variant).collect();
    let each: Vec<_> = PdnGames::new(text.as_bytes(), None).map(|read| read.fault.is_some()).collect();
    assert!(each[0], "alone it could be two games");
    if !each[1] {
        assert_eq!(variants[0], variants[1]);
    }
}

#[test]
fn commands_in_comments_are_data() {
    let text = "[GameType \"20\"] 1. 32-28 {[%clock w0:10:00 B0:09:58] calm [%eval 0.12]} *";
    let read = read_games(text, None).remove(0);
    let first = &read.game.moves[0];
    assert_eq!(first.comment, "calm");
    let data = [("clock", "w0:10:00 B0:09:58"), ("eval", "0.12")];
    assert_eq!(first.data, data.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn results_are_written_as_pdn_has_them_for_the_game() {
    for (variant, winner, text) in [
        (Variant::International, Some(Color::White), "2-0"),
        (Variant::International, Some(Color::Black), "0-2"),
        (Variant::International, None, "1-1"),
        (Variant::English, Some(Color::Black), "1-0"),
        (Variant::Frisian, Some(Color::Black), "0-1"),
        (Variant::Russian, None, "1/2-1/2"),
    ] {
        let start = Position::start(variant);
        let outcome = match winner {
            Some(color) => Outcome::Win(color, WinReason::Resigned),
            None => Outcome::Draw(rules::DrawReason::Agreed),
        };
        let tags = [("Site", "here"), ("result", "9-9"), ("WhiteElo", "2000"), ("Annotator", "me")];
        let record = PdnRecord {
            tags: &tags,
            start: &start,
            moves: &[],
            comments: &[],
            end: Some(outcome).into(),
        };
        let read = read_games(&record.to_string(), Some(variant)).remove(0).game;
        assert_eq!(read.tag("Result"), Some(text));
        assert_eq!(read.result(), winner.map_or(PdnResult::Drawn, PdnResult::Won));
        for (name, value) in [("Site", "here"), ("WhiteElo", "2000"), ("Annotator", "me")] {
            assert_eq!(read.tag(name), Some(value));
        }
    }
}

/// A table of the dialects for the documents; `docs/reference/pdn.md` holds it.
#[test]
fn the_documents_have_the_table_of_dialects() {
    let mut table = String::from("| game | GameType | results | other first | squares |\n|---|---|---|---|---|\n");
    for variant in Variant::GAMES {
        let start = Position::start(variant);
        let text_of = |outcome| {
            let record = PdnRecord {
                tags: &[],
                start: &start,
                moves: &[],
                comments: &[],
                end: Some(outcome).into(),
            };
            let text = record.to_string();
            let read = read_games(&text, None).remove(0).game;
            read.tag("Result").unwrap().to_owned()
        };
        let results = [
            text_of(Outcome::Win(Color::White, WinReason::Resigned)),
            text_of(Outcome::Win(Color::Black, WinReason::Resigned)),
            text_of(Outcome::Draw(rules::DrawReason::Agreed)),
        ];
        let other = format!(
            "[GameType \"{}\"] 1. {} *",
            variant.rules().game_type.split(',').next().unwrap(),
            start.turned().move_text(start.turned().legal_moves()[0])
        );
        let other = if read_first(&other).is_ok() { "read" } else { "refused" };
        let squares = start.move_text(start.legal_moves()[0]);
        table += &format!(
            "| {variant} | `{}` | White wins `{}`, Black wins `{}`, draw `{}` | {other} | `{squares}` |\n",
            variant.rules().game_type, results[0], results[1], results[2],
        );
    }
    table += "\n| habit of writing | read as the same |\n|---|---|\n";
    for (habit, _) in KEPT {
        table += &format!("| {habit} | yes |\n");
    }
    for (habit, change) in RISKY {
        let all = Variant::GAMES.map(|variant| meaning(&change(&game(variant, 1).1)).is_some());
        let text = match (all.contains(&true), all.contains(&false)) {
            (true, true) => "where it is certain, else refused",
            (true, false) => "yes",
            (false, _) => "refused",
        };
        table += &format!("| {habit} | {text} |\n");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/pdn.md");
    let document = std::fs::read_to_string(path).unwrap();
    assert!(document.contains(&table), "{path} should contain:\n{table}");
}
