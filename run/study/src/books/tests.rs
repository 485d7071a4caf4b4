use std::fs;
use std::sync::atomic::AtomicBool;

use roster::{AdjustableAnalyzer, Effort, PlayerSpec};
use rules::Position;
use run::StageProgress;
use store::{read_book, write_book};

use super::*;
use crate::place::Place;

/// Two games of english, one of russian, and one from another start.
const GAMES: &str = "\
[GameType \"21\"]
[Result \"1-0\"]
1. 11-15 23-19 2. 8-11 22-17 1-0

[GameType \"21\"]
[Result \"1/2-1/2\"]
1. 11-15 23-18 1/2-1/2

[GameType \"25\"]
1. c3-d4 *

[GameType \"21\"]
[FEN \"B:W18,30,31,32:B2,3,4,11\"]
1. 2-6 *
";

impl Place {
    fn sources(&self, names: &[&str], min_games: u32) -> BookSources {
        BookSources {
            sources: names.iter().map(|name| self.path(name)).collect(),
            variant: None,
            encoding: None,
            plies: 20,
            min_games,
        }
    }

    fn expansion(&self, name: &str, positions: usize, threads: usize) -> Expansion {
        Expansion {
            file: self.path(name),
            variant: None,
            player: Some("material:english".parse().unwrap()),
            nodes: Some(300),
            positions,
            threads,
        }
    }
}

/// Expands a book, and stops before the search number `most` is kept.
fn run(request: &Expansion, most: u64) -> Result<(BookSummary, bool)> {
    let stop = AtomicBool::new(false);
    let mut on_progress = |stage: &StageProgress| {
        stop.store(stage.done >= most, std::sync::atomic::Ordering::Relaxed);
    };
    expand(request, &mut on_progress, &stop)
}

#[test]
fn games_of_files_and_books_are_merged() {
    let place = Place::with(GAMES);
    let (built, notices) = build(
        &place.sources(&["games.pdn"], 1),
        &place.path("a"),
        &mut |_| {},
    )
    .unwrap();
    assert_eq!((built.variant, built.positions), ("english", 4));
    assert!(notices[0].starts_with("games left out: 2 "), "{notices:?}");
    let twice = place.sources(&["games.pdn", "a"], 2);
    build(&twice, &place.path("b"), &mut |_| {}).unwrap();
    let book = read_book(&place.path("b")).unwrap();
    let shown = position(&book, &Position::start(book.variant()));
    assert_eq!(shown.moves.len(), 1);
    let first = &shown.moves[0];
    // In PDN of english 1-0 is a win of the side that begins.
    assert_eq!(
        (first.text.as_str(), first.games, first.wins, first.draws),
        ("11-15", 4, 2, 2)
    );
    assert!(
        shown.to_string().contains("11-15    games 4, score 75.0 %"),
        "{shown}"
    );
    let error = build(&twice, &place.path("b"), &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("exists: remove it"), "{error}");
    let error = build(
        &place.sources(&["games.pdn"], 9),
        &place.path("c"),
        &mut |_| {},
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("no move was played in 9 games"),
        "{error}"
    );
}

#[test]
fn the_first_fault_is_named() {
    let place = Place::with(&format!("{GAMES}\n[GameType \"21\"]\n1. 11-15 1-2 *\n"));
    let built = build(
        &place.sources(&["games.pdn"], 1),
        &place.path("a"),
        &mut |_| {},
    );
    let (_, notices) = built.unwrap();
    assert!(
        notices[1].starts_with("games with faults, counted up to them: 1 (the first: ")
            && notices[1].contains("games.pdn: line 17: ply 2: "),
        "{notices:?}"
    );
}

#[test]
fn a_stopped_expansion_resumes_with_the_same_book() {
    let place = Place::with(GAMES);
    let (whole, is_complete) = run(&place.expansion("whole", 80, 2), u64::MAX).unwrap();
    assert!(is_complete && whole.searched == 80, "{whole:?}");
    let parts = place.expansion("parts", 80, 1);
    let (_, is_complete) = run(&parts, 5).unwrap();
    assert!(!is_complete);
    let (stopped, is_complete) = run(&parts, 45).unwrap();
    assert!(
        !is_complete && (1..45).contains(&stopped.searched),
        "{stopped:?}"
    );
    assert!(run(&parts, u64::MAX).unwrap().1);
    let bytes = |path: &Path| fs::read(path).unwrap();
    assert_eq!(bytes(&whole.file), bytes(&parts.file));
    assert!(run(&parts, u64::MAX).unwrap().1, "nothing remains");
    let other = Expansion {
        nodes: Some(400),
        ..parts
    };
    let error = run(&other, u64::MAX).unwrap_err().to_string();
    assert!(
        error.contains("300 nodes a position, and values of"),
        "{error}"
    );
}

#[test]
fn lines_are_exported_and_read_again() {
    let place = Place::with(GAMES);
    run(&place.expansion("book", 20, 2), u64::MAX).unwrap();
    let book = read_book(&place.path("book")).unwrap();
    let exported = export(&book, &place.path("lines.pdn")).unwrap();
    assert!(exported.lines > 20, "{exported}");
    let sources = place.sources(&["lines.pdn"], 1);
    build(&sources, &place.path("again"), &mut |_| {}).unwrap();
    let again = read_book(&place.path("again")).unwrap();
    for line in book.lines() {
        let mut position = Position::start(book.variant());
        for found in line.moves {
            let known = again.moves(&position);
            assert!(known.iter().any(|other| other.mv == found.mv));
            position = position.play(found.mv);
        }
    }
}

#[test]
fn a_player_plays_the_moves_of_its_book() {
    let place = Place::with(GAMES);
    let start = Position::start(Variant::English);
    let [odd, reply] = ["12-16", "24-20"];
    let mut book = Book::new(Variant::English);
    let mv = start.parse_move(odd).unwrap();
    book.add_search(&start, &[(mv, 5000)]);
    let after = start.play(mv);
    book.add_search(&after, &[(after.parse_move(reply).unwrap(), -5000)]);
    let path = place.path("book");
    write_book(&path, &book).unwrap();
    let of = |player: &str| -> PlayerSpec {
        format!("{player},book={}", path.display()).parse().unwrap()
    };
    for player in [
        "ab:bundled,nodes=50",
        "material:english",
        "mcts:rollouts=5",
        "alphabeta:depth=1",
        "bundled,sims=2",
    ] {
        let loaded = of(player).load().unwrap();
        let side = loaded.factory(Variant::English, &Effort::USUAL).unwrap();
        let other = "random".parse::<PlayerSpec>().unwrap().load().unwrap();
        let other = other.factory(Variant::English, &Effort::USUAL).unwrap();
        let opening = eval::Opening {
            start,
            moves: Vec::new(),
        };
        let stop = AtomicBool::new(false);
        let arena = eval::Arena {
            pairs_at_once: 1,
            ..eval::Arena::new(types::Seed::new(1), 1, &stop)
        };
        let on_pair = &mut |_: &eval::MatchResult| std::ops::ControlFlow::Continue(());
        let result = eval::play_match([&side, &other], &[opening], &arena, on_pair).unwrap();
        let first = result.games.iter().find(|game| !game.swapped).unwrap();
        assert_eq!(first.moves[0], mv, "{player}");
    }
    let error = |text: &str| {
        of(text)
            .load()
            .err()
            .map(|error| error.to_string())
            .unwrap()
    };
    assert!(error("material:thai").contains("the book is for english, and the player plays thai"));
    fs::write(&path, "no book").unwrap();
    assert!(error("material:english").contains("is unusable: this is not an opening book"));
}

#[test]
fn a_hub_engine_is_given_a_book() {
    let place = Place::with(GAMES);
    let start = Position::start(Variant::English);
    let mut book = Book::new(Variant::English);
    book.add_search(&start, &[(start.parse_move("12-16").unwrap(), 100)]);
    let path = place.path("book");
    write_book(&path, &book).unwrap();
    let answers = |file: &Path, question: &str| {
        let text = format!(
            "hub\nset-param name=book value={}\nlevel nodes=50\npos\n{question}\nquit\n",
            file.display()
        );
        let spec = "material:english".parse::<PlayerSpec>().unwrap();
        let loaded = spec.load().unwrap();
        let mut analyzer = AdjustableAnalyzer::new(spec, &loaded, &[Variant::English]).unwrap();
        let identity = engine::hub::Identity {
            name: "name".to_owned(),
            version: "1".to_owned(),
            variants: vec![Variant::English],
            frame: engine::hub::Frame::Native,
            parameters: analyzer.parameters(),
        };
        let mut output = Vec::new();
        engine::hub::serve(
            engine::hub::Version::Two,
            text.as_bytes(),
            &mut output,
            &identity,
            &mut analyzer,
        )
        .unwrap();
        String::from_utf8(output).unwrap()
    };
    let played = answers(&path, "go think");
    assert!(played.contains("param name=book"), "{played}");
    assert!(played.contains("done move=12-16"), "{played}");
    assert!(!answers(&path, "go analyze").contains("nodes=0 "));
    let missing = answers(&place.path("missing"), "go think");
    assert!(missing.contains("error message"), "{missing}");
    assert!(missing.contains("done move="), "{missing}");
}
