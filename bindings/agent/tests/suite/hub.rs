//! Agents as engines of the Hub protocol.

use std::io::{BufReader, pipe};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use agent::{
    Agent, Batch, Choice, Error, Evaluator, EvaluatorError, Game, Limits, Options, PlayerError,
    Position, SearchLimits, Variant,
};
use engine::hub::{Connection, HubError, HubPlayer, HubPlayerConfig, Version};
use engine::{Player, Turn};
use search::Uniform;
use types::Seed;

fn start(variant: Variant) -> Game {
    Game::new(Position::start(variant))
}

fn load(source: &str) -> Agent {
    Agent::load(source, &Options::default()).unwrap()
}

/// An agent as an engine on its own thread, and a player at the other end. The thread returns the
/// number of failed searches.
fn engine_of(mut agent: Agent, nodes: Option<u64>) -> (HubPlayer, JoinHandle<usize>) {
    let variant = agent.variant();
    let (engine_in, client_out) = pipe().unwrap();
    let (client_in, engine_out) = pipe().unwrap();
    let engine = thread::spawn(move || {
        let mut n_failed = 0;
        let served = agent.serve_hub(BufReader::new(engine_in), engine_out, nodes, |_| {
            n_failed += 1
        });
        served.unwrap();
        n_failed
    });
    let mut ends = Some((client_in, client_out));
    let connect = move || match ends.take() {
        Some((reader, writer)) => Ok(Connection::new(reader, writer)),
        None => Err(HubError::Gone {
            detail: String::new(),
        }),
    };
    let config = HubPlayerConfig {
        variant,
        version: Version::Two,
        limits: SearchLimits {
            depth: Some(60),
            ..SearchLimits::default()
        },
        timeout: Duration::from_secs(60),
    };
    (
        HubPlayer::new("hub", config, connect).started().unwrap(),
        engine,
    )
}

fn ask(player: &mut HubPlayer, game: &Game) -> Result<Choice, PlayerError> {
    let mut choices = Vec::new();
    let (seed, time) = (Seed::new(5), None);
    player.choose(&[Turn { game, seed, time }], &mut choices)?;
    Ok(choices[0])
}

#[test]
fn agents_are_hub_engines() {
    let held = || {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../players/bundled/thai.safetensors"
        );
        load(&format!("{file},elo=1000,seed=3"))
    };
    for (agent, expected) in [
        (
            Agent::with_evaluator("a=b", Variant::English, Box::new(Uniform)),
            None,
        ),
        (load("material:english"), None),
        (held(), Some(held())),
    ] {
        let mut game = start(agent.variant());
        // Only the engine's own limit ends a search here.
        let (mut player, engine) = engine_of(agent, Some(20));
        let mut expected = expected;
        for _ in 0..6 {
            let choice = ask(&mut player, &game).unwrap();
            if let Some(agent) = &mut expected {
                assert_eq!(
                    choice.mv,
                    agent.choose(&game, &Limits::default()).unwrap().mv
                );
            }
            game.play(choice.mv);
        }
        drop(player);
        assert_eq!(engine.join().unwrap(), 0);
    }
    let mut agent = load("material:english");
    let refused = agent.serve_hub(&b""[..], Vec::new(), Some(0), |_| {});
    assert!(matches!(refused, Err(Error::Limits(_))));
}

/// An evaluator that always fails.
struct Broken;

impl Evaluator for Broken {
    fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
        Err(EvaluatorError::Failed("a fuse has blown".into()))
    }
}

#[test]
fn a_hub_engine_says_why_it_has_no_move() {
    let agent = Agent::with_evaluator("broken", Variant::English, Box::new(Broken));
    let (mut player, engine) = engine_of(agent, None);
    let error = ask(&mut player, &start(Variant::English))
        .unwrap_err()
        .to_string();
    assert!(error.contains("a fuse has blown"), "{error}");
    drop(player);
    assert_eq!(engine.join().unwrap(), 1);
}
