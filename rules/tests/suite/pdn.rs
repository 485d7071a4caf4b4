//! Portable Draughts Notation: reading our own output and other programs' files.

use rules::pdn::{
    MAX_GAME_BYTES, MAX_MOVES, MAX_TAGS, PdnEnd, PdnError, PdnGame, PdnMove, PdnPly, PdnReader,
    PdnRecord, PdnResult,
};
use rules::{Color, Game, Position, Variant};

use crate::support::plies;

fn read(text: &str) -> Vec<Result<PdnGame, PdnError>> {
    PdnReader::new(text.as_bytes()).collect()
}

fn read_one(text: &str) -> PdnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0).unwrap()
}

fn words(game: &PdnGame) -> Vec<&str> {
    game.moves.iter().map(|mv| mv.text.as_str()).collect()
}

/// The game in which the first legal move is always played.
fn first_moves(variant: Variant) -> (Game, Vec<rules::Move>) {
    let mut game = Game::new(Position::start(variant));
    let mut moves = Vec::new();
    while game.outcome().is_none() {
        let mv = game.legal_moves()[0];
        moves.push(mv);
        game.play(mv);
    }
    (game, moves)
}

#[test]
fn written_games_read_back() {
    for variant in Variant::ALL {
        let (game, moves) = first_moves(variant);
        let start = Position::start(variant);
        let outcome = game.outcome();
        let tags = [("White", "a \"quoted\" \\ name"), ("Black", "b")];
        let line = plies(&moves);
        let record = PdnRecord {
            tags: &tags,
            start: &start,
            comment: "",
            line: &line,
            end: outcome.into(),
        };
        let text = record.to_string();
        assert!(
            text.lines()
                .all(|line| line.len() < 80 || line.starts_with('[')),
            "{text}"
        );
        let read = read_one(&text);
        assert_eq!(read.tag("White"), Some("a \"quoted\" \\ name"));
        assert_eq!(read.tag("FEN"), None);
        assert_eq!(read.variant().unwrap(), variant);
        assert_eq!(read.replay(variant).unwrap(), (start, moves));
        let expected = match outcome.unwrap().winner() {
            Some(color) => PdnResult::Won(color),
            None => PdnResult::Drawn,
        };
        assert_eq!(read.result(), expected);
    }
}

#[test]
fn a_game_of_ours_looks_like_this() {
    let start = Position::from_fen(Variant::English, "W:W27,28:B14,23,24:H3:F7").unwrap();
    let moves = [start.parse_move("27x9").unwrap()];
    let tags = [("Event", "Test"), ("White", "w"), ("Black", "b")];
    let line = plies(&moves);
    let record = PdnRecord {
        tags: &tags,
        start: &start,
        comment: "",
        line: &line,
        end: PdnEnd::OPEN,
    };
    let expected = "[Event \"Test\"]\n[White \"w\"]\n[Black \"b\"]\n[Result \"*\"]\n\
        [GameType \"21,B,8,8,N1,0\"]\n[Variant \"english\"]\n[SetUp \"1\"]\n\
        [FEN \"W:W27,28:B14,23,24:H3:F7\"]\n\n7... 27x9 *\n\n";
    assert_eq!(record.to_string(), expected);
}

#[test]
fn algebraic_games_read_back() {
    let start = Position::from_fen(Variant::Russian, "B:W22,K29:B11,18,K32").unwrap();
    let moves: Vec<_> = start.legal_moves().iter().copied().take(1).collect();
    let line = plies(&moves);
    let record = PdnRecord {
        tags: &[],
        start: &start,
        comment: "",
        line: &line,
        end: PdnEnd::OPEN,
    };
    let text = record.to_string();
    assert!(
        text.contains("[GameType \"25,W,8,8,A0,0\"]")
            && text.contains("[FEN \"B:Wc3,Ka1:Bf6,d4,Kg1:H0:F1\"]"),
        "{text}"
    );
    let game = read_one(&text.replace("[Variant \"russian\"]\n", ""));
    assert_eq!(game.variant().unwrap(), Variant::Russian);
    assert_eq!(game.replay(Variant::Russian).unwrap(), (start, moves));
}

