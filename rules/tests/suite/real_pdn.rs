//! PDN of real files: what to read and reject, and the written form of results.

use rules::pdn::{PdnGames, PdnRecord, PdnResult, read_games};
use rules::{Color, Outcome, Position, Variant, WinReason};

use crate::dialects::{game, meaning};
use crate::habits::{KEPT, RISKY};

/// The first game, as variant and moves in writing, or its error.
fn read_first(text: &str) -> Result<(Variant, String), String> {
    let read = read_games(text, None).remove(0);
    if let Some(fault) = read.fault {
        return Err(fault.to_string());
    }
    let played = read.played.unwrap();
    let texts = played.start.move_texts(&played.moves);
    Ok((read.variant.unwrap(), texts.join(" ")))
}

#[test]
fn real_habits_are_read() {
    for (text, moves) in [
        ("[GameType \"20\"] [Fen \"W:W32:B19\"] 1. 32-28 *", "32-28"),
        ("[GameType \"31\"] 1. 5-9 28-24 2. 6-10 *", "5-9 28-24 6-10"),
        (
            "[GameType \"20\"] 1.31-26 17-21 /FEN \"B:B1-16,18-21:W26,28,33-50\"/ 20-24 *",
            "20-24",
        ),
        (
            "[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 3. 37-32  9- 14 *",
            "32-28 19-23 28x19 14x23 37-32 9-14",
        ),
        (
            "[GameType \"21\"] [FEN \"B:W14,15,18,21,22,23,30:B6,7,8,10,12,13\"] 1. 10x26 18-14 2. 26-31 *",
            "10x17x26 18-14 26-31",
        ),
        ("[Variant \"Frisian\"] 1. 32-28 19-23 *", "32-28 19-23"),
        (
            "[Variant \"American/English\"] 1. c3-d4 b6-c5 2. d4xb6 a7xc5 *",
            "11-15 24-19 15x24 28x19",
        ),
        (
            "[GameType \"25\"] [FEN \"W:Wc3,h2:Bd4,f6,b8\"] 1. c3xe5 e5xg7! 2. b8-a7 *",
            "c3xg7 b8-a7",
        ),
        ("[GameType \"25\"] 1.a3b4 b6a5 *", "a3-b4 b6-a5"),
        (
            "[GameType \"25\"] 1. cd4 ba5 2. dc5 d:b4 3. a:c5 *",
            "c3-d4 b6-a5 d4-c5 d6xb4 a3xc5",
        ),
        ("[GameType \"20\"] [FEN \"?:W32:B19\"] 1. 19-23 *", "19-23"),
        (
            "[GameType \"20\"] [White \"A\"] 1. 32-28 19-23 ½-½",
            "32-28 19-23",
        ),
        (
            "[GameType \"20\"] [Result \"4-6\"] 1. 32-28 19-23 4-6",
            "32-28 19-23",
        ),
        ("[GameType \"20\"] 1. 32-28 19-23 1:1", "32-28 19-23"),
        ("[GameType \"20\"] 1. 32-28 19-23 1½-½", "32-28 19-23"),
        ("[GameType \"20\"] 1. 32-28 19-23 0,5-0,5", "32-28 19-23"),
    ] {
        assert_eq!(
            read_first(text).map(|(_, moves)| moves).as_deref(),
            Ok(moves),
            "{text}"
        );
    }
    // PlayStrategy numbers the players.
    for (variant, white, winner) in [
        ("American/English", "b", Color::Black),
        ("Russian", "a", Color::White),
    ] {
        let text = format!(
            "[P1 \"a\"]\n[P2 \"b\"]\n[Variant \"{variant}\"]\n1. c3-d4 b6-c5 2. d4xb6 a7xc5 1-0\n"
        );
        let (_, _, result, names) = meaning(&text).unwrap();
        assert_eq!(result, PdnResult::Won(winner), "{variant}");
        assert_eq!(names[0].as_deref(), Some(white), "{variant}");
    }
    let dyke = "[Event \"Dyke\"]\n[Black \"J\"]\n[White \"T\"]\n[Event \"8x8\"]\n[Result \"1/2-1/2\"]\n[GameType \"21\"]\n\n1. 9-14 22-17 *\n";
    let (_, moves, result, names) = meaning(dyke).unwrap();
    assert_eq!((moves.len(), result), (2, PdnResult::Drawn));
    assert_eq!(names, [Some("T".to_owned()), Some("J".to_owned())]);
    let jumps = "[GameType \"25\"] [FEN \"W:Wc3,h2:Bd4,f6,b8\"] 1. c3xe5 e5xg7! *";
    assert_eq!(read_games(jumps, None)[0].game.moves[0].glyph, "!");
}

