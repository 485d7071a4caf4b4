//! Our client against our engine.

use engine::hub::{Connection, HubPlayer, HubPlayerConfig, Version};
use engine::{Choice, Clock, Player, SearchLimits, SearchPlayer, Turn};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Game, Position, Variant};
use types::Seed;

use super::support::{PATIENCE, connect_in};

/// A Hub player whose engine runs in this process.
fn hub_player(variant: Variant, nodes: u64) -> HubPlayer {
    let limits = SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    };
    hub_player_in(Version::Two, variant, limits)
}

fn hub_player_in(version: Version, variant: Variant, limits: SearchLimits) -> HubPlayer {
    let config = HubPlayerConfig {
        variant,
        version,
        limits,
        timeout: PATIENCE,
    };
    let connect = move || Ok(connect_in(version, Box::new(SearchPlayer::mcts(1))).0);
    HubPlayer::new("hub", config, connect).started().unwrap()
}

fn ask(player: &mut impl Player, turn: Turn<'_>) -> Choice {
    let mut choices = Vec::new();
    player.choose(&[turn], &mut choices).unwrap();
    choices[0]
}

/// The engine's seed: a function of the position, as for our own players.
fn turn(game: &Game) -> Turn<'_> {
    Turn {
        game,
        seed: Seed::new(game.position().hash()).derive("hub", &[game.plies().into()]),
        time: None,
    }
}

#[test]
fn games_of_all_variants_are_played_to_the_end() {
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
        let mut engine = hub_player(variant, 5);
        let mut same = SearchPlayer::mcts(5);
        let mut game = Game::new(Position::start(variant));
        while game.outcome().is_none() {
            // Random moves for one side, which lead to unusual positions.
            let legal = game.legal_moves();
            let mv = if game.position().turn() == Color::White {
                legal[rng.random_range(0..legal.len())]
            } else {
                let choice = ask(&mut engine, turn(&game));
                // The move received through the protocol is the move that the player itself would
                // have chosen.
                let own = ask(&mut same, turn(&game));
                assert_eq!((choice.mv, choice.nodes), (own.mv, own.nodes), "{variant}");
                choice.mv
            };
            game.play(mv);
        }
    }
}

/// Version 1 gives the same results, from any start position.
#[test]
fn games_in_version_1() {
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
        let limits = SearchLimits {
            depth: Some(2),
            ..SearchLimits::default()
        };
        let [mut old, mut new] =
            [Version::One, Version::Two].map(|version| hub_player_in(version, variant, limits));
        let mut game = Game::new(Position::start(variant));
        for ply in 0..40 {
            if game.outcome().is_some() {
                break;
            }
            let turn = turn(&game);
            // Without a search, version 1 still sends a score.
            let [old, new] = [&mut old, &mut new].map(|player| ask(player, turn));
            assert_eq!((old.mv, old.nodes), (new.mv, new.nodes), "{variant}");
            let legal = game.legal_moves();
            let mv = legal[rng.random_range(0..legal.len())];
            match ply % 10 {
                9 => game = Game::new(game.position().play(mv)),
                _ => game.play(mv),
            }
        }
    }
}

#[test]
fn games_against_the_clock() {
    for variant in Variant::GAMES {
        let mut engine = hub_player(variant, 3);
        let mut clock = Clock::new("100/100".parse().unwrap());
        let mut game = Game::new(Position::start(variant));
        while game.outcome().is_none() && game.plies() < 40 {
            let time = Some(clock.time_left(&game));
            let choice = ask(
                &mut engine,
                Turn {
                    time,
                    ..turn(&game)
                },
            );
            assert!(clock.spend(&game, std::time::Duration::from_millis(1)));
            game.play(choice.mv);
        }
    }
}

/// Several concurrent games, requested in any order, get the same answers as single games.
#[test]
fn answers_do_not_depend_on_other_games() {
    let variant = Variant::GAMES[2];
    let games: Vec<Game> = (0..4)
        .map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut game = Game::new(Position::start(variant));
            for _ in 0..10 {
                let legal = game.legal_moves();
                game.play(legal[rng.random_range(0..legal.len())]);
            }
            game
        })
        .collect();
    let (mut player, mut choices) = (hub_player(variant, 30), Vec::new());
    let turns: Vec<_> = games.iter().map(turn).collect();
    player.choose(&turns, &mut choices).unwrap();
    for (game, choice) in games.iter().zip(&choices).rev() {
        assert_eq!(ask(&mut player, turn(game)), *choice);
    }
}

#[test]
fn an_engine_of_one_game_refuses_others() {
    let config = HubPlayerConfig {
        variant: Variant::GAMES[1],
        version: Version::Two,
        limits: SearchLimits::default(),
        timeout: PATIENCE,
    };
    let connect = || -> Result<Connection, _> {
        Ok(super::support::scripted(|line| match line.command() {
            "hub" => "id name=other\nparam name=variant values=\"chess go\"\nwait\n".to_owned(),
            _ => String::new(),
        }))
    };
    let error = HubPlayer::new("other", config, connect)
        .started()
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(
        text.contains("does not play customary; it plays chess go"),
        "{text}"
    );
}
