//! Numbered games by the newest model.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use model::Model;
use search::Prover;
use selfplay::{Job, SelfplayConfig, SelfplayStats, play_games};
use store::{GameId, GameWriter, Header, ModelId, Phase};

use super::Ended;
use crate::config::{RunConfig, RunFile};
use crate::metrics::Generation;
use crate::{Event, Progress, Result, Run, RunObserver};

/// Plays the games of the generation that are not on disk yet, and takes all of them into the window.
///
/// # Errors
/// When a network or a model fails, the disk refuses, or the observer fails.
pub fn self_play(
    run: &mut Run,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Ended> {
    let total = run.config().selfplay.games_per_generation;
    let started = Instant::now();
    let played = match &run.fleet {
        Some(fleet) => fleet.play(run, total, stop, observer)?,
        None => play(run, total, stop, observer)?,
    };
    let Some(stats) = played else {
        return Ok(Ended::Stopped);
    };
    let elapsed = started.elapsed();
    let games = learn_of_games(run)?;
    let config = run.config().self_play();
    let metrics = games.metrics(&stats, &run.config().search, &config, elapsed);
    observer.observe(run, &Event::Played(&metrics))?;
    Ok(Ended::Complete)
}

/// Plays; nothing comes back when it was stopped before all games were there.
fn play(
    run: &Run,
    total: u32,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Option<SelfplayStats>> {
    let config = run.config().self_play();
    let model = network(run)?;
    let header = header(&run.file, run.state.generation, model.net_id());
    let mut writer = writer(run)?;
    let numbers: Vec<u32> = (0..total)
        .filter(|n| !writer.numbers().contains(n))
        .collect();
    let evaluators = run.evaluators(&model, config.concurrent_games)?;
    let (stage, total) = (Phase::SelfPlay, u64::from(total));
    let done = total - numbers.len() as u64;
    observer.observe(run, &Event::Planned { stage, total, done })?;
    let job = job(run.config(), &config, &header, &numbers, run.prover());
    let started = Instant::now();
    let mut evaluators = evaluators.all(run.threads());
    let stats = play_games(&job, &mut evaluators, stop, |record, stats| {
        writer.append(&record)?;
        let progress = Event::Progress {
            done: done + stats.games,
            so_far: Progress::SelfPlay(stats, started.elapsed()),
        };
        Ok(observer.observe(run, &progress)?)
    })?;
    writer.sync()?;
    Ok((done + stats.games == total).then_some(stats))
}

/// The games of the generation that are on disk, to be added to.
pub(crate) fn writer(run: &Run) -> Result<GameWriter> {
    let writer = run.dir.games(run.variant()).writer(run.state.generation)?;
    for damage in writer.damage() {
        tracing::warn!(?damage, "damaged games are played again");
    }
    Ok(writer)
}

/// The model that plays the generation's games.
pub(crate) fn network(run: &Run) -> Result<Model> {
    let lag = run.config().fleet.lag;
    run.model(ModelId(run.state.newest.0.saturating_sub(lag)))
}

/// The games to play, with what the endgame database is allowed to say.
pub(crate) fn job<'a>(
    config: &'a RunConfig,
    selfplay: &'a SelfplayConfig,
    header: &'a Header,
    numbers: &'a [u32],
    prover: Option<&'a Arc<dyn Prover>>,
) -> Job<'a> {
    let adjudicator = prover.filter(|_| config.endgame.adjudicate);
    Job {
        search: &config.search,
        config: selfplay,
        header,
        numbers,
        adjudicator: adjudicator.map(|prover| &**prover),
    }
}

/// What all records of the generation share.
pub(crate) fn header(file: &RunFile, generation: u32, network: String) -> Header {
    Header {
        variant: file.variant,
        rules_version: file.variant.rules_version(),
        seed: file.resolved.config.seed,
        id: GameId {
            generation,
            number: 0,
        },
        network,
        config_hash: file.run_id.map_or_else(|| file.hash(), |id| id.0),
    }
}

/// Takes this generation's games into the window, as opening the run would after a stop.
fn learn_of_games(run: &mut Run) -> Result<Generation> {
    let games = run.dir.games(run.variant()).read(run.state.generation)?;
    let mut generation = Generation::default();
    for record in &games.records {
        generation.add(record);
        run.window.push(record);
        run.state.positions += record.plies.len() as u64;
    }
    run.state.games += games.records.len() as u64;
    run.state.samples = run.window.n_seen();
    Ok(generation)
}
