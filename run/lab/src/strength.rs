//! Players of stated strength: measures players and handicaps on the rating scale of runs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use eval::anchors::{self, Anchors, ScaleLine};
use eval::{Arena, PlayerFactory, survey};
use rules::Variant;
use types::{Handicap, RatedHandicap, Seed, Strength};

use crate::{RequestError, Result};
use roster::{AgentSource, Effort, LoadedPlayer};
use run::config;

/// Seed of the games that measure exported players.
const SEED_OF_EXPORTS: u64 = 2026;
/// Elo gap between two handicaps that justifies another one between them, and the maximum number of
/// such additions.
const WIDE_STEP: f64 = 150.0;
const MOST_BETWEEN: usize = 8;
/// Two handicaps are too similar if the ratio of their nodes is below this factor and their
/// temperatures are close.
const NEAR_NODES: f64 = 1.1;
const NEAR_TEMPERATURE: f32 = 0.05;

/// Rates players on the scale of runs by their performance: each plays `pairs` pairs of games, the
/// same number against each baseline, and none against other players, because players of one family
/// score more against each other than their ratings suggest. `after_player` is called after each
/// player.
///
/// Returns the ratings in the order of the players, with intervals that take the baselines' ratings
/// as exact; `None` if the arena's `stop` was set.
///
/// # Errors
/// If two players have the same name, the baselines of the game were not measured, or a player
/// fails.
pub fn rate(
    players: Vec<PlayerFactory<'static>>,
    variant: Variant,
    pairs: usize,
    arena: &Arena<'_>,
    after_player: &mut dyn FnMut(&ScaleLine),
) -> Result<Option<Vec<ScaleLine>>> {
    let mut names = BTreeSet::new();
    if let Some(twice) = players.iter().find(|player| !names.insert(&player.name)) {
        return Err(RequestError(format!("{} is listed twice", twice.name)).into());
    }
    let mut field = Field::new(variant, pairs, arena)?;
    let n_levels = field.anchors.levels().len();
    if pairs < n_levels {
        let message = format!(
            "{pairs} pairs are too few: {variant} has {n_levels} baselines, and each needs one"
        );
        return Err(RequestError(message).into());
    }
    for player in players {
        let Some(line) = field.join(player)? else {
            return Ok(None);
        };
        after_player(&line);
    }
    Ok(Some(field.lines))
}

/// Players rated on the same scale.
struct Field<'a> {
    variant: Variant,
    anchors: Anchors,
    /// Pairs per player.
    pairs: usize,
    arena: &'a Arena<'a>,
    /// Results of the players so far.
    lines: Vec<ScaleLine>,
}

impl<'a> Field<'a> {
    fn new(variant: Variant, pairs: usize, arena: &'a Arena<'a>) -> Result<Field<'a>> {
        let anchors = anchors::shipped(variant).ok_or_else(|| {
            RequestError(format!(
                "{variant} has no rating scale: its baselines were not measured"
            ))
        })?;
        Ok(Field {
            variant,
            anchors,
            pairs,
            arena,
            lines: Vec::new(),
        })
    }

    /// Rates one more player; `None` if it was stopped.
    fn join(&mut self, player: PlayerFactory<'static>) -> Result<Option<ScaleLine>> {
        let number = self.lines.len() as u64;
        let arena = Arena {
            seed: self.arena.seed.derive("strength", &[number]),
            ..*self.arena
        };
        let rating = survey(&player, self.variant, &self.anchors, self.pairs, &arena)?;
        let Some(rating) = rating.filter(|_| !arena.stop.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        let line = ScaleLine {
            name: player.name,
            elo: rating.elo,
            ci95: rating.ci95_on_scale,
        };
        self.lines.push(line.clone());
        Ok(Some(line))
    }
}

/// Returns `true` if no handicap between these two is worth measuring.
fn are_near([below, above]: [&RatedHandicap; 2]) -> bool {
    above.nodes < NEAR_NODES * below.nodes
        && below.temperature - above.temperature < NEAR_TEMPERATURE
}

/// The widest rating gap between neighboring handicaps, if it is too wide.
fn widest_step(rated: &[RatedHandicap]) -> Option<usize> {
    let steps = rated.array_windows().map(|[below, above]| {
        let step = above.elo - below.elo;
        if are_near([below, above]) { 0.0 } else { step }
    });
    let wide = steps.enumerate().filter(|(_, step)| *step > WIDE_STEP);
    let widest = wide.max_by(|(_, a), (_, b)| a.total_cmp(b));
    widest.map(|(place, _)| place)
}