#[test]
fn games_that_are_not_played_here_are_refused_by_name() {
    for (text, hint) in [
        (
            "[GameType \"27\"] 1. 32-28 19-23 *",
            "GameType 27 is Canadian draughts",
        ),
        (
            "[GameType \"30,W,8,8,A0,0\"] 1. a3-a4 *",
            "Turkish draughts",
        ),
        ("[GameType \"97\"] 1. 46-41 *", "GameType 97 is Frysk!"),
        ("[Variant \"Killer\"] 1. 32-28 19-23 *", "names `Killer`"),
        (
            "[Variant \"Breakthrough\"] [GameType \"20\"] 1. 32-28 *",
            "the Variant tag names breakthrough",
        ),
        (
            "1. 32-28 19-23 *",
            "its moves fit frisian and international",
        ),
        (
            "[GameType \"20\"] [Variant \"Frisian\"] 1. 32-28 *",
            "the Variant tag names frisian",
        ),
        ("[GameType \"draughts\"] 1. 32-28 *", "is no GameType"),
    ] {
        let error = read_first(text).unwrap_err();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

/// Pool checkers begins with Black in America and with White elsewhere, and the corner of square 1
/// is White's in Spain.
#[test]
fn games_of_each_type_are_read_in_their_numbers() {
    for (text, variant, moves) in [
        (
            "[GameType \"23\"] 1. 11-15 22-18 *",
            Variant::Pool,
            "11-15 22-18",
        ),
        (
            "[GameType \"23,W,8,8,A0,0\"] 1. c3-d4 d6-c5 *",
            Variant::Pool,
            "22-18 10-14",
        ),
        (
            "[GameType \"24\"] 1. 10-14 23-20 *",
            Variant::Spanish,
            "10-14 23-20",
        ),
        (
            "[GameType \"28\"] 1. 10-14 23-20 *",
            Variant::Portuguese,
            "10-14 23-20",
        ),
        (
            "[GameType \"22\"] 1. 23-20 10-13 *",
            Variant::Italian,
            "23-20 10-13",
        ),
        (
            "[GameType \"29\"] 1. c3-d4 d6-c5 *",
            Variant::Czech,
            "c3-d4 d6-c5",
        ),
        // As lidraughts writes them.
        (
            "[Variant \"Antidraughts\"] [GameType \"98\"] 1. 32-28 19-23 *",
            Variant::Antidraughts,
            "32-28 19-23",
        ),
        (
            "[Variant \"Breakthrough\"] [GameType \"96\"] 1. 32-28 19-23 *",
            Variant::Breakthrough,
            "32-28 19-23",
        ),
    ] {
        let read = read_first(text).unwrap();
        assert_eq!((read.0, read.1.as_str()), (variant, moves), "{text}");
    }
    let corner = |variant: Variant, number| variant.board().place(number);
    assert_eq!(corner(Variant::Italian, 1), Some((0, 0)));
    assert_eq!(corner(Variant::Italian, 32), Some((7, 7)));
    assert_eq!(corner(Variant::Spanish, 1), Some((7, 7)));
    assert_eq!(corner(Variant::Spanish, 4), Some((7, 1)));
    assert_eq!(corner(Variant::Spanish, 5), Some((6, 6)));
    assert_eq!(corner(Variant::Spanish, 32), Some((0, 0)));
}

#[test]
fn a_bad_game_keeps_its_moves_and_costs_no_other() {
    let good = "[GameType \"21\"]\n\n1. 11-15 23-19 *\n\n";
    for (bad, n_moves) in [
        ("[GameType \"21\"]\n\n1. 11-15 23-19 2. 1-2 8-11 *\n\n", 2),
        ("[GameType \"21\"]\n\n1. 11-15 {no end\n\n", 1),
        ("[GameType \"21\"]\n\n1. 11-15 (12-16\n\n", 1),
        ("[GameType \"21\"]\n[White \"A]\n\n1. 11-15 *\n\n", 1),
    ] {
        let text = format!("{good}{bad}{good}");
        let games = read_games(&text, None);
        let faults: Vec<bool> = games.iter().map(|read| read.fault.is_some()).collect();
        assert_eq!(faults, [false, true, false], "{text}");
        let kept = games[1]
            .played
            .as_ref()
            .map_or(0, |played| played.moves.len());
        assert_eq!(kept, n_moves, "{text}");
    }
}

#[test]
fn untagged_games_are_what_all_of_them_fit() {
    // The second game is international alone, since frisian captures across would come first.
    let text = "1. 32-28 19-23 *\n\n1. 32-28 17-22 2. 28x17 11x22 *\n";
    let games = read_games(text, None);
    let variants: Vec<_> = games.iter().map(|read| read.variant).collect();
    let each: Vec<_> = PdnGames::new(text.as_bytes(), None)
        .map(|read| read.fault.is_some())
        .collect();
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
    assert_eq!(
        first.data,
        data.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
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
        let tags = [
            ("Site", "here"),
            ("result", "9-9"),
            ("WhiteElo", "2000"),
            ("Annotator", "me"),
        ];
        let record = PdnRecord {
            tags: &tags,
            start: &start,
            comment: "",
            line: &[],
            end: Some(outcome).into(),
        };
        let read = read_games(&record.to_string(), Some(variant))
            .remove(0)
            .game;
        assert_eq!(read.tag("Result"), Some(text));
        assert_eq!(
            read.result(),
            winner.map_or(PdnResult::Drawn, PdnResult::Won)
        );
        for (name, value) in [("Site", "here"), ("WhiteElo", "2000"), ("Annotator", "me")] {
            assert_eq!(read.tag(name), Some(value));
        }
    }
}

#[test]
fn text_right_after_a_move_is_its_comment() {
    let text = "1. 11-15 23-19Redoversteppedthetime. 2. 8-11 1-0\n";
    let read = read_games(text, Some(Variant::English)).remove(0);
    assert!(read.fault.is_none(), "{:?}", read.fault);
    assert_eq!(read.played.unwrap().moves.len(), 3);
    assert_eq!(read.game.moves[1].comment, "Redoversteppedthetime.");
}

/// A table of the dialects for the documents; `docs/reference/pdn.md` holds it.
#[test]
fn a_star_ends_a_game_that_does_not_go_on() {
    for (text, plies) in [
        ("1. 11-15 * 23-19 2. 8-11 * 22-17 *", &[4][..]),
        ("1. 11-15 23-19 * 2. 8-11 *", &[3]),
        ("1. 11-15 * 1... 23-19 2. 8-11 *", &[3]),
        ("1. 11-15 23-19 * 1. 9-14 22-18 *", &[2, 2]),
        ("1. 11-15 23-19 * 5. 9-14 *", &[2, 1]),
        ("11-15 23-19 * 9-14 22-18 *", &[2, 2]),
    ] {
        let games = read_games(text, Some(Variant::English));
        let found: Vec<usize> = games.iter().map(|read| read.game.moves.len()).collect();
        assert_eq!(found, plies, "{text}");
    }
}

#[test]
fn the_documents_have_the_table_of_dialects() {
    let mut table = String::from(
        "| game | GameType | results | other first | squares |\n|---|---|---|---|---|\n",
    );
    for variant in Variant::GAMES {
        let start = Position::start(variant);
        let text_of = |outcome| {
            let record = PdnRecord {
                tags: &[],
                start: &start,
                comment: "",
                line: &[],
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
        let other = if read_first(&other).is_ok() {
            "read"
        } else {
            "refused"
        };
        let squares = start.move_text(start.legal_moves()[0]);
        table += &format!(
            "| {variant} | `{}` | White wins `{}`, Black wins `{}`, draw `{}` | {other} | `{squares}` |\n",
            variant.rules().game_type,
            results[0],
            results[1],
            results[2],
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
