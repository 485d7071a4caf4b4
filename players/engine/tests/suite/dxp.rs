//! Both sides of the DamExchange protocol, against each other and against dialogues of other
//! programs.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::dxp::{
    Connection, DxpError, DxpPlayer, DxpPlayerConfig, MAX_MESSAGE, Message, PlayedGame, Reason,
    carries, serve,
};
use engine::{
    Analyzer, Choice, Chooser, Fault, Player, PlayerError, SearchLimits, SearchPlayer, Stopper,
    Task, Turn,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Position, Variant};
use types::Seed;

/// Has a fixed effort, regardless of the clock.
fn analyzer() -> impl Analyzer {
    Chooser(Box::new(SearchPlayer::mcts(4)))
}

/// The follower's move, which is a function of the position.
fn own_choice(game: &Game) -> Move {
    let task = Task {
        game,
        seed: Seed::new(game.position().hash()).derive("dxp", &[game.plies().into()]),
        stopper: Stopper::within(SearchLimits::default()),
    };
    analyzer().analyze(&task, &mut |_| {}).unwrap().best().moves[0]
}

type Served = (Result<(), DxpError>, Vec<PlayedGame>);

/// A follower for one connection, and its address.
fn follower(variant: Variant) -> (String, JoinHandle<Served>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = thread::spawn(move || {
        let mut connection = Connection::new(listener.accept().unwrap().0).unwrap();
        let (mut games, mut analyzer) = (Vec::new(), analyzer());
        let after_game = &mut |game: &PlayedGame| {
            games.push(PlayedGame {
                opponent: game.opponent.clone(),
                game: game.game.clone(),
                ..*game
            });
        };
        let ended = serve(&mut connection, "test", variant, &mut analyzer, after_game);
        (ended, games)
    });
    (address, served)
}

/// A program that sends these messages, one after each message received, and then leaves; returns
/// what it received.
fn scripted(replies: &'static [&'static str]) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = thread::spawn(move || {
        let mut raw = Raw(listener.accept().unwrap().0);
        let heard = replies
            .iter()
            .map(|reply| {
                let heard = raw.hear();
                raw.say(reply);
                heard
            })
            .collect();
        raw.0.shutdown(Shutdown::Write).unwrap();
        raw.0.read_to_end(&mut Vec::new()).unwrap();
        heard
    });
    (address, heard)
}

/// The other end of a follower's connection, byte by byte.
struct Raw(TcpStream);

impl Raw {
    fn connect(address: &str) -> Raw {
        Raw(TcpStream::connect(address).unwrap())
    }

    fn say(&mut self, text: &str) {
        self.0.write_all(format!("{text}\0").as_bytes()).unwrap();
    }

    /// The next message; empty at the end.
    fn hear(&mut self) -> String {
        let (mut bytes, mut byte) = (Vec::new(), [0]);
        while self.0.read_exact(&mut byte).is_ok() && byte != [0] {
            bytes.extend(byte);
        }
        String::from_utf8(bytes).unwrap()
    }

    fn ask(&mut self, text: &str) -> String {
        self.say(text);
        self.hear()
    }
}

fn config(address: &str, variant: Variant) -> DxpPlayerConfig {
    DxpPlayerConfig {
        address: address.to_owned(),
        variant,
        minutes: 5,
    }
}

fn ask(player: &mut impl Player, game: &Game) -> Result<Choice, PlayerError> {
    let turn = Turn {
        game,
        seed: Seed::new(1),
        time: None,
    };
    let mut choices = Vec::new();
    player.choose(&[turn], &mut choices)?;
    Ok(choices[0])
}

/// A request for a game of five minutes in which the follower has this color.
fn request(color: char, start: &str) -> String {
    format!("R01{:<32}{color}005000{start}", "A test")
}

const ACCEPTED: &str = "Atest                            0";

#[test]
fn our_two_sides_play_whole_games() {
    let carried: Vec<Variant> = Variant::ALL.into_iter().filter(|v| carries(*v)).collect();
    assert!(carried.contains(&Variant::Frisian) && !carried.contains(&Variant::English));
    for variant in carried {
        let (address, served) = follower(variant);
        let mut player = DxpPlayer::new("dxp", config(&address, variant)).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
        let mut finished = Vec::new();
        for followers_side in [0, 1] {
            let mut game = Game::new(Position::start(variant));
            while game.outcome().is_none() {
                let legal = game.legal_moves();
                if game.moves().len() % 2 == followers_side {
                    let own = own_choice(&game);
                    assert_eq!(ask(&mut player, &game).unwrap().mv, own, "{variant}");
                    game.play(own);
                } else {
                    game.play(legal[rng.random_range(0..legal.len())]);
                }
            }
            finished.push(game);
        }
        drop(player);
        let (ended, games) = served.join().unwrap();
        ended.unwrap();
        assert_eq!(games.len(), 2);
        for (game, seen) in finished.iter().zip(&games) {
            // The follower does not learn what ends the game on the initiator's side.
            assert!(game.moves().starts_with(seen.game.moves()));
            assert!(game.moves().len() - seen.game.moves().len() <= 1);
            assert_eq!(seen.opponent, "Crownhead");
        }
    }
}