/// Measures the strength of the only player of a source with several handicaps, by `pairs` pairs of
/// games each on all cores. The source is then pinned to the measured player, even if its run
/// changes meanwhile. Returns `None` if `stop` was set.
///
/// # Errors
/// If there are several players, the model cannot be read, or as [`rate`].
pub fn measure_source(
    source: &mut AgentSource,
    pairs: usize,
    stop: &AtomicBool,
    after_player: &mut dyn FnMut(&ScaleLine),
) -> Result<Option<Strength>> {
    let alone = match source {
        AgentSource::Network(model) => {
            *model = model.clone().pinned()?;
            AgentSource::Network(model.alone()?)
        }
        AgentSource::Evaluation(_) => source.clone(),
    };
    let player = alone.spec()?.load()?;
    let &[variant] = &player.games[..] else {
        let message = "these are several agents: export a single one with --strength";
        return Err(RequestError(message.to_owned()).into());
    };
    let arena = Arena::new(Seed::new(SEED_OF_EXPORTS), config::threads(0), stop);
    measure_strength(
        &player,
        variant,
        &Effort::USUAL,
        pairs,
        &arena,
        after_player,
    )
}

/// Measures the strength of a player in a game with several handicaps, from almost random play up
/// to `effort`, as [`rate`]; with more handicaps where the rating rises fast.
///
/// # Errors
/// As [`rate`].
pub fn measure_strength(
    player: &LoadedPlayer,
    variant: Variant,
    effort: &Effort,
    pairs: usize,
    arena: &Arena<'_>,
    after_player: &mut dyn FnMut(&ScaleLine),
) -> Result<Option<Strength>> {
    let mut field = Field::new(variant, pairs, arena)?;
    let (least, most) = player.nodes_of_handicaps(effort);
    let mut rated: Vec<RatedHandicap> = Vec::new();
    let mut measure = |handicap: Handicap| -> Result<Option<RatedHandicap>> {
        let line = field.join(player.with_handicap(variant, handicap)?)?;
        let Some(ScaleLine { elo, ci95, .. }) = line.inspect(&mut *after_player) else {
            return Ok(None);
        };
        Ok(Some(RatedHandicap {
            nodes: handicap.nodes,
            temperature: handicap.temperature,
            elo,
            ci95: ci95.round(),
        }))
    };
    for handicap in Handicap::ladder(least, most) {
        let Some(one) = measure(handicap)? else {
            return Ok(None);
        };
        rated.push(one);
    }
    for _ in 0..MOST_BETWEEN {
        let Some(step) = widest_step(&rated) else {
            break;
        };
        let [below, above] = [rated[step], rated[step + 1]];
        let Some(one) = measure(below.handicap().towards(above.handicap(), 0.5))? else {
            return Ok(None);
        };
        rated.insert(step + 1, one);
    }
    Ok(Some(Strength::new(rated)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_rated_twice_or_by_some_baselines_only() {
        let stop = AtomicBool::new(true);
        let arena = Arena {
            pairs_at_once: 1,
            ..Arena::new(Seed::new(1), 1, &stop)
        };
        let rated_by = |pairs, names: &[&str]| {
            let players = names
                .iter()
                .map(|name| name.parse::<eval::Baseline>().unwrap().into());
            rate(
                players.collect(),
                Variant::ALL[0],
                pairs,
                &arena,
                &mut |_| (),
            )
        };
        let error = rated_by(16, &["random"]).unwrap_err();
        assert!(error.to_string().contains("has 17 baselines"), "{error}");
        let rated = |names| rated_by(17, names);
        assert_eq!(rated(&["random", "alphabeta:depth=1"]).unwrap(), None);
        let error = rated(&["random", "alphabeta:depth=1", "random"]).unwrap_err();
        assert!(
            error.is_request() && error.to_string() == "random is listed twice",
            "{error}"
        );
    }

    #[test]
    fn between_handicaps_that_hardly_differ_nothing_is_measured() {
        let rated = |list: &[(f64, f32, f64)]| -> Vec<RatedHandicap> {
            let rated = list.iter().map(|&(nodes, temperature, elo)| RatedHandicap {
                nodes,
                temperature,
                elo,
                ci95: 50.0,
            });
            rated.collect()
        };
        let even = rated(&[(1.0, 2.0, 100.0), (1.0, 1.0, 200.0), (2.0, 0.5, 340.0)]);
        assert_eq!(widest_step(&even), None);
        let wide = rated(&[(1.0, 2.0, 100.0), (1.0, 1.0, 700.0), (2.0, 0.5, 900.0)]);
        assert_eq!(widest_step(&wide), Some(0));
        let near = rated(&[(1.0, 1.0, 300.0), (1.0, 0.98, 900.0), (2.0, 0.5, 1_090.0)]);
        assert_eq!(widest_step(&near), Some(1));
    }
}