#[test]
fn the_first_mover_wins_one_nil() {
    for (variant, first) in [(Variant::English, "Black"), (Variant::Frisian, "White")] {
        let start = Position::start(variant);
        let color = start.turn();
        let outcome = Some(rules::Outcome::Win(color, rules::WinReason::Blocked));
        let record = PdnRecord {
            tags: &[],
            start: &start,
            comment: "",
            line: &[],
            end: outcome.into(),
        };
        let game = read_one(&record.to_string());
        assert_eq!(game.tag("Result"), Some("1-0"));
        assert_eq!(game.tag("Winner"), Some(first));
        assert_eq!(game.result(), PdnResult::Won(color));
    }
}

#[test]
fn results_of_other_programs() {
    let result = |tags: &str| read_one(&format!("{tags} 11-15 *")).result();
    let (white, black) = (PdnResult::Won(Color::White), PdnResult::Won(Color::Black));
    // If no tag names the game, the first move determines the side that begins.
    assert_eq!(result("[Result \"1-0\"]"), black);
    assert_eq!(read_one("[Result \"1-0\"] 32-28 *").result(), white);
    assert_eq!(read_one("[Result \"1-0\"] *").result(), white);
    assert_eq!(result("[GameType \"21\"][Result \"1-0\"]"), black);
    assert_eq!(
        result("[GameType \"31,B,8,8,N2,0\"][Result \"1-0\"]"),
        black
    );
    assert_eq!(
        read_one("[GameType \"31,W,8,8,N2,0\"][Result \"0-1\"] 25-22 *").result(),
        black
    );
    assert_eq!(
        result("[GameType \"21,W,8,8,N1,0\"][Result \"1-0\"]"),
        white
    );
    assert_eq!(result("[GameType \"21\"][Result \"2-0\"]"), white);
    assert_eq!(result("[GameType \"21\"][Result \"0-2\"]"), black);
    assert_eq!(result("[Result \"*\"][Winner \"Black\"]"), black);
    assert_eq!(
        result("[GameType \"21\"][Result \"1-0\"][Winner \"White\"]"),
        white
    );
    assert_eq!(result("[Result \"1-1\"]"), PdnResult::Drawn);
    assert_eq!(result("[Result \"*\"]"), PdnResult::Open);
    assert_eq!(read_one("[Result \"*\"] 1. 11-15 0-1").result(), white);
    assert_eq!(read_one("1. 11-15 1/2-1/2").result(), PdnResult::Drawn);
    for drawn in [
        "1.01-0.99",
        "1+ - 1-",
        "½:½",
        "1-1 agreed",
        "(1-1)",
        "10-10",
    ] {
        assert_eq!(result(&format!("[Result \"{drawn}\"]")), PdnResult::Drawn);
    }
    let large = "1-42949672.95";
    for open in [
        "+-", "-+", "12-8", "+", "-", "draw", "1-", "-1", "1.x-1.x", large,
    ] {
        assert_eq!(result(&format!("[Result \"{open}\"]")), PdnResult::Open);
    }
    assert_eq!(result("[Result \"2-0 {by time}\"]"), white);
    assert_eq!(
        read_one("[Result \"?\"] 1. 11-15 (2-0) 22-18").result(),
        PdnResult::Open
    );
}

#[test]
fn negative_numbers_of_marks_are_no_marks() {
    let game = read_one("1. 32-28 $-1 19-23 $1 *");
    let glyphs: Vec<_> = game.moves.iter().map(|mv| mv.glyph.as_str()).collect();
    assert_eq!(glyphs, ["", "!"]);
}

