//! Rates one player against fixed baselines: of a run with few games, where it also meets earlier players of the run, or
//! with many, against all of them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rules::Variant;

use crate::anchors::Anchors;
use crate::error::EvalError;
use crate::matches::{Arena, MatchEvent, MatchResult, PlayerFactory, Venue, continue_match};
use crate::openings::{self, Opening};
use crate::ratings::Tallies;
use crate::run_ratings::{DirectScore, RunRating, RunRatings};

/// What a player is rated against, and how long.
#[derive(Clone, Copy)]
pub struct Ladder<'a> {
    /// The game.
    pub variant: Variant,
    /// Baselines and their games among themselves; the scale.
    pub anchors: &'a Anchors,
    /// Earlier players of the run, who are opponents too.
    pub past: &'a [PlayerFactory<'a>],
    /// The games that rated them, which are rated together with the new ones.
    pub past_games: &'a Tallies,
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
    /// The player's rating.
    pub rating: RunRating,
    /// Its score against the nearest baseline that it met.
    pub direct: Option<DirectScore>,
    /// The player's new games.
    pub games: Tallies,
    /// The last match.
    pub last: MatchResult,
}

/// Rates `player` with fresh games, played at `venue`. `after_step` sees the rating as it settles.
///
/// The first step meets the baseline that is nearest by the guess, so that every rating has a score against
/// one beside it; each other step the opponent whose games promise to narrow the player's interval the most.
/// Deterministic: the same seed and players give the same games. When the arena's `stop` breaks off,
/// the rating rests on the pairs played until then; `None` if there are none.
pub fn climb(
    venue: &dyn Venue,
    player: &PlayerFactory<'_>,
    ladder: &Ladder<'_>,
    arena: &Arena<'_>,
    after_step: &mut dyn FnMut(&LadderStep),
) -> Result<Option<LadderStep>, EvalError> {
    let openings = openings::sample(ladder.variant, ladder.pairs, arena.seed);
    let baselines = ladder.baselines();
    let mut climber = Climber::new(venue, player, (ladder, &baselines), arena)?;
    climber.climb(&openings, after_step)?;
    Ok(climber.standing)
}

/// Rates `player` with many games by its performance against all baselines, as many games against each.
///
/// Against stronger opponents a player often scores better than its score against weaker ones allows: by the baselines
/// around it a network with few simulations is 1000 by the weakest of them and 1500 by the strongest. So whom it meets
/// decides its rating, and if that goes by its rating, what chance adds grows. Against the same opponents two
/// measurements differ by chance alone.
pub fn survey(
    venue: &dyn Venue,
    player: &PlayerFactory<'_>,
    ladder: &Ladder<'_>,
    arena: &Arena<'_>,
) -> Result<Option<RunRating>, EvalError> {
    let openings = openings::sample(ladder.variant, ladder.pairs, arena.seed);
    let baselines = ladder.baselines();
    let mut climber = Climber::new(venue, player, (ladder, &baselines), arena)?;
    for (number, opponent) in baselines.iter().enumerate() {
        let share = |number| openings.len() * number / baselines.len();
        let openings = &openings[share(number)..share(number + 1)];
        if !openings.is_empty() && !climber.meet(opponent, openings)? {
            break;
        }
    }
    Ok(climber.ratings.performance(&player.name))
}

/// A player on a ladder.
struct Climber<'a> {
    venue: &'a dyn Venue,
    player: &'a PlayerFactory<'a>,
    ladder: &'a Ladder<'a>,
    arena: &'a Arena<'a>,
    baselines: &'a [PlayerFactory<'a>],
    ratings: RunRatings,
    /// Matches played.
    steps: u64,
    /// After the last one.
    standing: Option<LadderStep>,
}