#[test]
fn games_are_taken_up_anywhere_and_in_any_order() {
    let variant = Variant::Frisian;
    let (address, served) = follower(variant);
    let mut player = DxpPlayer::new("dxp", config(&address, variant)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for plies in [6, 3, 8, 1, 0, 5] {
        let mut game = Game::new(Position::start(variant));
        for _ in 0..plies {
            let legal = game.legal_moves();
            game.play(legal[rng.random_range(0..legal.len())]);
        }
        let choice = ask(&mut player, &game).unwrap();
        assert!(game.legal_moves().contains(&choice.mv));
    }
    drop(player);
    let (ended, games) = served.join().unwrap();
    ended.unwrap();
    assert_eq!(games.len(), 6);
}

/// JoclyBoard's dialogue: a new game for every move.
#[test]
fn a_request_for_every_move() {
    let (address, served) = follower(Variant::Frisian);
    let mut raw = Raw::connect(&address);
    let start = format!("BW{}{}{}", "z".repeat(20), "e".repeat(10), "w".repeat(20));
    let game = Game::new(Position::start(Variant::Frisian));
    for _ in 0..2 {
        assert_eq!(raw.ask(&request('W', &start)), ACCEPTED);
        let Message::Move(answer) = Message::parse(&raw.hear()).unwrap() else {
            panic!("a move was expected")
        };
        assert_eq!(answer.read(game.position()).unwrap(), own_choice(&game));
        assert_eq!(raw.ask("E00"), "E00");
    }
    drop(raw);
    let (ended, games) = served.join().unwrap();
    ended.unwrap();
    assert_eq!((games.len(), games[0].reason), (2, Reason::Unknown));
}

#[test]
fn moves_are_taken_back() {
    let (address, served) = follower(Variant::Frisian);
    let mut raw = Raw::connect(&address);
    assert_eq!(raw.ask(&request('Z', "A")), ACCEPTED);
    let first = raw.ask("M0000322800");
    assert_eq!(raw.ask("B002W"), "K0");
    assert_eq!(raw.ask("B001W"), "K0");
    assert_eq!(raw.ask("B001Z"), "K2");
    assert_eq!(raw.ask("B009W"), "K2");
    assert_eq!(raw.ask("B000W"), "K2");
    // The same again, and then back to the follower's own turn.
    assert_eq!(raw.ask("M0000322800"), first);
    assert_eq!(raw.ask("B001Z"), "K0");
    assert_eq!(raw.hear(), first);
    assert_eq!(raw.ask("E01"), "E01");
    assert!(served.join().unwrap().0.is_ok());
}

#[test]
fn a_game_ends_on_the_board_or_when_enough_moves_are_made() {
    let (address, served) = follower(Variant::Frisian);
    let mut raw = Raw::connect(&address);
    // One man against one: the follower's is captured.
    let mut squares = ["e"; 50];
    (squares[27], squares[31]) = ("z", "w");
    let start = format!("BW{}", squares.concat());
    assert_eq!(raw.ask(&request('Z', &start)), ACCEPTED);
    assert_eq!(raw.ask("M000032230128"), "E10");
    raw.say("E00");
    let with_limit = request('W', "A").replace("005000A", "000001A");
    assert_eq!(raw.ask(&with_limit), ACCEPTED);
    assert!(raw.hear().starts_with('M'));
    assert_eq!(raw.ask("M0000192300"), "E00");
    raw.say("Cwell played");
    raw.say("E01");
    let (ended, games) = served.join().unwrap();
    ended.unwrap();
    let ends: Vec<_> = games
        .iter()
        .map(|game| (game.reason, game.is_ended_here))
        .collect();
    assert_eq!(ends, [(Reason::Lost, true), (Reason::Unknown, true)]);
}

#[test]
fn games_that_cannot_be_played_are_refused() {
    let (address, served) = follower(Variant::Frisian);
    let mut raw = Raw::connect(&address);
    let other_version = request('W', "A").replace("R01", "R02");
    assert!(raw.ask(&other_version).ends_with(" 1"));
    let lonely = format!("BWw{}", "e".repeat(49));
    assert!(raw.ask(&request('W', &lonely)).ends_with(" 2"));
    assert!(raw.hear().starts_with('C'));
    assert_eq!(raw.ask(&request('Z', "A")), ACCEPTED);
    drop(raw);
    assert!(served.join().unwrap().0.is_ok());
}

#[test]
fn mistakes_end_the_connection_with_a_word() {
    let longest = "x".repeat(MAX_MESSAGE);
    let long = "x".repeat(MAX_MESSAGE + 1);
    let odd_letter = request('W', &format!("BWq{}", "e".repeat(49)));
    for (messages, hint) in [
        (&["M0000322800"][..], "a request for a game was expected"),
        (&["K0"], "`K0` came where"),
        (&["Rnonsense"], "the version is `no`, not 2 digits"),
        (&[&odd_letter], "the position has `q`"),
        (&["Q"], "there is no message type Q"),
        (&[""], "it ends in the type"),
        (&[&longest], "there is no message type x"),
        (&[&long], "more than 127 bytes"),
        (
            &[&request('Z', "A"), "M0000320100"],
            "illegal move `M0000320100` in W:",
        ),
        (
            &[&request('Z', "A"), "M0000329900"],
            "to is 99, not a square",
        ),
        (
            &[&request('Z', "A"), "M00003228"],
            "it ends in the number of captured",
        ),
        (
            &[&request('Z', "A"), "M0000322899"],
            "99 captured pieces, 20 at most",
        ),
    ] {
        let (address, served) = follower(Variant::Frisian);
        let mut raw = Raw::connect(&address);
        messages.iter().for_each(|message| raw.say(message));
        let last = loop {
            let heard = raw.hear();
            if !heard.starts_with('A') {
                break heard;
            }
        };
        let error = served.join().unwrap().0.unwrap_err().to_string();
        assert!(error.contains(hint), "{error}");
        assert!(last.starts_with('C') && last.len() <= MAX_MESSAGE, "{last}");
    }
}

#[test]
fn followers_that_do_not_play_on_lose() {
    let start = Game::new(Position::start(Variant::Frisian));
    let fault = |replies| {
        let (address, heard) = scripted(replies);
        let mut player = DxpPlayer::new("dxp", config(&address, Variant::Frisian)).unwrap();
        let error = ask(&mut player, &start).unwrap_err();
        drop(player);
        let heard = heard.join().unwrap();
        assert_eq!(heard[0], format!("R01{:<32}W005000A", "Crownhead"));
        error
    };
    let forfeit = |replies| match fault(replies) {
        PlayerError::Forfeit { fault, .. } => fault,
        error => panic!("{error}"),
    };
    let ended = forfeit(&[concat!(
        "Atest                            0\0",
        "Chello\0B001Z\0E10"
    )]);
    assert_eq!(ended.to_string(), "ended the game: it resigns");
    let illegal = forfeit(&["Atest                            0\0M0000320100"]);
    assert!(matches!(illegal, Fault::IllegalMove { text, .. } if text == "M0000320100"));
    let gone = forfeit(&["Atest                            0"]);
    assert!(gone.to_string().contains("the other program is gone"));
    let refused = fault(&["Atest                            2"]).to_string();
    assert!(
        refused.contains("test refuses the game R01Crownhead"),
        "{refused}"
    );
}

/// The program accepts the game, then waits for a message that never comes.
#[test]
fn a_silent_follower_can_be_left() {
    let start = Game::new(Position::start(Variant::Frisian));
    let (address, heard) = scripted(&["Atest                            0", "late"]);
    let mut player = DxpPlayer::new("dxp", config(&address, Variant::Frisian)).unwrap();
    let stop = AtomicBool::new(false);
    let left = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        let turn = Turn {
            game: &start,
            seed: Seed::new(1),
            time: None,
        };
        player.choose_until(&[turn], &mut Vec::new(), &stop)
    });
    assert!(matches!(left, Err(PlayerError::Stopped)), "{left:?}");
    drop(player);
    drop(heard);
}

