//! The engine's answers.

use alphabeta::{MaterialBalance, Resources};
use engine::hub::{Connection, Frame, Line, MAX_LINE, Version, serve};
use engine::{
    AlphaBetaConfig, AlphaBetaPlayer, Analyzer, Findings, Player, PlayerError, SearchPlayer,
    SearchPlayerConfig, Task, Turn,
};
use rules::{Game, Position, Variant};
use search::{SearchConfig, Uniform};
use types::Seed;

use super::support::{connect, connect_in, hear, identity, say, wait_for};

/// The kinds of search available to clients.
fn net_config() -> SearchPlayerConfig {
    let search = SearchConfig::PAPER.without_noise();
    SearchPlayerConfig {
        few: search,
        many: search,
        simulations: 200,
        games_at_once: 4,
    }
}

fn alpha_beta() -> AlphaBetaPlayer<MaterialBalance> {
    let config = AlphaBetaConfig {
        resources: Resources {
            table_bytes: 1 << 20,
            threads: 1,
        },
        depth: None,
        nodes: None,
        usual_nodes: 1000,
    };
    AlphaBetaPlayer::new("ab", MaterialBalance, config)
}

fn analyzers() -> [Box<dyn Analyzer>; 3] {
    let net = SearchPlayer::new("net", Uniform, net_config());
    [
        Box::new(net),
        Box::new(SearchPlayer::mcts(100)),
        Box::new(alpha_beta()),
    ]
}

const FRISIAN_START: &str = "pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";

/// Waits until the engine has answered all messages sent so far.
fn synchronize(connection: &mut Connection) {
    say(connection, "ping");
    wait_for(connection, "pong");
}

fn start_frisian(connection: &mut Connection) {
    say(connection, "set-param name=variant value=frisian");
    say(connection, FRISIAN_START);
}

#[test]
fn a_new_game_depends_on_no_earlier_one() {
    let (mut engine, _) = connect(alpha_beta());
    start_frisian(&mut engine);
    say(&mut engine, "level nodes=3000");
    let mut deepest = |before: &str| {
        say(&mut engine, before);
        say(&mut engine, "go think");
        let mut deepest = String::new();
        loop {
            let line = hear(&mut engine);
            match line.value("depth") {
                Some(depth) => deepest = depth.to_owned(),
                None => return deepest,
            }
        }
    };
    let first = deepest("nothing");
    assert_eq!(deepest("new-game"), first);
    // The same nodes reach further with the table of earlier searches.
    assert_ne!(deepest("nothing"), first);
}

#[test]
fn the_dialogue_that_pydraughts_has() {
    let (mut engine, _) = connect(SearchPlayer::mcts(1));
    say(&mut engine, "hub");
    let id = hear(&mut engine);
    assert_eq!((id.command(), id.value("name")), ("id", Some("test")));
    let variant = hear(&mut engine);
    assert_eq!(variant.value("name"), Some("variant"));
    assert_eq!(variant.value("type"), Some("enum"));
    let values = variant.value("values").unwrap();
    for variant in Variant::ALL {
        let names = [variant.name()].into_iter().chain(variant.rules().hub_name);
        for name in names {
            assert!(values.split(' ').any(|value| value == name), "{name}");
        }
    }
    let frame = hear(&mut engine);
    assert_eq!(frame.value("name"), Some("english-frame"));
    assert_eq!(frame.value("value"), Some("pydraughts"));
    let lines = hear(&mut engine).to_string();
    assert_eq!(lines, "param name=lines value=1 type=int min=1 max=10");
    assert_eq!(hear(&mut engine), Line::new("wait"));
    say(&mut engine, "set-param name=variant value=frisian");
    say(&mut engine, "set-param name=threads value=1");
    say(&mut engine, "init");
    assert_eq!(hear(&mut engine), Line::new("ready"));
    say(&mut engine, "ping");
    assert_eq!(hear(&mut engine), Line::new("pong"));
    say(
        &mut engine,
        &format!("{FRISIAN_START} moves=\"32-27 17-21\""),
    );
    say(&mut engine, "level nodes=50");
    say(&mut engine, "go think");
    let info = hear(&mut engine);
    assert_eq!(info.command(), "info");
    for name in ["depth", "score", "nodes", "time", "nps"] {
        info.value(name).unwrap().parse::<f64>().unwrap();
    }
    assert_eq!(info.value("nodes"), Some("50"));
    let done = hear(&mut engine);
    assert_eq!(done.arguments()[0].name, "move");
    // 21x32 is not forced: White's only capture here is 27x16 over the man on 21.
    let mut game = Game::new(Position::start(Variant::Frisian));
    for text in ["32-27", "17-21"] {
        game.play(game.position().parse_move(text).unwrap());
    }
    let mv = engine::hub::read_move(game.position(), done.value("move").unwrap(), Frame::Native)
        .unwrap();
    assert!(
        info.value("pv")
            .unwrap()
            .starts_with(&engine::hub::write_move(game.position(), mv, Frame::Native))
    );
}

