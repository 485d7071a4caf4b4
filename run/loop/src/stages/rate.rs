//! Rates the champion against fixed baselines and earlier champions.

use std::sync::atomic::{AtomicBool, Ordering};

use eval::{Arena, Ladder, LadderStep, PlayerFactory, anchors, climb};
use ratings::RunRatings;
use store::{ModelId, Phase};

use crate::ratings::{RatingPoint, Ratings};
use crate::{Ended, Event, Progress, Result, Run, RunObserver};

/// Rates the champion, in generations that have a rating.
///
/// # Errors
/// As [`measure_rating`].
pub fn rate(run: &mut Run, stop: &AtomicBool, observer: &mut dyn RunObserver) -> Result<Ended> {
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

/// Rates the champion with `pairs` pairs of games and writes `ratings.json`. Returns `None` if it
/// was stopped, no network of the run has learned anything, or the game's baselines have not been
/// measured.
///
/// # Errors
/// If a player, the disk or the observer fails.
pub fn measure_rating(
    run: &Run,
    pairs: usize,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Option<RatingPoint>> {
    let is_untrained = run.state.newest == ModelId(0) && run.file.origin.is_none();
    let anchors = anchors::shipped(run.variant()).filter(|_| !is_untrained);
    let Some(anchors) = anchors else {
        return Ok(None);
    };
    let ratings: Ratings = run.dir.ratings()?.unwrap_or_default();
    let past_games = ratings.results_before(run.state.generation);
    let ladder = Ladder {
        variant: run.variant(),
        anchors: &anchors,
        past: &past_champions(run, &ratings)?,
        past_games: &past_games,
        pairs,
        pairs_per_step: run.config().rating.pairs_per_step,
        guess: ratings.newest_before(run.state.generation),
    };
    let step = loop {
        match play(run, &ladder, stop, observer) {
            Err(error) if run.must_repeat_match(&error) => {}
            played => break played?,
        }
    };
    let Some((step, n_games)) = step.filter(|_| !stop.load(Ordering::Relaxed)) else {
        return Ok(None);
    };
    let mut games = past_games.clone();
    games.extend(&step.games);
    let point = point(run, step, n_games);
    let ratings = ratings.with(point.clone(), &RunRatings::new(&anchors.games, &games)?);
    run.dir.write_ratings(&ratings)?;
    observer.observe(run, &Event::Rated(&point))?;
    Ok(Some(point))
}

/// The earlier champions used as opponents.
fn past_champions(run: &Run, ratings: &Ratings) -> Result<Vec<PlayerFactory<'static>>> {
    let simulations = run.config().rating.simulations;
    let past = ratings.past(run.state.champion);
    // A damaged model that was moved away cannot play.
    let there = run.dir.models()?;
    let past = past.filter(|id| there.contains(id));
    past.map(|id| run.player_factory(id, simulations)).collect()
}

/// Plays the games; returns the last step and the number of games.
fn play(
    run: &Run,
    ladder: &Ladder<'_>,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Option<(LadderStep, u64)>> {
    let simulations = run.config().rating.simulations;
    let champion = run.player_factory(run.state.champion, simulations)?;
    let (stage, total) = (Phase::Rate, ladder.pairs as u64);
    let (mut done, mut outcome) = (0, Ok(()));
    observer.observe(run, &Event::Planned { stage, total, done })?;
    let arena = Arena::new(run.stream("rating"), run.threads(), stop);
    let step = climb(
        &*run.match_runner(simulations),
        &champion,
        ladder,
        &arena,
        &mut |step| {
            done += step.last.pairs_played();
            let so_far = Progress::Rate(step);
            if outcome.is_ok() {
                outcome = observer.observe(run, &Event::Progress { done, so_far });
            }
        },
    )?;
    outcome?;
    Ok(step.map(|step| (step, 2 * done)))
}

/// The rating point of the champion after the last step.
fn point(run: &Run, step: LadderStep, n_games: u64) -> RatingPoint {
    RatingPoint {
        generation: run.state.generation,
        model: run.state.champion.0,
        seconds: run.state.seconds,
        elo: step.rating.elo,
        ci95: step.rating.ci95,
        ci95_on_scale: Some(step.rating.ci95_on_scale),
        direct: step.direct,
        games: n_games,
        results: Some(step.games),
        selfplay_games: Some(run.state.games),
        simulations: run.config().rating.simulations,
    }
}
