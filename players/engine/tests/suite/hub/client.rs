//! Misbehaving engines, and engines as processes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::hub::{Connection, HubError, HubPlayer, HubPlayerConfig, Line, MAX_LINE, Version};
use engine::{
    Analyzer, Choice, Fault, Player, PlayerError, SearchLimits, Stopper, Task, TimeLeft, Turn,
};
use rules::{Game, Position, Variant};
use types::{Seed, Wdl};

use super::support::{PATIENCE, scripted};

fn config(timeout: Duration) -> HubPlayerConfig {
    HubPlayerConfig {
        variant: Variant::Frisian,
        version: Version::Two,
        limits: SearchLimits {
            depth: Some(3),
            ..SearchLimits::default()
        },
        timeout,
    }
}

/// An engine that follows the protocol until `go`; then it sends the result of `on_go`.
fn engine(mut on_go: impl FnMut() -> String + Send + 'static) -> Connection {
    scripted(move |line: &Line| match line.command() {
        "hub" => "id name=odd version=0\nwait\n".to_owned(),
        "init" => "ready\n".to_owned(),
        "go" => on_go(),
        _ => String::new(),
    })
}

/// The player with an engine that was started.
fn started(
    config: HubPlayerConfig,
    connect: impl FnMut() -> Result<Connection, HubError> + Send + 'static,
) -> HubPlayer {
    HubPlayer::new("odd", config, connect).started().unwrap()
}

fn ask(player: &mut HubPlayer, time: Option<TimeLeft>) -> Result<Choice, PlayerError> {
    let game = Game::new(Position::start(Variant::Frisian));
    let mut choices = Vec::new();
    let seed = Seed::new(0);
    let turn = Turn {
        game: &game,
        seed,
        time,
    };
    player.choose(&[turn], &mut choices)?;
    Ok(choices[0])
}

