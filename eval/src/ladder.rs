//! Rates one player of a run with few games, against fixed baselines and earlier players of the
//! run: mostly opponents near its level.

use std::ops::ControlFlow;

use ratings::{DirectScore, RunRating, RunRatings, Tallies};
use rules::Variant;

use crate::anchors::Anchors;
use crate::error::EvalError;
use crate::matches::{
    Arena, MatchEvent, MatchPairs, MatchResult, MatchRunner, PlayerFactory, continue_match,
};
use crate::openings;

/// Opponents and length of a rating.
#[derive(Clone, Copy)]
pub struct Ladder<'a> {
    /// The game.
    pub variant: Variant,
    /// Baselines and their games among themselves; the scale.
    pub anchors: &'a Anchors,
    /// Earlier players of the run, also used as opponents.
    pub past: &'a [PlayerFactory<'a>],
    /// The games that rated them, which are rated together with the new ones.
    pub past_games: &'a Tallies,
    /// Pairs of games to play.
    pub pairs: usize,
    /// Pairs against one opponent before the next one is chosen; at least one.
    pub pairs_per_step: usize,
    /// An initial rating, such as the last one of the same run.
    pub guess: Option<f64>,
}

/// The rating after some games.
#[derive(Clone, Debug)]
pub struct LadderStep {
    /// The player's rating.
    pub rating: RunRating,
    /// Its score against the nearest baseline that it met.
    pub direct: Option<DirectScore>,
    /// The player's new games.
    pub games: Tallies,
    /// The last match.
    pub last: MatchResult,
}

/// Rates `player` with new games, played by `runner`. `after_step` sees the rating as it converges.
///
/// The first step meets the baseline nearest to the guess, so that every rating has a score against
/// a nearby one; every other step meets the opponent whose games are expected to narrow the
/// player's interval the most. Deterministic: the same seed and players give the same games. If the
/// arena's `stop` is set, the rating is based on the pairs played so far; `None` if there are none.
pub fn climb(
    runner: &dyn MatchRunner,
    player: &PlayerFactory<'_>,
    ladder: &Ladder<'_>,
    arena: &Arena<'_>,
    after_step: &mut dyn FnMut(&LadderStep),
) -> Result<Option<LadderStep>, EvalError> {
    let baselines: Vec<PlayerFactory<'_>> = ladder
        .anchors
        .levels()
        .into_iter()
        .map(PlayerFactory::from)
        .collect();
    let opponents: Vec<&PlayerFactory<'_>> = baselines.iter().chain(ladder.past).collect();
    let openings = openings::sample(ladder.variant, ladder.pairs, arena.seed);
    let mut games = Tallies::default();
    let mut ratings = ladder.ratings(&games)?;
    let mut standing: Option<LadderStep> = None;
    for (step, openings) in openings.chunks(ladder.pairs_per_step.max(1)).enumerate() {
        let known = ratings.player(&player.name).map(|rating| rating.elo);
        let estimate = known.or(ladder.guess);
        let opponent = match estimate {
            None => &baselines[baselines.len() / 2],
            Some(elo) if step == 0 => {
                let rated = |one: &&PlayerFactory<'_>| {
                    let rating = ratings.player(&one.name);
                    rating.map_or(f64::INFINITY, |rating| (rating.elo - elo).abs())
                };
                let nearest = baselines
                    .iter()
                    .min_by(|a, b| rated(a).total_cmp(&rated(b)));
                nearest.unwrap_or(&baselines[0])
            }
            Some(elo) => {
                let gain = |one: &PlayerFactory<'_>| {
                    ratings.gain(&player.name, elo, &one.name, openings.len())
                };
                let best = opponents.iter().max_by(|a, b| gain(a).total_cmp(&gain(b)));
                best.copied().unwrap_or(&baselines[0])
            }
        };
        let arena = Arena {
            seed: arena.seed.derive("ladder", &[step as u64]),
            ..*arena
        };
        let to_the_end = &mut |_: MatchEvent<'_>| ControlFlow::Continue(());
        let pairs = MatchPairs::all(openings);
        let last = continue_match(runner, [player, opponent], pairs, &arena, to_the_end)?;
        if last.games.is_empty() {
            break;
        }
        games.extend(&last.tallies());
        ratings = ladder.ratings(&games)?;
        let Some(rating) = ratings.player(&player.name) else {
            break;
        };
        let now = LadderStep {
            rating,
            direct: ratings.direct(&player.name),
            games: games.clone(),
            last,
        };
        after_step(&now);
        standing = Some(now);
    }
    Ok(standing)
}

impl Ladder<'_> {
    /// All ratings after these games of the player.
    fn ratings(&self, games: &Tallies) -> Result<RunRatings, EvalError> {
        let mut all = self.past_games.clone();
        all.extend(games);
        Ok(RunRatings::new(&self.anchors.games, &all)?)
    }
}
