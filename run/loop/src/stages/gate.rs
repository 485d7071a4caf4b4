//! The gate: decides whether the newest model replaces the champion.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use eval::{Arena, GatePair, GateReport, GateTest, MatchEvent, Verdict, openings};
use ratings::SprtBounds;
use serde::Serialize;
use store::{ModelId, Phase};
use types::Seed;

use crate::Ended;
use crate::{Event, Progress, Result, Run, RunError, RunObserver};

/// Terms of a gate's games: pairs played under other terms are not used.
#[derive(Serialize)]
struct GateTerms {
    candidate: u32,
    champion: u32,
    /// Identities of the two networks.
    networks: [String; 2],
    seed: u64,
    simulations: u32,
    precision: &'static str,
}

/// Plays the newest model against the champion and promotes it if it is stronger, in generations
/// that have a gate.
///
/// # Errors
/// If a player, the disk or the observer fails.
pub fn gate(run: &mut Run, stop: &AtomicBool, observer: &mut dyn RunObserver) -> Result<Ended> {
    let every = run.config().gate.every_generations;
    let (candidate, champion) = (run.state.newest, run.state.champion);
    // The untrained network is challenged in every generation, so that a short run does not end
    // with it.
    let is_due = champion == ModelId(0) || run.state.generation.is_multiple_of(every);
    if candidate == champion || !is_due {
        return Ok(Ended::Complete);
    }
    let report = loop {
        match play(run, stop, observer) {
            Err(error) if run.must_repeat_match(&error) => {
                run.dir.set_gate_log_aside(candidate, &error.to_string())?;
            }
            played => break played?,
        }
    };
    if stop.load(Ordering::Relaxed) && report.verdict == Verdict::Inconclusive {
        return Ok(Ended::Stopped);
    }
    run.dir.write_gate(candidate, &report)?;
    if report.verdict == Verdict::Better {
        run.state.champion = candidate;
    }
    observer.observe(run, &Event::Gated(&report))?;
    Ok(Ended::Complete)
}

/// Plays the pairs that are not in the gate's log yet.
fn play(run: &Run, stop: &AtomicBool, observer: &mut dyn RunObserver) -> Result<GateReport> {
    let section = &run.config().gate;
    let (candidate, champion) = (run.state.newest, run.state.champion);
    let seed = run.stream("gate");
    let new = run.player_factory(candidate, section.simulations)?;
    let old = run.player_factory(champion, section.simulations)?;
    let openings = openings::sample(run.variant(), section.max_pairs as usize, seed);
    let (mut log, kept) = run
        .dir
        .gate_log(candidate, &terms(run, candidate, champion, seed)?)?;
    let (stage, total, done) = (Phase::Gate, openings.len() as u64, kept.len() as u64);
    observer.observe(run, &Event::Planned { stage, total, done })?;
    let mut outcome: Result<()> = Ok(());
    let watch = &mut |event: MatchEvent<'_>| {
        outcome = match event {
            MatchEvent::Finished(games) => {
                log.append(&GatePair::new(games)).map_err(RunError::from)
            }
            MatchEvent::Counted(result) => observer.observe(
                run,
                &Event::Progress {
                    done: result.pairs_played(),
                    so_far: Progress::Gate(result),
                },
            ),
        };
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let test = GateTest {
        openings: &openings,
        bounds: &SprtBounds {
            nelo0: section.nelo0,
            nelo1: section.nelo1,
            alpha: section.alpha,
            beta: section.beta,
        },
    };
    let runner = run.match_runner(section.simulations);
    let arena = Arena::new(seed, run.threads(), stop);
    let report = eval::gate(&*runner, [&new, &old], &test, &arena, &kept, watch)?;
    outcome?;
    Ok(report)
}

fn terms(run: &Run, candidate: ModelId, champion: ModelId, seed: Seed) -> Result<GateTerms> {
    Ok(GateTerms {
        candidate: candidate.0,
        champion: champion.0,
        networks: [
            run.model(candidate)?.net_id(),
            run.model(champion)?.net_id(),
        ],
        seed: seed.get(),
        simulations: run.config().gate.simulations,
        precision: run.config().model.precision.name(),
    })
}