fn fault(answer: Result<Choice, PlayerError>) -> Fault {
    match answer {
        Err(PlayerError::Forfeit { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn news_and_noise_before_the_answer() {
    let talk = "info depth=1 score=0.2 nodes=7\nhello\nerror message=\"just so\"\n\
                info score=-99.5 nodes=9 pv=\"32-28\"\ninfo score=x\ndone move=32-28 ponder=17-21\n";
    let connect = move || Ok(engine(|| talk.to_owned()));
    let mut player = started(config(PATIENCE), connect);
    let choice = ask(&mut player, None).unwrap();
    assert_eq!((choice.value, choice.nodes), (Some(Wdl::LOSS), 9));
    assert_eq!(
        Position::start(Variant::Frisian).move_text(choice.mv),
        "32-28"
    );
}

#[test]
fn engines_analyze_within_the_limits_of_the_task() {
    let levels = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&levels);
    let connect = move || {
        let heard = Arc::clone(&heard);
        Ok(scripted(move |line: &Line| match line.command() {
            "hub" => "wait\n".to_owned(),
            "init" => "ready\n".to_owned(),
            "go" => "info score=99.5 nodes=9\ndone move=32-28\n".to_owned(),
            "level" => {
                heard.lock().unwrap().push(line.to_string());
                String::new()
            }
            _ => String::new(),
        }))
    };
    let mut player = started(config(PATIENCE), connect);
    let game = Game::new(Position::start(Variant::Frisian));
    let mut analyze = |limits| {
        let task = Task {
            game: &game,
            seed: Seed::new(0),
            stopper: Stopper::within(limits),
        };
        player.analyze(&task, &mut |_| {}).unwrap()
    };
    let nodes = SearchLimits {
        nodes: Some(50),
        ..SearchLimits::default()
    };
    let found = analyze(nodes);
    assert_eq!((found.best().value, found.nodes), (Some(Wdl::WIN), 9));
    analyze(SearchLimits::default());
    assert_eq!(*levels.lock().unwrap(), ["level nodes=50", "level depth=3"]);
}

#[test]
fn engines_that_fail_in_an_analysis_forfeit_no_game() {
    let connect = || Ok(engine(|| "done move=32-29\n".to_owned()));
    let mut player = started(config(PATIENCE), connect);
    let game = Game::new(Position::start(Variant::Frisian));
    let analyze = |player: &mut HubPlayer| {
        let task = Task {
            game: &game,
            seed: Seed::new(0),
            stopper: Stopper::after(50),
        };
        let found = player.analyze(&task, &mut |_| {});
        found.unwrap_err().to_string()
    };
    let error = analyze(&mut player);
    assert!(
        error.starts_with("player odd: illegal move `32-29`"),
        "{error}"
    );
    let config = HubPlayerConfig {
        version: Version::One,
        ..config(PATIENCE)
    };
    let mut player = HubPlayer::of_command("nothing", config);
    let error = analyze(&mut player);
    assert!(
        error.ends_with("has no limit of nodes: set a time"),
        "{error}"
    );
}

#[test]
fn illegal_moves_lose_the_game_and_not_the_engine() {
    let starts = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&starts);
    let connect = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let mut answers = [
            "done move=32-29\n",
            "done\n",
            "done move=\n",
            "done move=32-28\n",
        ]
        .into_iter();
        Ok(engine(move || {
            answers.next().unwrap_or_default().to_owned()
        }))
    };
    let mut player = started(config(PATIENCE), connect);
    for text in ["32-29", "", ""] {
        let fault = fault(ask(&mut player, None));
        let fen = Position::start(Variant::Frisian).to_fen();
        let text = text.to_owned();
        assert_eq!(fault, Fault::IllegalMove { text, fen });
    }
    assert!(ask(&mut player, None).is_ok());
    assert_eq!(starts.load(Ordering::Relaxed), 1);
}

/// The turns before the forfeited one have their answers, and the turns after it can be requested.
#[test]
fn a_lost_game_does_not_take_others_with_it() {
    let mut answers = ["32-28", "x", "32-28"].into_iter().cycle();
    let next = move || format!("done move={}\n", answers.next().unwrap_or_default());
    let mut connection = Some(engine(next));
    let connect = move || Ok(connection.take().unwrap());
    let mut player = started(config(PATIENCE), connect);
    let game = Game::new(Position::start(Variant::Frisian));
    let turn = Turn {
        game: &game,
        seed: Seed::new(0),
        time: None,
    };
    let mut choices = Vec::new();
    let error = player.choose(&[turn; 3], &mut choices).unwrap_err();
    assert!(matches!(error, PlayerError::Forfeit { .. }));
    assert_eq!(choices.len(), 1);
    player.choose(&[turn], &mut choices).unwrap();
    assert_eq!(choices.len(), 1);
}

#[test]
fn an_engine_that_hangs_is_out_of_time_and_started_again() {
    let mut starts = 0;
    let connect = move || {
        starts += 1;
        let first = starts == 1;
        let answer = if first {
            "info depth=1\n"
        } else {
            "done move=32-28\n"
        };
        Ok(engine(move || answer.to_owned()))
    };
    let mut player = started(config(Duration::from_millis(20)), connect);
    let fault = fault(ask(&mut player, None));
    let Fault::OutOfTime { used, limit } = fault else {
        panic!("{fault}")
    };
    assert!(used >= limit && limit == Duration::from_millis(20));
    let time = Some(TimeLeft::Move(PATIENCE));
    assert!(ask(&mut player, time).is_ok());
}

/// The engine answers a move and a `ping`, and is silent before the next move.
#[test]
fn an_engine_that_hangs_between_moves_can_be_stopped() {
    let connect = || {
        let mut pongs = ["pong\n"].into_iter();
        Ok(scripted(move |line: &Line| match line.command() {
            "hub" => "wait\n".to_owned(),
            "init" => "ready\n".to_owned(),
            "ping" => pongs.next().unwrap_or_default().to_owned(),
            "go" => "done move=32-28\n".to_owned(),
            _ => String::new(),
        }))
    };
    let mut player = started(config(PATIENCE), connect);
    assert!(ask(&mut player, None).is_ok());
    assert!(ask(&mut player, None).is_ok());
    let game = Game::new(Position::start(Variant::Frisian));
    let turn = Turn {
        game: &game,
        seed: Seed::new(0),
        time: None,
    };
    let stop = AtomicBool::new(true);
    let error = player
        .choose_until(&[turn], &mut Vec::new(), &stop)
        .unwrap_err();
    assert!(matches!(error, PlayerError::Stopped), "{error}");
}

#[test]
fn an_engine_that_gives_up_is_quoted() {
    let mut answers = [
        "error message=\"out of luck\"\ndone\n",
        "error message=x\ndone move=32-28\n",
    ]
    .into_iter();
    let connect = move || {
        let answer = answers.next().unwrap_or_default();
        Ok(engine(move || answer.to_owned()))
    };
    let mut player = started(config(PATIENCE), connect);
    let detail = "out of luck".to_owned();
    assert_eq!(fault(ask(&mut player, None)), Fault::Crash { detail });
    assert!(ask(&mut player, None).is_ok());
}

/// If an engine runs out of time, its own error message is reported.
#[test]
fn an_engine_that_complains_and_hangs_is_quoted() {
    let connect = || Ok(engine(|| "error message=\"no such game\"\n".to_owned()));
    let mut player = started(config(Duration::from_millis(20)), connect);
    let detail = "no such game".to_owned();
    assert_eq!(fault(ask(&mut player, None)), Fault::Crash { detail });
}

/// As written by Scan 2.0, and other possible output of an engine of version 1.
#[test]
fn engines_of_version_1() {
    let fen = || Position::start(Variant::Frisian).to_fen();
    let illegal = |text: &str| Fault::IllegalMove {
        text: text.to_owned(),
        fen: fen(),
    };
    let crash = |detail: &str| Fault::Crash {
        detail: detail.to_owned(),
    };
    for (said, expected) in [
        ("move 32-29", illegal("32-29")),
        ("move", illegal("")),
        ("move=32-28\ndone move=32-28\nmove 32x29", illegal("32x29")),
        ("error bad move\nmove", crash("bad move")),
        ("error bad position", crash("bad position")),
    ] {
        let config = HubPlayerConfig {
            version: Version::One,
            timeout: Duration::from_millis(20),
            ..config(PATIENCE)
        };
        let mut asked = 0;
        let connect = move || {
            let mut heard = Vec::new();
            Ok(scripted(move |line: &Line| {
                heard.push(line.command().to_owned());
                match line.command() {
                    "hub" => "Scan 2.0 by its author\nname Scan 2.0\nauthor x\nwait\n".to_owned(),
                    "init" => "ready\n".to_owned(),
                    "go" => {
                        asked += 1;
                        let order = "hub set init new start variant depth go";
                        assert!(asked > 1 || heard.join(" ") == order, "{heard:?}");
                        match asked {
                            1 => "info 9 9.0 -1930 77 1.2 0.1 32-28\ninfo 1\nmove 32-28 17-21\n"
                                .to_owned(),
                            _ => format!("{said}\n"),
                        }
                    }
                    _ => String::new(),
                }
            }))
        };
        let mut player = started(config, connect);
        let choice = ask(&mut player, None).unwrap();
        assert_eq!(choice.nodes, 77);
        assert!(choice.value.unwrap().loss > 0.99);
        assert_eq!(fault(ask(&mut player, None)), expected);
    }
}

#[test]
fn an_engine_that_leaves_breaks_down() {
    let mut starts = 0;
    let connect = move || {
        starts += 1;
        match starts {
            1 => Ok(engine(|| "quit\n".to_owned())),
            _ => Err(HubError::Command {
                command: "none".to_owned(),
            }),
        }
    };
    let mut player = started(config(PATIENCE), connect);
    let fault = fault(ask(&mut player, None));
    assert!(matches!(fault, Fault::Crash { .. }), "{fault}");
    // If it cannot be restarted, the match ends, rather than a game being lost.
    assert!(matches!(
        ask(&mut player, None),
        Err(PlayerError::Broken { .. })
    ));
}

#[test]
fn a_line_of_an_engine_has_a_limit() {
    let done = |length: usize| {
        let done = "done move=32-28";
        format!("{done}{}\n", " ".repeat(length - done.len()))
    };
    let answer = move |length| {
        let connect = move || Ok(engine(move || done(length)));
        ask(&mut started(config(PATIENCE), connect), None)
    };
    assert!(answer(MAX_LINE).is_ok());
    let fault = fault(answer(MAX_LINE + 1)).to_string();
    assert!(
        fault.contains(&format!("more than {MAX_LINE} bytes")),
        "{fault}"
    );
}

#[test]
fn commands_that_cannot_be_run_are_explained() {
    for (command, hint) in [
        ("", "is not a command"),
        ("a 'b", "is not a command"),
        (
            "/no/such/program --fast",
            "failed to start `/no/such/program --fast`",
        ),
    ] {
        let error = HubPlayer::of_command(command, config(PATIENCE))
            .started()
            .err()
            .unwrap();
        assert!(error.to_string().contains(hint), "{error}");
    }
}

#[cfg(unix)]
mod processes {
    use super::*;
    use std::path::Path;
    use std::time::Instant;

    fn start(script: &str) -> Result<HubPlayer, PlayerError> {
        HubPlayer::of_command(&format!("sh -c '{script}'"), config(PATIENCE)).started()
    }

    #[test]
    fn the_last_words_of_an_engine_are_told() {
        let error = start("echo no license found >&2; exit 3")
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("it wrote: no license found"), "{error}");
    }

    #[test]
    fn an_engine_that_closes_its_output_has_not_exited() {
        let error = start("exec >&-; sleep 60").err().unwrap().to_string();
        assert!(
            error.ends_with("the engine closed its input or output and did not exit"),
            "{error}"
        );
    }

    #[test]
    fn the_error_stream_is_no_message() {
        let mut player = start(
            "echo wait >&2; read hub; echo id name=sh; echo wait; read init; echo done move=1-1 >&2; \
             echo ready; while read line; do case \"$line\" in \
             go*) echo done move=32-29 >&2; echo done move=32-28;; quit) exit;; esac; done",
        )
        .unwrap();
        for _ in 0..3 {
            assert!(ask(&mut player, None).is_ok());
        }
    }

    #[test]
    fn an_engine_that_talks_without_end_is_out_of_time() {
        let script = "echo wait; echo ready; while read line; do case \"$line\" in \
                      go*) yes info depth=1;; esac; done";
        let command = format!("sh -c '{script}'");
        let config = config(Duration::from_millis(20));
        let mut player = HubPlayer::of_command(&command, config).started().unwrap();
        let fault = fault(ask(&mut player, None));
        assert!(matches!(fault, Fault::OutOfTime { .. }), "{fault}");
    }

    /// The grandchild notices neither the end of a stream nor a polite signal. If it survived, it
    /// would write a file.
    #[test]
    fn what_an_engine_starts_ends_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let script = format!(
            "(trap \"\" HUP TERM; sleep 20; echo alive) > {} & echo wait; read line",
            pipe.display()
        );
        let connection = Connection::start(&format!("sh -c '{script}'")).unwrap();
        let mut grandchild = std::fs::File::open(&pipe).unwrap();
        drop(connection);
        let mut said = String::new();
        std::io::Read::read_to_string(&mut grandchild, &mut said).unwrap();
        assert_eq!(said, "");
    }

    /// The child reports its process id, hangs, and ignores `quit` and closed streams.
    #[test]
    fn children_end_with_their_player() {
        let script =
            "echo id name=$$; echo wait; trap \"\" TERM; echo ready; while :; do sleep 1; done";
        let mut connection = Connection::start(&format!("sh -c '{script}'")).unwrap();
        let id = connection
            .receive("", engine::hub::Deadline::after(PATIENCE))
            .unwrap();
        let process = format!("/proc/{}", id.value("name").unwrap());
        if !Path::new("/proc/self").exists() {
            return; // Another Unix; there is no simple way to look.
        }
        assert!(Path::new(&process).exists());
        drop(connection);
        let deadline = Instant::now() + PATIENCE;
        while Path::new(&process).exists() {
            assert!(Instant::now() < deadline, "the child is still there");
        }
    }
}