#[test]
fn lines_and_waiting_messages_are_limited() {
    let (mut engine, _) = connect(SearchPlayer::mcts(1));
    let ping = |length: usize| Line::new("ping").with("x", "y".repeat(length - "ping x=".len()));
    engine.send(&ping(MAX_LINE)).unwrap();
    assert_eq!(hear(&mut engine), Line::new("pong"));
    engine.send(&ping(MAX_LINE + 1)).unwrap();
    let error = wait_for(&mut engine, "error").to_string();
    assert!(
        error.contains(&format!("more than {MAX_LINE} bytes")),
        "{error}"
    );

    say(&mut engine, "go ponder");
    (0..64).for_each(|_| say(&mut engine, "init"));
    synchronize(&mut engine);
    say(&mut engine, "init");
    let error = wait_for(&mut engine, "error").to_string();
    assert!(
        error.contains("init is ignored: 64 messages are waiting"),
        "{error}"
    );
    say(&mut engine, "stop");
    wait_for(&mut engine, "done");
    for _ in 0..64 {
        assert_eq!(hear(&mut engine), Line::new("ready"));
    }
    synchronize(&mut engine);
}

#[test]
fn the_frame_turns_positions_but_not_moves() {
    let (mut engine, _) = connect(SearchPlayer::mcts(10));
    let start = |first: char| {
        format!(
            "{first}{}{}{}",
            "b".repeat(12),
            "e".repeat(8),
            "w".repeat(12)
        )
    };
    say(&mut engine, "level nodes=10");
    for (frame, first) in [("pydraughts", 'W'), ("native", 'B')] {
        say(
            &mut engine,
            &format!("set-param name=english-frame value={frame}"),
        );
        say(
            &mut engine,
            &format!("pos pos={} moves=\"11-15\"", start(first)),
        );
        say(&mut engine, "go");
        let done = wait_for(&mut engine, "done");
        let from: u32 = done
            .value("move")
            .unwrap()
            .split('-')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((21..=24).contains(&from), "a white man: {done}");
    }
}

#[test]
fn analysis_ends_when_it_is_stopped() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        start_frisian(&mut engine);
        say(&mut engine, "level infinite");
        for go in ["go analyze", "go think", "go ponder"] {
            say(&mut engine, go);
            wait_for(&mut engine, "info");
            synchronize(&mut engine);
            say(&mut engine, "stop");
            let done = wait_for(&mut engine, "done");
            assert!(done.value("move").is_some());
        }
        // Analysis ignores the clock.
        say(&mut engine, "level time=0.2");
        say(&mut engine, "go analyze");
        synchronize(&mut engine);
        say(&mut engine, "stop");
        wait_for(&mut engine, "done");
    }
}

/// The `info` lines of one result in order; the best one is last.
fn hear_result(engine: &mut Connection) -> Vec<Line> {
    let mut infos: Vec<Line> = Vec::new();
    while infos.last().is_none_or(|info| info.has("line")) {
        let info = hear(engine);
        assert_eq!(info.command(), "info");
        infos.push(info);
    }
    infos
}