#[test]
fn positions_in_other_tags_are_not_passed_over() {
    for tag in [
        "[SetUp \"W:W32:B19\"]",
        "[Position \"W:W32:B19\"]",
        "[initialposition \"W:W32:B19:\"]",
        "[FEN: \"W:W32:B19\"]",
        "[FEN \"\"] [SetUp \"W:W32:B19\"]",
    ] {
        let game = read_one(&format!("[GameType \"20\"] {tag} 1. 32-28 *"));
        let (start, _) = game.replay(Variant::International).unwrap();
        assert_eq!(start.to_fen(), "W:W32:B19:H0:F1", "{tag}");
    }
    assert_eq!(read_one("[GameType \"20\"] [SetUp \"1\"] *").fen(), None);
}

#[test]
fn an_invalid_tag_does_not_split_a_game() {
    for bad in ["[Event \"a", "[Two Words \"a\"]", "[Event 'a']"] {
        let text = format!("[White \"a\"]\n{bad}\n[Black \"b\"]\n\n1. 32-28 19-23 *\n");
        let next = "[White \"c\"]\n\n1. 32-27 *\n";
        for text in [format!("{text}\n{next}"), format!("{bad}\n{text}{next}")] {
            let mut reader = PdnReader::new(text.as_bytes());
            let error = reader.next().unwrap().unwrap_err();
            assert!(matches!(error, PdnError::Tag { .. }), "{error}");
            let game = reader.take_broken();
            assert_eq!(
                (game.tag("White"), game.tag("Black")),
                (Some("a"), Some("b"))
            );
            assert_eq!(words(&game), ["32-28", "19-23"]);
            let next = reader.next().unwrap().unwrap();
            assert_eq!(
                (next.tag("White"), words(&next)),
                (Some("c"), vec!["32-27"])
            );
            assert!(reader.next().is_none());
        }
    }
    // Without the position its moves would be read from another one.
    for (bad, n_moves) in [
        ("[FEN 'W:W32:B19']", 0),
        ("[position 'W:W32:B19']", 0),
        ("[Site 'Offenbach: hall']", 1),
    ] {
        let text = format!("{bad}\n\n1. 32-28 *\n");
        let mut reader = PdnReader::new(text.as_bytes());
        assert!(reader.next().unwrap().is_err());
        assert_eq!(reader.take_broken().moves.len(), n_moves, "{bad}");
    }
    // The first tag of the next game is not one of the game before it.
    let mut reader = PdnReader::new(&b"[White \"a\"]\n1. 32-28\n\n[White \"c]\n1. 32-27 *\n"[..]);
    assert_eq!(words(&reader.next().unwrap().unwrap()), ["32-28"]);
    assert_eq!(reader.next().unwrap().unwrap_err().line(), 4);
    assert_eq!(words(&reader.take_broken()), ["32-27"]);
}

#[test]
fn games_without_moves_stay_apart() {
    let tags = "[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"2-0\"]\n\n";
    assert_eq!(read(&tags.repeat(3)).len(), 3);
    let nameless = "[Event \"f\"]\n[Result \"0-2\"]\n\n1. 32-28 *\n";
    assert_eq!(read(&format!("{tags}{nameless}")).len(), 2);
}

#[test]
fn who_moves_first_is_told_by_the_fen_the_game_or_the_first_move() {
    for (text, first) in [
        ("1. e4 e5 *", Color::White),
        (
            "[FEN \"rnbqkbnr/8/8/8/8/8/8/RNBQKBNR b KQkq - 0 1\"] *",
            Color::Black,
        ),
        ("[GameType \"21\"] [FEN \"W:W22:B9\"] *", Color::White),
        ("[GameType \"21\"] *", Color::Black),
        ("[GameType \"31,B,8,8,N2,0\"] *", Color::Black),
        ("1. 11-15 23-19 *", Color::Black),
        ("1. 32-28 19-23 *", Color::White),
        ("[White \"a\"] *", Color::White),
    ] {
        assert_eq!(read_one(text).first_mover(), first, "{text}");
    }
    // A result refers to the side that moves first by the rules, whichever side the FEN names.
    let game = read_one("[GameType \"21\"] [FEN \"W:W22:B9\"] [Result \"1-0\"] *");
    assert_eq!(game.result(), PdnResult::Won(Color::Black));
}

