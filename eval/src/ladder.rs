//! Rates one player against fixed baselines with few games: it mostly meets those near its level.

use std::ops::ControlFlow;

use rules::Variant;

use crate::anchors::{Anchors, ZERO};
use crate::baselines::Baseline;
use crate::error::EvalError;
use crate::matches::{Arena, Entrant, MatchResult, play_match};
use crate::openings;
use crate::ratings::{
    DrawModel, PlayerRating, RatingOptions, RatingTable, Tallies, USUAL_PRIOR, rate,
};
use crate::seed;

/// What a player is rated against, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Ladder<'a> {
    /// The game.
    pub variant: Variant,
    /// Baselines and their games among themselves; the scale.
    pub anchors: &'a Anchors,
    /// Pairs of games to play.
    pub pairs: usize,
    /// Pairs against one opponent before the next one is chosen; at least one.
    pub pairs_per_step: usize,
    /// A rating to begin with: the last one of the same run, say.
    pub guess: Option<f64>,
}

/// Where the rating stands after some games.
#[derive(Clone, Debug)]
pub struct LadderStep {
    /// The player's rating, `random` being 0.
    pub rating: PlayerRating,
    /// The player's new games.
    pub games: Tallies,
    /// The last match.
    pub last: MatchResult,
}

/// Rates `player` with fresh games. `after_step` sees the rating as it settles.
///
/// Each step meets the baseline that promises the most information, so far as it was not met often
/// already. Deterministic: the same seed and player give the same games. When the arena's `stop`
/// breaks off, the rating rests on the pairs played until then; `None` if there are none.
pub fn climb(
    player: &Entrant<'_>,
    ladder: &Ladder<'_>,
    arena: &Arena<'_>,
    after_step: &mut dyn FnMut(&LadderStep),
) -> Result<Option<LadderStep>, EvalError> {
    let levels = Baseline::levels(ladder.anchors.max_depth);
    let openings = openings::sample(ladder.variant, ladder.pairs, arena.seed);
    let scale = run_ratings(ladder.anchors, &Tallies::default())?;
    let mut games = Tallies::default();
    let mut pairs_met = vec![0; levels.len()];
    let mut standing: Option<LadderStep> = None;
    for (step, openings) in openings.chunks(ladder.pairs_per_step.max(1)).enumerate() {
        let estimate = standing
            .as_ref()
            .map(|step| step.rating.elo)
            .or(ladder.guess);
        let level = most_informative(&scale, &levels, &pairs_met, estimate);
        let arena = Arena {
            seed: seed::derive(arena.seed, &[step as u64]),
            ..*arena
        };
        let opponent = Entrant::from(levels[level]);
        let to_the_end = &mut |_: &_| ControlFlow::Continue(());
        let last = play_match([player, &opponent], openings, &arena, to_the_end)?;
        if last.games.is_empty() {
            break;
        }
        pairs_met[level] += openings.len();
        games.extend(&last.tallies());
        let table = run_ratings(ladder.anchors, &games)?;
        let Some(rating) = table.player(&player.name) else {
            break;
        };
        let now = LadderStep {
            rating: rating.clone(),
            games: games.clone(),
            last,
        };
        after_step(&now);
        standing = Some(now);
    }
    Ok(standing)
}

/// Ratings of baselines and of everybody in `games`, the player `random` being 0.
pub fn run_ratings(anchors: &Anchors, games: &Tallies) -> Result<RatingTable, EvalError> {
    let mut all = anchors.games.clone();
    all.extend(games);
    rate(
        &all,
        &RatingOptions {
            prior: USUAL_PRIOR,
            anchor: Some(ZERO.to_owned()),
            draw_model: DrawModel::BayesElo,
        },
    )
}

/// The level whose next game tells the most about a player near `estimate`, divided by how much it
/// was asked already. Without an estimate: the middle level.
fn most_informative(
    scale: &RatingTable,
    levels: &[Baseline],
    pairs_met: &[usize],
    estimate: Option<f64>,
) -> usize {
    let Some(estimate) = estimate else {
        return levels.len() / 2;
    };
    let worth = |level: usize| {
        let opponent = scale.player(&levels[level].to_string())?;
        let information = scale.information(estimate - opponent.elo);
        Some(information / (1.0 + pairs_met[level] as f64))
    };
    let ranked = (0..levels.len()).filter_map(|level| Some((level, worth(level)?)));
    ranked
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(level, _)| level)
}