#[test]
fn analysis_gives_as_many_lines_as_asked_for() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        start_frisian(&mut engine);
        say(&mut engine, "level nodes=3000");
        say(&mut engine, "set-param name=lines value=3");
        say(&mut engine, "go analyze");
        let infos = hear_result(&mut engine);
        let numbers: Vec<_> = infos.iter().map(|info| info.value("line")).collect();
        assert_eq!(numbers, [Some("3"), Some("2"), None]);
        let first = |info: &Line| {
            info.value("pv")
                .unwrap()
                .split(' ')
                .next()
                .map(str::to_owned)
        };
        let mut firsts: Vec<_> = infos.iter().map(first).collect();
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), 3, "{infos:?}");
        for info in &infos {
            assert!(
                info.has("depth") && info.has("score") && info.has("nodes"),
                "{info}"
            );
        }
        let mut last = infos;
        let done = loop {
            let line = hear(&mut engine);
            match line.command() {
                "info" => last.push(line),
                _ => break line,
            }
        };
        // The move played is the one of the last line without a number.
        assert_eq!(
            done.value("move").map(str::to_owned),
            first(&last[last.len() - 1])
        );
        // In games there is one line.
        say(&mut engine, "level nodes=200");
        say(&mut engine, "go think");
        loop {
            let line = hear(&mut engine);
            assert!(!line.has("line"), "{line}");
            if line.command() == "done" {
                break;
            }
        }
    }
}

/// There are 3 lines for 3 moves, and one for a forced move.
#[test]
fn there_are_no_more_lines_than_moves() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        say(&mut engine, "set-param name=lines value=10");
        say(&mut engine, "level depth=2 nodes=500");
        for (fen, n_lines) in [("W:W22:B18", 1), ("W:W32,29:B1,2", 3)] {
            let position = Position::from_fen(Variant::ALL[0], fen).unwrap();
            assert_eq!(position.legal_moves().len(), n_lines);
            let text = engine::hub::position_text(&position, Frame::Pydraughts);
            say(&mut engine, &format!("pos pos={text}"));
            say(&mut engine, "go analyze");
            assert_eq!(hear_result(&mut engine).len(), n_lines);
            wait_for(&mut engine, "done");
        }
    }
}

/// A tree search that reuses its tree and evaluates several leaves at a time.
fn tree() -> SearchPlayer<Uniform> {
    let config = SearchPlayerConfig {
        few: SearchConfig::KATAGO,
        many: SearchConfig::KATAGO,
        ..net_config()
    };
    SearchPlayer::new("tree", Uniform, config)
        .with_helpers([Uniform])
        .unwrap()
}

/// After a ponder hit the search continues as the search for the move, with its results.
#[test]
fn both_searches_ponder() {
    let analyzers: [Box<dyn Analyzer>; 2] = [Box::new(alpha_beta()), Box::new(tree())];
    for analyzer in analyzers {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        start_frisian(&mut engine);
        say(&mut engine, "level time=60 inc=0");
        say(&mut engine, "go ponder");
        for _ in 0..5 {
            assert_eq!(hear(&mut engine).command(), "info");
        }
        synchronize(&mut engine);
        // The opponent plays another move.
        say(&mut engine, "stop");
        assert!(wait_for(&mut engine, "done").value("move").is_some());
        say(&mut engine, &format!("{FRISIAN_START} moves=32-28"));
        say(&mut engine, "level nodes=2000");
        say(&mut engine, "go ponder");
        while hear(&mut engine).value("nodes") != Some("2000") {}
        // It is finished, but its result has not been requested yet.
        synchronize(&mut engine);
        say(&mut engine, "ponder-hit");
        let done = hear(&mut engine);
        assert_eq!(done.command(), "done");
        assert!(
            done.value("move").is_some() && done.value("ponder").is_some(),
            "{done}"
        );
        // The expected move is played during the search: from now on the clock limits it.
        say(
            &mut engine,
            &format!("{FRISIAN_START} moves=\"32-28 19-23\""),
        );
        say(&mut engine, "level time=1 inc=0");
        say(&mut engine, "go ponder");
        wait_for(&mut engine, "info");
        synchronize(&mut engine);
        say(&mut engine, "ponder-hit");
        assert!(wait_for(&mut engine, "done").value("move").is_some());
    }
}

/// A forced move is known immediately, but its result has not been requested yet.
#[test]
fn an_answer_waits_for_the_ponder_hit() {
    let (mut engine, _) = connect(SearchPlayer::mcts(10));
    let position = Position::from_fen(Variant::ALL[0], "W:W22:B18").unwrap();
    let text = engine::hub::position_text(&position, Frame::Pydraughts);
    say(&mut engine, &format!("pos pos={text}"));
    say(&mut engine, "level move-time=30");
    say(&mut engine, "go ponder");
    assert_eq!(hear(&mut engine).command(), "info");
    synchronize(&mut engine);
    say(&mut engine, "ponder-hit");
    assert_eq!(
        wait_for(&mut engine, "done").value("move"),
        Some("22x15x18")
    );
    // One that comes too late, and one too many.
    say(&mut engine, "ponder-hit");
    say(&mut engine, "stop");
    say(&mut engine, "ping");
    assert_eq!(hear(&mut engine).command(), "pong");
}