#[test]
fn a_man_on_its_last_row_is_a_king_in_problems() {
    for fen in ["W:W18,K15,1:BK30,K26,2.", "?:W18,K15,1:BK30,K26,2"] {
        for text in [
            format!("[FEN \"{fen}\"] 1. 1-5 *"),
            format!("1. 9-13 22-18 /FEN \"{fen}\"/ 2. 1-5 *"),
        ] {
            let played = read_one(&text).play(Variant::English).unwrap();
            let start = played.start.to_fen();
            assert!(played.fault.is_none(), "{text}: {:?}", played.fault);
            assert!(start.starts_with("W:WK1,K15,18:B2,K26,K30:"), "{start}");
        }
    }
}

#[test]
fn everything_that_is_no_move_is_passed_over() {
    let game = read_one(
        "\u{feff}% a line comment\n[GameType \"21\"] [Site \"a ] b\"]\n\n\
         1. 11-15! {a (comment) [%clk 0:01]\nover lines} 22-18 $14 2.15x22 (2. 10-14 (x) {)} 1-0)\n\
         2... 25x18?! ; to the end (\n3. 8-11. 29:25 /W:W1:B2/ 4... 4 1-0",
    );
    assert_eq!(
        words(&game),
        ["11-15", "22-18", "15x22", "25x18", "8-11", "29:25", "4"][..6]
    );
    assert_eq!(game.end.as_deref(), Some("1-0"));
    assert_eq!(game.tag("Site"), Some("a ] b"));
}

#[test]
fn what_is_said_about_moves_is_kept() {
    let game = read_one(
        "{before} 1. 11-15! {one} {two\nlines} (1. 12-16 $6 (1. 9-13) (x) 1-0 {in}) (1. 9-14 () ) 23-19 $4 *",
    );
    assert_eq!(game.comment, "before");
    let [first, second] = &game.moves[..] else {
        panic!("{game:?}")
    };
    assert_eq!(
        (first.glyph.as_str(), first.comment.as_str()),
        ("!", "one two lines")
    );
    assert_eq!(second.glyph, "??");
    let texts =
        |line: &[PdnMove]| -> Vec<String> { line.iter().map(|mv| mv.text.clone()).collect() };
    assert_eq!(first.variations.len(), 2);
    let inner = &first.variations[0][0];
    assert_eq!((inner.glyph.as_str(), inner.comment.as_str()), ("?!", "in"));
    assert_eq!(texts(&inner.variations[0]), ["9-13"]);
    assert_eq!(texts(&first.variations[1]), ["9-14"]);
    // A comment before a variation's first move belongs to no move.
    assert_eq!(read_one("1. 11-15 ({lost} 1. 9-13) *").comment, "");
    let games = read("1. 11-15 (1. 12-16\n[Event \"2\"]\n12-16 *");
    let error = games[0].as_ref().unwrap_err().to_string();
    assert_eq!(error, "line 1: `(` has no `)` after it");
    assert_eq!(words(games[1].as_ref().unwrap()), ["12-16"]);
}

#[test]
fn variations_that_are_too_deep_are_passed_over_whole() {
    let deep = "(1. 9-13 {)} ".repeat(5000) + &") 22-18 ".repeat(5000);
    let game = read_one(&format!("1. 11-15 {deep} *"));
    assert_eq!(words(&game), ["11-15", "22-18"]);
    let mut depth = 0;
    let mut line = &game.moves[0].variations[..];
    while let [moves] = line {
        let texts: Vec<&str> = moves.iter().map(|mv| mv.text.as_str()).collect();
        assert_eq!(texts[0], "9-13");
        // The deepest variation read has all of its moves and no nested ones.
        assert_eq!(texts[1..], ["22-18"]);
        depth += 1;
        line = &moves[0].variations;
    }
    assert_eq!(depth, 16);
}

