//! The champion against fixed baselines and earlier champions, with fresh games.

use std::sync::atomic::{AtomicBool, Ordering};

use eval::{Ladder, RunRatings, anchors, climb};

use super::{Ended, gate::arena};
use crate::ratings::{RatingPoint, Ratings};
use crate::{Event, Observer, Progress, Result, Run};

/// Separates the rating's openings and lots from everything else that the run's seed decides.
const STREAM: u64 = 0x7261_7465;

/// Rates the champion, in generations that have a rating.
///
/// # Errors
/// As [`measure_rating`].
pub fn rate(run: &mut Run, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Ended> {
    let section = &run.config().rating;
    if !run
        .state
        .generation
        .is_multiple_of(section.every_generations)
    {
        return Ok(Ended::Complete);
    }
    measure_rating(run, section.pairs, stop, observer)?;
    Ok(if stop.load(Ordering::Relaxed) {
        Ended::Stopped
    } else {
        Ended::Complete
    })
}

/// Rates the champion with `pairs` pairs of games and writes `ratings.json`. Nothing comes back when
/// it was stopped, or where the baselines have not been measured for the game.
///
/// # Errors
/// When a player fails, the disk refuses, or the observer fails.
pub fn measure_rating(
    run: &Run,
    pairs: usize,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Option<RatingPoint>> {
    let Some(anchors) = anchors::shipped(run.variant()) else {
        return Ok(None);
    };
    let section = &run.config().rating;
    let player = run.player_factory(run.state.champion, section.simulations)?;
    let ratings: Ratings = run.dir.ratings()?.unwrap_or_default();
    let past = ratings
        .past(run.state.champion)
        .map(|id| run.player_factory(id, section.simulations))
        .collect::<Result<Vec<_>>>()?;
    let past_games = ratings.results_before(run.state.generation);
    let total = pairs as u64;
    observer.observe(run, &Event::Planned { total })?;
    let ladder = Ladder {
        variant: run.variant(),
        anchors: &anchors,
        past: &past,
        past_games: &past_games,
        pairs,
        pairs_per_step: section.pairs_per_step,
        guess: ratings.newest_before(run.state.generation),
    };
    let (mut done, mut outcome) = (0, Ok(()));
    let arena = arena(run, run.stream(STREAM), stop);
    let step = climb(&player, &ladder, &arena, &mut |step| {
        done += step.last.pairs_played();
        let so_far = Progress::Rate(step);
        if outcome.is_ok() {
            outcome = observer.observe(run, &Event::Progress { done, so_far });
        }
    })?;
    outcome?;
    let Some(step) = step.filter(|_| !stop.load(Ordering::Relaxed)) else {
        return Ok(None);
    };
    let mut games = past_games;
    games.extend(&step.games);
    let point = RatingPoint {
        generation: run.state.generation,
        model: run.state.champion.0,
        seconds: run.state.seconds,
        elo: step.rating.elo,
        ci95: step.rating.ci95,
        ci95_on_scale: Some(step.rating.ci95_on_scale),
        games: 2 * done,
        results: Some(step.games),
        selfplay_games: Some(run.state.games),
        simulations: section.simulations,
    };
    let ratings = ratings.with(point.clone(), &RunRatings::new(&anchors, &games)?);
    run.dir.write_ratings(&ratings)?;
    observer.observe(run, &Event::Rated(&point))?;
    Ok(Some(point))
}