#[test]
fn the_clock_starts_with_the_ponder_hit() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        start_frisian(&mut engine);
        say(&mut engine, "level move-time=0.1");
        say(&mut engine, "go ponder");
        wait_for(&mut engine, "info");
        synchronize(&mut engine);
        say(&mut engine, "ponder-hit");
        assert!(wait_for(&mut engine, "done").value("move").is_some());
    }
}

#[test]
fn every_limit_ends_the_search() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        start_frisian(&mut engine);
        for level in [
            "depth=2",
            "nodes=300",
            "move-time=0.05",
            "time=1",
            "time=1 inc=1",
            "time=-0.5 inc=0.6",
            "moves=10 time=1",
            "moves=1 time=0",
            "depth=99 nodes=10 move-time=50",
        ] {
            say(&mut engine, &format!("level {level}"));
            say(&mut engine, "go think");
            assert!(
                wait_for(&mut engine, "done").value("move").is_some(),
                "{level}"
            );
        }
    }
}

#[test]
fn what_comes_too_early_waits() {
    let (mut engine, _) = connect(SearchPlayer::mcts(10));
    start_frisian(&mut engine);
    say(&mut engine, "level infinite");
    say(&mut engine, "go think");
    say(&mut engine, "level nodes=20");
    say(&mut engine, &format!("{FRISIAN_START} moves=32-28"));
    say(&mut engine, "go think");
    say(&mut engine, "init");
    say(&mut engine, "stop");
    let mut heard = Vec::new();
    while heard.last().is_none_or(|command| command != "ready") {
        heard.push(hear(&mut engine).command().to_owned());
    }
    heard.retain(|command| command != "info");
    assert_eq!(heard, ["done", "done", "ready"]);
}

#[test]
fn wrong_and_unknown_lines_do_no_harm() {
    let (mut engine, _) = connect(SearchPlayer::mcts(10));
    start_frisian(&mut engine);
    for text in [
        "",
        "   ",
        "nonsense",
        "go-away now=\"",
        "id name=x",
        "level speed",
        "pos pos=\"=",
    ] {
        say(&mut engine, text);
    }
    assert!(
        wait_for(&mut engine, "error")
            .value("message")
            .unwrap()
            .contains("move-time")
    );
    let message = wait_for(&mut engine, "error");
    assert!(message.value("message").unwrap().contains("needs 51"));
    // Without a position the answer has no move.
    say(&mut engine, "go think");
    wait_for(&mut engine, "error");
    assert_eq!(hear(&mut engine), Line::new("done"));
    for (text, hint) in [
        (
            format!("{FRISIAN_START} moves=\"32-28 1-1\""),
            "not a legal move",
        ),
        (
            "set-param name=variant value=chess".to_owned(),
            "unknown variant",
        ),
        (
            "set-param name=english-frame value=up".to_owned(),
            "not a frame",
        ),
        (
            "set-param name=lines value=0".to_owned(),
            "lines is '0': set a whole number from 1 to 10",
        ),
        ("set-param name=lines value=11".to_owned(), "lines is '11'"),
        ("set-param name=lines value=x".to_owned(), "lines is 'x'"),
        ("set-param name=lines".to_owned(), "lines is ''"),
    ] {
        say(&mut engine, &text);
        let error = wait_for(&mut engine, "error");
        let message = error.value("message").unwrap();
        assert!(
            message.contains(hint) && !message.contains('='),
            "{message}"
        );
    }
    say(&mut engine, FRISIAN_START);
    say(&mut engine, "level nodes=1");
    say(&mut engine, "go think unknown=argument");
    assert!(wait_for(&mut engine, "done").value("move").is_some());
}

/// Clients never ask for a move of a side without moves; the engine answers with an error and
/// continues to work.
#[test]
fn the_end_of_a_game_is_an_answer_without_a_move() {
    for analyzer in analyzers() {
        let (mut engine, _) = connect_in(Version::Two, analyzer);
        say(&mut engine, &format!("pos pos=Ww{}", "e".repeat(31)));
        say(&mut engine, &format!("pos pos=B{}", "e".repeat(32)));
        say(&mut engine, "go think");
        assert!(
            wait_for(&mut engine, "error")
                .value("message")
                .unwrap()
                .contains("K1")
        );
        assert!(
            wait_for(&mut engine, "error")
                .value("message")
                .unwrap()
                .contains("no legal move")
        );
        assert_eq!(hear(&mut engine), Line::new("done"));
        synchronize(&mut engine);
    }
}

