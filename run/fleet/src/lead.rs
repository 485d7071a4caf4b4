//! The trainer's side of a fleet.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use config::FleetMode;
use eval::{EvalError, MatchRunner, OpenPairs, TakePair};
use model::Model;
use run::{
    Event, Fleet, GameTerms, Progress, RequestError, Run, RunError, RunObserver, model_number,
};
use selfplay::SelfplayStats;
use share::{
    Assignment, MatchSide, MatchWork, Protocol, Records, Share, Trust, Work, games_of_a_part,
    model_name, tidy,
};
use store::{Hold, Phase, RunId};

use crate::handshake::handshake;
use crate::judge::judge;
use crate::pairs::{Pairs, starts};
use crate::table::{End, Seat, Table};
use crate::{FleetError, Result};

/// Minimum number of pairs in a part of a match.
const PAIRS: u32 = 4;
/// Maximum number of parts of a match.
const MATCH_CHUNKS: u32 = 1024;

/// The share of a run or a tournament, as used by the machine that leads the fleet.
pub(crate) struct Lead {
    pub(crate) share: Arc<dyn Share>,
    pub(crate) run: RunId,
    /// The network for the games of the handshake.
    handshake_network: String,
    pub(crate) trust: Mutex<Trust>,
    /// Keeps other processes from leading this fleet.
    _hold: Option<Hold>,
}

/// Shares all games that the run plays from now on with the machines that join. The trainer repeats
/// a fraction of their games, given by `trust`.
///
/// # Errors
/// If the share fails, belongs to another run or is led by another process, or other machines would
/// play different games.
pub fn lead(run: &mut Run, share: Arc<dyn Share>, trust: Trust) -> Result<()> {
    let is_exact = run.config().fleet.mode == FleetMode::Exact;
    if is_exact && !run.is_on_processor() {
        let reason = "a fleet needs device=cpu, because other devices differ in the last bits from \
            machine to machine, or fleet.mode=free";
        return Err(RequestError(reason.to_owned()).into());
    }
    let (Some(id), Some(&first)) = (run.dir().id(), run.dir().models()?.first()) else {
        let reason = "a run of an earlier version cannot have a fleet";
        return Err(RequestError(reason.to_owned()).into());
    };
    let (model, file) = (run.model(first)?, run.file());
    let (handshake, _) = handshake(file, &model, run.threads())?;
    let protocol = Protocol::new(file.variant, id, file.render(), handshake);
    let lead = Lead::new(share, trust, protocol, &model)?;
    run.fleet = Some(Box::new(lead));
    Ok(())
}

impl Lead {
    /// Creates the fleet of a run, or resumes it. `model` plays the games of the handshake.
    pub(crate) fn new(
        share: Arc<dyn Share>,
        mut trust: Trust,
        protocol: Protocol,
        model: &Model,
    ) -> Result<Lead> {
        // Nothing is written to another run's share.
        protocol.is_founded(&*share)?;
        let hold = share.hold()?;
        trust.remember(&*share)?;
        let lead = Lead {
            share,
            run: protocol.run,
            handshake_network: protocol.handshake.network.clone(),
            trust: Mutex::new(trust),
            _hold: hold,
        };
        lead.share_model(model)?;
        protocol.found(&*lead.share)?;
        // The dismissal of an earlier process would send all workers home.
        Assignment::withdraw(&*lead.share)?;
        Ok(lead)
    }

    /// Tells all workers that they are no longer needed.
    pub(crate) fn dismiss(&self) -> Result<()> {
        Ok(Assignment::dismiss(&*self.share, self.run)?)
    }