#[test]
fn lines_with_variations_are_not_too_long() {
    let (game, moves) = first_moves(Variant::English);
    let mut position = *game.start();
    let ply = PdnPly::from;
    let mut line = Vec::new();
    for &mv in &moves {
        let mut main = ply(mv);
        main.variations = vec![vec![ply(*position.legal_moves().last().unwrap())]];
        line.push(main);
        position = position.play(mv);
    }
    let start = Position::start(Variant::English);
    let tree = PdnRecord {
        tags: &[],
        start: &start,
        comment: "",
        line: &line,
        end: PdnEnd::OPEN,
    };
    let text = tree.to_string();
    let lengths: Vec<usize> = text.lines().map(str::len).collect();
    assert!(lengths.iter().all(|&length| length <= 80), "{text}");
    assert!(lengths.contains(&79), "{text}");
    assert_eq!(read_one(&text).moves.len(), moves.len());
}

#[test]
fn trees_are_written_with_their_numbers() {
    let start = Position::start(Variant::English);
    let line = |texts: &[&str], mut position: Position| -> Vec<PdnPly> {
        let ply = |text: &&str| {
            let mv = position.parse_move(text).unwrap();
            position = position.play(mv);
            PdnPly::from(mv)
        };
        texts.iter().map(ply).collect()
    };
    let mut main = line(&["11-15", "23-19", "8-11"], start);
    main[0].glyph = "!?".to_owned();
    let variation = line(&["22-17", "8-11"], start.play(main[0].mv));
    main[1].variations.push(variation);
    main[1].comment = "usual".to_owned();
    let tree = PdnRecord {
        tags: &[],
        start: &start,
        comment: "a study",
        line: &main,
        end: PdnEnd::OPEN,
    };
    let text = tree.to_string();
    let moves = text.split("\n\n").nth(1).unwrap();
    assert_eq!(
        moves,
        "{a study} 1. 11-15!? 23-19 {usual} (1... 22-17 2. 8-11) 2. 8-11 *"
    );
}

#[test]
fn games_are_told_apart() {
    let text =
        "[Event \"1\"]\n\n1-0\n[Event \"2\"]\n\n[Event \"3\"]\n11-15\n[Event \"4\"]\n* 11-16 *\n";
    let games: Vec<PdnGame> = read(text).into_iter().map(Result::unwrap).collect();
    let events: Vec<_> = games
        .iter()
        .map(|game| game.tag("Event").unwrap_or("-"))
        .collect();
    assert_eq!(events, ["1", "2", "3", "4", "-"]);
    assert_eq!(
        games.iter().map(|game| game.line).collect::<Vec<_>>(),
        [1, 4, 6, 8, 9]
    );
    assert!(read("").is_empty());
    assert!(read("  \n * \n").is_empty());
}

#[test]
fn thai_games_may_begin_with_black() {
    let game = read_one("[GameType \"31,B,8,8,N2,0\"] 1. 8-12 25-22 *");
    assert_eq!(game.variant().unwrap(), Variant::Thai);
    let (start, moves) = game.replay(Variant::Thai).unwrap();
    assert_eq!((start.turn(), moves.len()), (Color::Black, 2));
    let game = read_one("[GameType \"31\"] 1. 25-22 8-12 *");
    assert_eq!(game.replay(Variant::Thai).unwrap().1.len(), 2);
}

