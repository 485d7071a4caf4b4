//! Players of stated strength: what players are worth on the scale of runs, and how far one is held back.

use std::sync::atomic::Ordering;

use eval::anchors::{self, ScaleLine};
use eval::{Arena, Ladder, PlayerFactory, RunRating, RunRatings, Tallies, climb};
use rules::Variant;
use search::{Handicap, RatedHandicap, Strength};

use super::contender::{Brain, Contender, USUAL_NODES};
use super::options::Effort;
use crate::{RequestError, Result};

/// Positions a move of alpha-beta search that is held back the most.
const LEAST_NODES: u32 = 100;
/// Pairs against one opponent before the next one is chosen.
const PAIRS_PER_STEP: usize = 10;

/// Rates players on the scale of runs, all together: each plays `pairs` pairs of games against the baselines and
/// the players before it, of whom it mostly meets those near its level. `after_player` hears of each as it stands
/// then.
///
/// The ratings are in the order of the players, with intervals that take those of the baselines as given; nothing
/// comes back when the arena's `stop` has broken off.
///
/// # Errors
/// When the baselines of the game were not measured, or a player fails.
pub fn rate(
    players: &[PlayerFactory<'static>],
    variant: Variant,
    pairs: usize,
    arena: &Arena<'_>,
    after_player: &mut dyn FnMut(&ScaleLine),
) -> Result<Option<Vec<ScaleLine>>> {
    let anchors = anchors::shipped(variant).ok_or_else(|| {
        RequestError(format!(
            "there is no scale of {variant}: its baselines were not measured"
        ))
    })?;
    let (mut games, mut guess) = (Tallies::default(), None);
    for (index, player) in players.iter().enumerate() {
        let ladder = Ladder {
            variant,
            anchors: &anchors,
            past: &players[..index],
            past_games: &games,
            pairs,
            pairs_per_step: PAIRS_PER_STEP,
            guess,
        };
        let arena = Arena {
            seed: arena.seed.derive("strength", &[index as u64]),
            ..*arena
        };
        let step = climb(player, &ladder, &arena, &mut |_| ())?;
        let Some(step) = step.filter(|_| !arena.stop.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        after_player(&line(&player.name, step.rating));
        guess = Some(step.rating.elo);
        games.extend(&step.games);
    }
    let ratings = RunRatings::new(&anchors, &games)?;
    let rated = players.iter().map(|player| {
        let rating = ratings.player(&player.name)?;
        Some(line(&player.name, rating))
    });
    Ok(rated.collect())
}

fn line(name: &str, rating: RunRating) -> ScaleLine {
    ScaleLine {
        name: name.to_owned(),
        elo: rating.elo,
        ci95: rating.ci95_on_scale,
    }
}

impl Contender {
    /// Measures what the player is worth in a game with several handicaps, from nearly random play up to `effort`;
    /// as [`rate`].
    ///
    /// # Errors
    /// As [`rate`].
    pub fn measure_strength(
        &self,
        variant: Variant,
        effort: &Effort,
        pairs: usize,
        arena: &Arena<'_>,
        after_player: &mut dyn FnMut(&ScaleLine),
    ) -> Result<Option<Strength>> {
        let (least, most) = self.nodes_of_handicaps(effort);
        let handicaps = Handicap::ladder(least, most);
        let players: Result<Vec<_>> = handicaps
            .iter()
            .map(|handicap| self.held_back(variant, *handicap))
            .collect();
        let ratings = rate(&players?, variant, pairs, arena, after_player)?;
        Ok(ratings.map(|ratings| {
            let rated = handicaps.iter().zip(ratings);
            Strength::new(rated.map(|(handicap, rating)| RatedHandicap {
                nodes: handicap.nodes,
                temperature: handicap.temperature,
                elo: rating.elo,
                ci95: rating.ci95.round(),
            }))
        }))
    }

    /// The player as one side of a match of `variant`, held back; the handicap is part of its name.
    fn held_back(&self, variant: Variant, handicap: Handicap) -> Result<PlayerFactory<'static>> {
        let effort = Effort {
            simulations: handicap.nodes,
            time: None,
        };
        let mut player_factory = self.factory(variant, &effort, Some(handicap))?;
        player_factory.name = format!("{},{handicap}", self.name);
        Ok(player_factory)
    }

    /// What the player was measured to be worth in a game; nothing for one that does not play it, or has no
    /// evaluation that was learned.
    pub fn strength(&self, variant: Variant) -> Option<&Strength> {
        match &self.brain {
            Brain::Networks(networks) => networks
                .iter()
                .find(|loaded| loaded.model.variant == variant)
                .map(|loaded| &loaded.model.strength),
            Brain::AlphaBeta(evaluations) => evaluations
                .iter()
                .find(|evaluation| evaluation.variant() == variant)
                .map(|evaluation| evaluation.strength()),
            Brain::Baseline(_) | Brain::Mcts(_) | Brain::Hub(_) => None,
        }
    }

    /// Simulations or positions that the player looks at when it is held back the most, and not at all.
    fn nodes_of_handicaps(&self, effort: &Effort) -> (u32, u32) {
        match &self.brain {
            Brain::AlphaBeta(_) => (LEAST_NODES, USUAL_NODES),
            _ => (1, effort.simulations),
        }
    }

    /// How the player is held back to its stated strength.
    pub(super) fn handicap(&self, variant: Variant) -> Result<Option<Handicap>, RequestError> {
        let (Some(elo), Some(strength)) = (self.options.elo, self.strength(variant)) else {
            return Ok(None);
        };
        let name = &self.name;
        if strength.is_empty() {
            return Err(RequestError(format!(
                "player {name}: its strength was not measured: crownhead export SOURCE --to DIR --strength writes \
                 an agent of which it is known"
            )));
        }
        let handicap = strength.handicap(elo.into());
        handicap
            .map(Some)
            .map_err(|error| RequestError(format!("player {name}: {variant}: {error}")))
    }

    /// Of several games leaves those in which the player has its stated strength.
    pub(super) fn keep_games_of_its_strength(&mut self) -> Result<(), RequestError> {
        let tried = self
            .games
            .iter()
            .map(|variant| self.handicap(*variant).map(|_| *variant));
        let games: Vec<Variant> = tried.clone().flatten().collect();
        if games.is_empty() {
            tried.collect::<Result<Vec<_>, _>>()?;
        }
        self.games = games;
        Ok(())
    }
}
