//! Evidence for the marks of moves: random moves in positions of self-play are judged, and games
//! are played on after the best move and after the random one.
//!
//! ```text
//! marks VARIANT NODES POSITIONS SEED
//! ```
//!
//! Prints a row for each position: the logits of the best and of the random move in one search, and
//! the scores of the two games, 0, 0.5 or 1, for the side that made the move.

#![expect(clippy::print_stdout, reason = "its result is what it prints")]

use std::error::Error;
use std::sync::Arc;

use alphabeta::Resources;
use analyst::judge;
use engine::{AlphaBetaConfig, AlphaBetaPlayer, Player, SearchLimits, Stopper, Task, Turn};
use eval::openings;
use nnue::Network;
use rand::RngExt as _;
use roster::EvaluationSource;
use rules::{Color, Game, Variant};
use types::Seed;

type Engine = AlphaBetaPlayer<Arc<Network>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, nodes, positions, seed] = arguments.as_slice() else {
        return Err("usage: marks VARIANT NODES POSITIONS SEED".into());
    };
    let (variant, nodes): (Variant, u64) = (variant.parse()?, nodes.parse()?);
    let network = Arc::new(EvaluationSource::Bundled(None).load(variant)?);
    let config = AlphaBetaConfig {
        resources: Resources {
            table_bytes: 8 << 20,
            threads: 1,
        },
        depth: None,
        nodes: Some(nodes),
        usual_nodes: nodes,
    };
    let mut engine = Engine::new("ab", network, config);
    let (positions, seed): (usize, u64) = (positions.parse()?, seed.parse()?);
    let rng = &mut Seed::new(seed).derive("marks", &[]).rng();
    for opening in openings::sample(variant, positions, Seed::new(seed)) {
        let mut game = opening.game();
        for _ in 0..rng.random_range(0..50) {
            step(&mut engine, &mut game)?;
        }
        let legal = game.legal_moves();
        if game.outcome().is_some() || legal.len() < 2 {
            continue;
        }
        let random = legal[rng.random_range(0..legal.len())];
        let task = Task {
            game: &game,
            seed: Seed::new(1),
            stopper: Stopper::within(SearchLimits::default()),
        };
        let (judgment, _) = judge(&mut engine, &task, random, &mut |_| {})?;
        let mover = game.position().turn();
        let mut row = Vec::new();
        for line in [&judgment.best, &judgment.played] {
            let value = line.value.map_or(0.0, |value| value.value());
            let mut played = game.clone();
            played.play(line.moves[0]);
            while played.outcome().is_none() {
                step(&mut engine, &mut played)?;
            }
            let winner = played.outcome().and_then(|outcome| outcome.winner());
            row.push((2.0 * value.atanh(), score(winner, mover)));
        }
        let [(best, after_best), (other, after_other)] = row[..] else {
            continue;
        };
        println!("{variant},{best:.3},{other:.3},{after_best},{after_other}");
    }
    Ok(())
}

fn step(engine: &mut Engine, game: &mut Game) -> Result<(), Box<dyn Error>> {
    if game.outcome().is_none() {
        let mut choices = Vec::new();
        let turn = Turn {
            game,
            seed: Seed::new(1),
            time: None,
        };
        engine.choose(&[turn], &mut choices)?;
        game.play(choices[0].mv);
    }
    Ok(())
}

fn score(winner: Option<Color>, mover: Color) -> f32 {
    winner.map_or(0.5, |winner| if winner == mover { 1.0 } else { 0.0 })
}