#[test]
fn faults_name_the_line_and_the_next_game_is_read() {
    let text = "[Event \"1\"]\n[Broken]\n11-15\n[Event \"2\"]\n1. 11-15\n1-5 *\n";
    let games = read(text);
    assert_eq!(games.len(), 2);
    let error = games[0].as_ref().unwrap_err().to_string();
    assert_eq!(
        error,
        "line 2: `[Broken]` is not a tag: write [Name \"value\"]"
    );
    let second = games[1].as_ref().unwrap();
    let error = second.replay(Variant::English).unwrap_err().to_string();
    assert!(
        error.starts_with("line 6: ply 2: `1-5` is not a legal move here: try 21-17"),
        "{error}"
    );
    assert!(
        second
            .variant()
            .unwrap_err()
            .to_string()
            .starts_with("line 4: no tag names the game, and it has no moves that fit a game: add")
    );

    for tag in ["[ \"x\"]", "[a b \"x\"]"] {
        let error = read(tag).remove(0).unwrap_err().to_string();
        assert!(error.starts_with("line 1: `["), "{error}");
    }
    assert_eq!(read_one("[Event_2 \"x\"] *").tag("Event_2"), Some("x"));

    let error = read("1. 11-15\n{ no end\n")
        .remove(0)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "line 2: `{` has no `}` after it");
    let error = read("1. 11-15\n ( no end\n")
        .remove(0)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "line 2: `(` has no `)` after it");
    let error = read_one("[FEN \"W:W40:B1\"] *")
        .start(Variant::English)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("line 1: start position: square 40 is not on the english board"));
}

/// The same for moves, tags and bytes: a game at the limit is read, one above it is rejected, and
/// the next one is read again.
#[test]
fn games_are_limited() {
    let moves = |n: usize| "1. 11-15 (1. 9-13 ".to_owned() + &"a ".repeat(n - 2) + ") *\n";
    let tags = |n: usize| {
        (0..n)
            .map(|k| format!("[T{k} \"v\"]\n"))
            .collect::<String>()
            + "1. 11-15 *\n"
    };
    let comment = |n: usize| {
        let (begin, end) = ("1. 11-15 {", "} *\n");
        let middle = "word word\n".repeat(MAX_GAME_BYTES / 10 - 10);
        let rest = n - begin.len() - middle.len() - end.len();
        format!("{begin}{middle}{}{end}", "x".repeat(rest))
    };
    let line = |n: usize| format!("1. 11-15 {{{}}} *\n", "x".repeat(n - 14));
    let check = |what: &str, limit: usize, text: &dyn Fn(usize) -> String| {
        let next = "[White \"next\"]\n1. 9-13 *\n";
        let games = read(&(text(limit) + next));
        assert!(
            games.iter().all(Result::is_ok),
            "{what}: {:?}",
            games[0].as_ref().err()
        );
        assert_eq!(games.len(), 2);
        let games = read(&(text(limit + 1) + next));
        let error = games[0].as_ref().unwrap_err().to_string();
        assert!(
            error.contains(&format!("the game has more than {limit} {what}, the limit")),
            "{error}"
        );
        let last = games.last().unwrap().as_ref().unwrap();
        assert_eq!(last.tag("White"), Some("next"));
    };
    check("moves", MAX_MOVES, &moves);
    check("tags", MAX_TAGS, &tags);
    check("bytes", MAX_GAME_BYTES, &comment);
    check("bytes", MAX_GAME_BYTES, &line);
}

#[test]
fn names_of_tags_are_written_so_that_they_can_be_read() {
    let names = ["White Elo", "", "]", "a\nb", "\"x\"", "F E N", "Ort.1-2_é"];
    let record = PdnRecord {
        tags: &names.map(|name| (name, "value")),
        start: &Position::start(Variant::English),
        comment: "",
        line: &[],
        end: PdnEnd::OPEN,
    };
    let read = read_one(&record.to_string());
    let given = read.tags.iter().filter(|(_, value)| value == "value");
    let given: Vec<&str> = given.map(|(name, _)| name.as_str()).collect();
    assert_eq!(given, ["WhiteElo", "ab", "x", "Ort.1-2_é"]);
}

#[test]
fn quotes_and_backslashes_in_tags_come_back() {
    for name in ["C:\\", "a\\\\", "say \"no\"", "\\\"", "C:\\Games\\b"] {
        let record = PdnRecord {
            tags: &[("Black", name)],
            start: &Position::start(Variant::English),
            comment: "",
            line: &[],
            end: PdnEnd::OPEN,
        };
        assert_eq!(
            read_one(&record.to_string()).tag("Black"),
            Some(name),
            "{record}"
        );
    }
}
