//! A single measurement of the speed of the rules, for profilers that count instructions:
//!
//! ```text
//! speed perft VARIANT DEPTH     leaves of the start position
//! speed games VARIANT N         random games, drawn or played out
//! ```
//!
//! Prints the amount of work and the speed.

#![expect(clippy::print_stdout, reason = "its result is what it prints")]

use std::time::Instant;

use rules::{Game, MoveList, Position, Variant, perft};

/// Plays random games to their end and returns the number of plies.
fn random_games(variant: Variant, n_games: u64) -> u64 {
    let mut moves = MoveList::new();
    let mut state = 1;
    let mut plies = 0;
    for _ in 0..n_games {
        let mut game = Game::new(Position::start(variant));
        loop {
            game.position().generate(&mut moves);
            let outcome = game.outcome_with(!moves.is_empty());
            if outcome.is_some() {
                break;
            }
            game.play(moves[choose(&mut state, moves.len())]);
        }
        plies += u64::from(game.plies());
    }
    plies
}

/// A number below `n` from the SplitMix64 generator.
fn choose(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, variant, amount] = arguments.as_slice() else {
        return Err("usage: speed perft VARIANT DEPTH | speed games VARIANT N".into());
    };
    let variant: Variant = variant.parse()?;
    let started = Instant::now();
    let (done, unit) = match what.as_str() {
        "perft" => (perft(&Position::start(variant), amount.parse()?), "leaves"),
        "games" => (random_games(variant, amount.parse()?), "plies"),
        _ => return Err(format!("`{what}` is not a measurement: perft or games").into()),
    };
    let rate = done as f64 / started.elapsed().as_secs_f64() / 1e6;
    println!("{done} {unit}, {rate:.1} M/s");
    Ok(())
}