    fn play_once(
        &self,
        run: &Run,
        stop: &AtomicBool,
        observer: &mut dyn RunObserver,
    ) -> Result<(End, SelfplayStats)> {
        let model = run.selfplay_model()?;
        let mut writer = run.game_writer()?;
        let generation = run.state().generation;
        let terms = GameTerms::of_generation(run.file(), generation, model.net_id())?;
        let mut assignment = self.games_of(run, generation, &model)?;
        assignment.skip(writer.numbers());
        let done = writer.numbers().len() as u64;
        let announced = self.announce(&assignment, &[&model]);
        note(announced.and_then(|()| self.tidy(assignment.generation, &assignment.networks())));
        let (stage, total) = (Phase::SelfPlay, u64::from(assignment.total));
        observer.observe(run, &Event::Planned { stage, total, done })?;
        let again = || Ok(run.evaluators(&model, terms.selfplay.concurrent_games)?);
        let (job, mut evaluators) = (terms.job(&[]), again()?.all(run.threads()));
        let assignment = Arc::new(assignment);
        let content = Records {
            header: terms.header.clone(),
            judge: judge(run.config(), &terms, run.threads(), again)?,
        };
        let table = Table::new(
            &*self.share,
            &self.trust,
            &assignment,
            content,
            run.threads(),
            done > 0,
        );
        let started = Instant::now();
        let (mut stats, mut own) = (SelfplayStats::default(), SelfplayStats::default());
        let end = table.play(
            &mut |seat: Seat<'_, _>| {
                let now = seat
                    .source
                    .play_games(&job, &mut evaluators, seat.finished)?;
                own.add_work(&now);
                Ok(now.games > 0)
            },
            stop,
            &mut |games| {
                for game in &games {
                    if writer.append(game).map_err(FleetError::Game)? {
                        stats.add_record(game);
                    }
                }
                let progress = Event::Progress {
                    done: done + stats.games,
                    so_far: Progress::SelfPlay(&stats, started.elapsed()),
                };
                observer.observe(run, &progress)?;
                Ok(ControlFlow::Continue(()))
            },
        )?;
        writer.sync()?;
        stats.add_work(&own);
        Ok((end, stats))
    }

    /// The games of a generation by a network.
    fn games_of(&self, run: &Run, generation: u32, model: &Model) -> Result<Assignment> {
        let work = Work::SelfPlay {
            network: model.net_id(),
        };
        let total = run.config().selfplay.games_per_generation;
        Ok(Assignment {
            total,
            chunk: games_of_a_part(total),
            ..Assignment::new(self.run, generation, settings(run, generation)?, work)
        })
    }

    /// Plays the missing pairs of a match with all machines, and hands them to `take` in order.
    fn play_match(
        &self,
        run: &Run,
        simulations: u32,
        open: &OpenPairs<'_>,
        take: &mut TakePair<'_>,
    ) -> Result<()> {
        let mut models = Vec::new();
        let mut side = |name: &str| -> Result<MatchSide> {
            Ok(match model_number(name) {
                None => MatchSide::Baseline(name.to_owned()),
                Some(id) => {
                    models.push(run.model(id)?);
                    MatchSide::Network(models[models.len() - 1].net_id())
                }
            })
        };
        let [first, second] = open.sides;
        let work = Work::Match(MatchWork {
            sides: [side(&first.name)?, side(&second.name)?],
            simulations,
            seed: open.arena.seed.get(),
            openings: starts(open.openings),
        });
        let total = open.openings.len() as u32;
        let generation = run.state().generation;
        let mut assignment = Assignment {
            total,
            chunk: total.div_ceil(MATCH_CHUNKS).max(PAIRS),
            ..Assignment::new(self.run, generation, settings(run, generation)?, work)
        };
        assignment.skip(&open.known.iter().map(|&pair| pair as u32).collect());
        note(self.announce(&assignment, &models.iter().collect::<Vec<_>>()));
        let assignment = Arc::new(assignment);
        let content = Pairs {
            openings: open.openings.into(),
            seed: open.arena.seed,
        };
        let table = Table::new(
            &*self.share,
            &self.trust,
            &assignment,
            content.clone(),
            open.arena.threads,
            !open.known.is_empty(),
        );
        let end = table.play(
            &mut |seat: Seat<'_, _>| Ok(content.play(open.sides, &seat.source, seat.finished)? > 0),
            open.arena.stop,
            &mut |pairs| {
                for pair in pairs.iter().filter(|pair| !open.known.contains(&pair.pair)) {
                    let restored = pair.restore(&open.openings[pair.pair]);
                    let games = restored.ok_or_else(|| {
                        FleetError::Missing(format!("pair {} cannot be played", pair.pair))
                    })?;
                    if take(pair.pair, games).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        // If the match is decided, the rest is not needed.
        self.close(&assignment);
        match end {
            End::Again => Err(FleetError::Disbelieved),
            End::Complete | End::Stopped => Ok(()),
        }
    }

    /// Tells all machines that nothing of this assignment is needed now.
    pub(crate) fn close(&self, assignment: &Assignment) {
        let mut over = assignment.clone();
        over.done = (0..over.n_chunks()).collect();
        note(over.publish(&*self.share).map_err(FleetError::from));
    }

    /// Announces the assignment to all machines.
    fn announce(&self, assignment: &Assignment, models: &[&Model]) -> Result<()> {
        models
            .iter()
            .try_for_each(|model| self.share_model(model))?;
        Ok(assignment.publish(&*self.share)?)
    }

    /// Removes the objects that a generation played by these networks does not need.
    pub(crate) fn tidy(&self, generation: u32, networks: &[&str]) -> Result<()> {
        let networks = [networks, &[&self.handshake_network]].concat();
        Ok(tidy(&*self.share, generation, &networks)?)
    }

    /// Shares a model, unless it is already there and intact.
    fn share_model(&self, model: &Model) -> Result<()> {
        self.share_bytes(&model.net_id(), model.to_bytes()?)
    }

    /// Shares an object of a player, unless it is already there and intact.
    pub(crate) fn share_bytes(&self, object: &str, bytes: Vec<u8>) -> Result<()> {
        let name = model_name(object);
        let is_there = self.share.get(&name)?.as_ref() == Some(&bytes);
        if !is_there {
            self.share.put(&name, bytes)?;
        }
        Ok(())
    }
}

/// The settings of a generation. Later changes do not concern its games.
fn settings(run: &Run, generation: u32) -> Result<String> {
    let file = run.file().of_generation(generation);
    Ok(file.map_err(RunError::from)?.render())
}

/// Logs a failure of the share, which does not stop the trainer.
pub(crate) fn note(told: Result<()>) {
    if let Err(error) = told {
        tracing::warn!(%error, "failed to announce the games to other machines");
    }
}

impl Fleet for Lead {
    /// Plays with all machines that have joined. An unreachable share is not an error: then this
    /// machine plays alone.
    fn play_games(
        &self,
        run: &Run,
        stop: &AtomicBool,
        observer: &mut dyn RunObserver,
    ) -> run::Result<Option<SelfplayStats>> {
        loop {
            match self.play_once(run, stop, observer)? {
                (End::Complete, stats) => return Ok(Some(stats)),
                (End::Stopped, _) => return Ok(None),
                (End::Again, _) => run.set_games_aside(&FleetError::Disbelieved.to_string())?,
            }
        }
    }

    /// Announces the next generation if its games do not depend on the training of this one.
    fn play_ahead(&self, run: &Run) -> run::Result<()> {
        let (config, next) = (run.config(), run.state().generation + 1);
        let mut changes = run.file().changes.iter();
        if config.fleet.lag == 0 || changes.any(|change| change.generation == next) {
            return Ok(());
        }
        let model = run.model(run.state().newest)?;
        note(self.announce(&self.games_of(run, next, &model)?, &[&model]));
        Ok(())
    }

    fn match_runner<'a>(&'a self, run: &'a Run, simulations: u32) -> Box<dyn MatchRunner + 'a> {
        Box::new(FleetMatches {
            lead: self,
            run,
            simulations,
        })
    }

    fn must_repeat_match(&self, error: &(dyn Error + 'static)) -> bool {
        let error = error.downcast_ref();
        matches!(error, Some(FleetError::Disbelieved))
    }

    fn dismiss(&self) -> run::Result<()> {
        Ok(self.dismiss()?)
    }
}

/// Matches between players of a run, on the machines of its fleet.
struct FleetMatches<'a> {
    lead: &'a Lead,
    run: &'a Run,
    simulations: u32,
}

impl MatchRunner for FleetMatches<'_> {
    fn play(&self, open: &OpenPairs<'_>, take: &mut TakePair<'_>) -> Result<(), EvalError> {
        let played = self.lead.play_match(self.run, self.simulations, open, take);
        played.map_err(|error| EvalError::Runner(Box::new(error)))
    }
}