#[test]
fn quitting_and_leaving_end_a_search_with_an_answer() {
    for last in ["quit\n", ""] {
        let input = format!("level infinite\ngo think\n{last}");
        let mut output = Vec::new();
        serve(
            Version::Two,
            input.as_bytes(),
            &mut output,
            &identity(),
            &mut SearchPlayer::mcts(1),
        )
        .unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(
            output.lines().last().unwrap().starts_with("done move="),
            "{output}"
        );
    }
    // The stream stays open after `quit`.
    let (mut engine, thread) = connect(SearchPlayer::mcts(1));
    say(&mut engine, "quit");
    thread.join().unwrap();
}

#[test]
fn an_engine_that_fails_still_answers() {
    struct Broken;
    impl Analyzer for Broken {
        fn analyze(
            &mut self,
            _: &Task<'_>,
            _: &mut dyn FnMut(&Findings),
        ) -> Result<Findings, PlayerError> {
            Err(PlayerError::Broken {
                name: "broken".to_owned(),
                reason: "a=b".into(),
            })
        }
    }
    let (mut engine, _) = connect(Broken);
    say(&mut engine, "go think");
    assert!(
        hear(&mut engine)
            .value("message")
            .unwrap()
            .contains("broken")
    );
    assert_eq!(hear(&mut engine), Line::new("done"));
}

/// With only a number of simulations, an engine plays the same moves as a match player.
#[test]
fn the_engine_plays_like_the_player() {
    let mut player = SearchPlayer::new("net", Uniform, net_config());
    let game = Game::new(Position::start(Variant::Frisian));
    let turn = Turn {
        game: &game,
        seed: Seed::new(game.position().hash()).derive("hub", &[0]),
        time: None,
    };
    let mut choices = Vec::new();
    player.choose(&[turn], &mut choices).unwrap();
    let (mut engine, _) = connect(player);
    start_frisian(&mut engine);
    say(&mut engine, "level nodes=200");
    say(&mut engine, "go think");
    let mv = engine::hub::write_move(game.position(), choices[0].mv, Frame::Native);
    assert_eq!(
        wait_for(&mut engine, "done").value("move"),
        Some(mv.as_str())
    );
}

/// JoclyBoard's dialogue: the whole game so far before each move.
#[test]
fn the_dialogue_that_joclyboard_has() {
    for (variant, first, reply) in [
        (Variant::English, "11-15", "23-18"),
        (Variant::Thai, "25-22", "8-11"),
    ] {
        let moves = format!("move {first}\nmove {reply}\n");
        let said = format!("start\nvariant {variant}\n{moves}level 0 60000 0\ngo\nquit\n");
        let mut heard = Vec::new();
        let mut analyzer = engine::Chooser(Box::new(SearchPlayer::mcts(20)));
        serve(
            Version::One,
            said.as_bytes(),
            &mut heard,
            &identity(),
            &mut analyzer,
        )
        .unwrap();
        let mut game = Game::new(Position::start(variant));
        for text in [first, reply] {
            game.play(game.position().parse_move(text).unwrap());
        }
        let heard = String::from_utf8(heard).unwrap();
        let lines: Vec<&str> = heard.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("info "), "{heard}");
        let words: Vec<&str> = lines[1].split(' ').collect();
        assert_eq!(words[0], "move");
        assert!(game.position().parse_move(words[1]).is_ok(), "{heard}");
    }
}

#[test]
fn version_1_has_words_for_mistakes() {
    let (said, mut heard) = (b"hub\nmove 1-50\ngo\nping\n", Vec::new());
    let mut analyzer = SearchPlayer::mcts(1);
    serve(
        Version::One,
        &said[..],
        &mut heard,
        &identity(),
        &mut analyzer,
    )
    .unwrap();
    let heard = String::from_utf8(heard).unwrap();
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(lines[..2], ["name test 1", "wait"]);
    assert!(
        lines[2].starts_with("error ") && !lines[2].contains("move "),
        "{heard}"
    );
    assert_eq!(lines[3..], ["error go without a valid position", "pong"]);
}