#[test]
fn nobody_is_there() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let missing = DxpPlayer::new("dxp", config(&address, Variant::Frisian));
    let error = missing.err().unwrap().to_string();
    assert!(
        error.contains(&format!("failed to connect to {address}")),
        "{error}"
    );
}

/// The examples from the protocol's description.
#[test]
fn messages_are_written_as_they_are_described() {
    for text in [
        "R01Tornado voor Windows 4.0        W060065A",
        "ATornado voor Windows 4.0        0",
        "M0012061100",
        "M001205250422122320",
        "E00",
        "CWhat do you think about move 35?",
        "B005Z",
        "K2",
    ] {
        assert_eq!(Message::parse(text).unwrap().to_string(), text);
    }
    let chat = Message::Chat("é\n".repeat(200)).to_string();
    assert_eq!((chat.len(), &chat[..3]), (MAX_MESSAGE, "C??"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[RAMECBK]?[ -~]{0,126}") {
        if let Ok(message) = Message::parse(&text) {
            prop_assert_eq!(Message::parse(&message.to_string()).ok(), Some(message));
        }
    }

    #[test]
    fn numbers_are_read_or_refused(text in "[RAMEBK][0-9WZAB]{0,60}") {
        if let Ok(message) = Message::parse(&text) {
            prop_assert_eq!(Message::parse(&message.to_string()).ok(), Some(message));
        }
    }
}
