//! Rates one player with many games, by its performance against all baselines.

use std::ops::ControlFlow;

use ratings::{RunRating, RunRatings, Tallies};
use rules::Variant;

use crate::anchors::Anchors;
use crate::error::EvalError;
use crate::matches::{Arena, MOST_FORFEITS, PlayerFactory, play_match};
use crate::openings;

/// Rates `player` by `pairs` pairs of games, the same number against each baseline; `None` without
/// any.
///
/// Against stronger opponents a player often scores better than its score against weaker ones
/// suggests: a network with few simulations is rated 1000 by the weakest baselines near it and 1500
/// by the strongest. Its rating therefore depends on its opponents, and choosing them by its rating
/// would amplify random errors. Against the same opponents two measurements differ by chance alone.
///
/// Deterministic: the same seed and player give the same games. If the arena's `stop` is set, the
/// rating is based on the games played so far.
///
/// # Errors
/// If a player fails, or forfeits more than 2 % of the games.
pub fn survey(
    player: &PlayerFactory<'_>,
    variant: Variant,
    anchors: &Anchors,
    pairs: usize,
    arena: &Arena<'_>,
) -> Result<Option<RunRating>, EvalError> {
    let openings = openings::sample(variant, pairs, arena.seed);
    let levels = anchors.levels();
    let share = |number| openings.len() * number / levels.len();
    let (mut games, mut n_games, mut n_forfeits) = (Tallies::default(), 0, 0);
    for (number, &level) in levels.iter().enumerate() {
        let arena = Arena {
            seed: arena.seed.derive("ladder", &[number as u64]),
            ..*arena
        };
        let sides = [player, &PlayerFactory::from(level)];
        let openings = &openings[share(number)..share(number + 1)];
        let to_the_end = &mut |_: &_| ControlFlow::Continue(());
        let result = play_match(sides, openings, &arena, to_the_end)?;
        n_games += result.games.len();
        n_forfeits += result
            .games
            .iter()
            .filter(|game| game.fault.is_some())
            .count();
        games.extend(&result.tallies());
    }
    if n_forfeits as f64 > MOST_FORFEITS * n_games as f64 {
        return Err(EvalError::Forfeits {
            player: player.name.clone(),
            n_forfeits,
            n_games,
        });
    }
    Ok(RunRatings::new(&anchors.games, &games)?.performance(&player.name))
}