impl<'a> Climber<'a> {
    fn new(
        venue: &'a dyn Venue,
        player: &'a PlayerFactory<'a>,
        (ladder, baselines): (&'a Ladder<'a>, &'a [PlayerFactory<'a>]),
        arena: &'a Arena<'a>,
    ) -> Result<Climber<'a>, EvalError> {
        Ok(Climber {
            venue,
            player,
            ladder,
            arena,
            baselines,
            ratings: ladder.ratings(&Tallies::default())?,
            steps: 0,
            standing: None,
        })
    }

    /// Meets the opponents that tell the most, until the openings are used up or it is stopped.
    fn climb(
        &mut self,
        openings: &[Opening],
        after_step: &mut dyn FnMut(&LadderStep),
    ) -> Result<(), EvalError> {
        for openings in openings.chunks(self.ladder.pairs_per_step.max(1)) {
            let opponent = self.most_telling(2 * openings.len());
            if !self.meet(opponent, openings)? {
                break;
            }
            self.standing.as_ref().inspect(|step| after_step(step));
        }
        Ok(())
    }

    /// Plays a match; whether there is a rating then, and more may be played.
    fn meet(
        &mut self,
        opponent: &PlayerFactory<'_>,
        openings: &[Opening],
    ) -> Result<bool, EvalError> {
        let arena = Arena {
            seed: self.arena.seed.derive("ladder", &[self.steps]),
            ..*self.arena
        };
        let to_the_end = &mut |_: MatchEvent<'_>| ControlFlow::Continue(());
        let (sides, pairs) = ([self.player, opponent], (openings, BTreeMap::new()));
        let last = continue_match(self.venue, sides, pairs, &arena, to_the_end)?;
        if last.games.is_empty() {
            return Ok(false);
        }
        self.steps += 1;
        let before = self.standing.take().map(|step| step.games);
        let mut games = before.unwrap_or_default();
        games.extend(&last.tallies());
        self.ratings = self.ladder.ratings(&games)?;
        let rating = self.ratings.player(&self.player.name);
        self.standing = rating.map(|rating| LadderStep {
            rating,
            direct: self.ratings.direct(&self.player.name),
            games,
            last,
        });
        Ok(self.standing.is_some())
    }

    /// The player's rating, or the guess.
    fn estimate(&self) -> Option<f64> {
        let known = self.ratings.player(&self.player.name);
        known.map(|rating| rating.elo).or(self.ladder.guess)
    }

    /// The baseline that is nearest to a rating.
    fn nearest(&self, elo: f64) -> &'a PlayerFactory<'a> {
        let away = |one: &PlayerFactory<'_>| {
            let rating = self.ratings.player(&one.name);
            rating.map_or(f64::INFINITY, |rating| (rating.elo - elo).abs())
        };
        let nearest = self.baselines.iter();
        let nearest = nearest.min_by(|a, b| away(a).total_cmp(&away(b)));
        nearest.unwrap_or(&self.baselines[0])
    }

    /// The opponent of the next match of so many games.
    fn most_telling(&self, n_games: usize) -> &'a PlayerFactory<'a> {
        let Some(elo) = self.estimate() else {
            return &self.baselines[self.baselines.len() / 2];
        };
        if self.steps == 0 {
            return self.nearest(elo);
        }
        let gain = |one: &PlayerFactory<'_>| {
            self.ratings
                .gain(&self.player.name, elo, &one.name, n_games)
        };
        let opponents = self.baselines.iter().chain(self.ladder.past);
        let best = opponents.max_by(|a, b| gain(a).total_cmp(&gain(b)));
        best.unwrap_or(&self.baselines[0])
    }
}

impl Ladder<'_> {
    fn baselines(&self) -> Vec<PlayerFactory<'static>> {
        let levels = self.anchors.levels().into_iter();
        levels.map(PlayerFactory::from).collect()
    }

    /// All ratings after these games of the player.
    fn ratings(&self, games: &Tallies) -> Result<RunRatings, EvalError> {
        let mut all = self.past_games.clone();
        all.extend(games);
        RunRatings::new(self.anchors, &all)
    }
}
