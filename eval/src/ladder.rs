//! Rates one player against fixed baselines: of a run with few games, where it also meets earlier players of the run, or
//! with many, against all that are around it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rules::Variant;

use crate::anchors::Anchors;
use crate::error::EvalError;
use crate::matches::{Arena, MatchEvent, MatchResult, PlayerFactory, Venue, continue_match};
use crate::openings::{self, Opening};
use crate::ratings::Tallies;
use crate::run_ratings::{DirectScore, RunRating, RunRatings};

/// Baselines are around a player if they are less than so many Elo away, and so many in any case, which then
/// play this share of the games of an equal at least.
const AROUND: f64 = 800.0;
const LEAST_AROUND: usize = 5;
const LEAST_SHARE: f64 = 0.1;

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

/// Rates `player` with many games against all baselines around it, the more the nearer they are: around the guess with a
/// quarter of the pairs, then around where it stands.
///
/// What a player scores against one opponent strays from what its rating says, and against stronger ones it often
/// scores better than against weaker ones. The few opponents that tell the most are others whenever the rating is a
/// little different, and then it is another one the more. Of many around it hardly any are others, and every game counts
/// the same ([`RunRatings::performance`]), so that two measurements agree.
pub fn survey(
    venue: &dyn Venue,
    player: &PlayerFactory<'_>,
    ladder: &Ladder<'_>,
    arena: &Arena<'_>,
) -> Result<Option<RunRating>, EvalError> {
    let openings = openings::sample(ladder.variant, ladder.pairs, arena.seed);
    let (first, rest) = openings.split_at(openings.len().div_ceil(4));
    let baselines = ladder.baselines();
    let mut climber = Climber::new(venue, player, (ladder, &baselines), arena)?;
    climber.look_around(first)?;
    climber.look_around(rest)?;
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

    /// Meets all baselines around the player, until the openings are used up or it is stopped.
    fn look_around(&mut self, openings: &[Opening]) -> Result<(), EvalError> {
        let around = self.around();
        let all: f64 = around.iter().map(|(share, _)| share).sum();
        let (mut from, mut shares) = (0, 0.0);
        for (share, opponent) in around {
            shares += share;
            let until = (openings.len() as f64 * shares / all).round() as usize;
            if from < until && !self.meet(opponent, &openings[from..until])? {
                break;
            }
            from = until;
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

    /// The baselines, the nearest to a rating first, with how far away they are.
    fn nearest(&self, elo: f64) -> Vec<(f64, &'a PlayerFactory<'a>)> {
        let away = |one: &PlayerFactory<'_>| {
            let rating = self.ratings.player(&one.name);
            rating.map_or(f64::INFINITY, |rating| (rating.elo - elo).abs())
        };
        let mut baselines: Vec<_> = self.baselines.iter().map(|one| (away(one), one)).collect();
        baselines.sort_by(|a, b| a.0.total_cmp(&b.0));
        baselines
    }

    /// The opponent of the next match of so many games.
    fn most_telling(&self, n_games: usize) -> &'a PlayerFactory<'a> {
        let Some(elo) = self.estimate() else {
            return &self.baselines[self.baselines.len() / 2];
        };
        if self.steps == 0 {
            return self.nearest(elo)[0].1;
        }
        let gain = |one: &PlayerFactory<'_>| {
            self.ratings
                .gain(&self.player.name, elo, &one.name, n_games)
        };
        let opponents = self.baselines.iter().chain(self.ladder.past);
        let best = opponents.max_by(|a, b| gain(a).total_cmp(&gain(b)));
        best.unwrap_or(&self.baselines[0])
    }

    /// The baselines around the player, each with its share of the games where an equal has 1.
    fn around(&self) -> Vec<(f64, &'a PlayerFactory<'a>)> {
        let elo = self.estimate().unwrap_or_default();
        let nearest = self.nearest(elo).into_iter().enumerate();
        let around = nearest.map(|(place, (away, one))| {
            let least = if place < LEAST_AROUND {
                LEAST_SHARE
            } else {
                0.0
            };
            ((1.0 - away / AROUND).max(least), one)
        });
        around.filter(|(share, _)| *share > 0.0).collect()
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
