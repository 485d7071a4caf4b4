//! The trainer's side.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use eval::{EvalError, Here, OpenPairs, TakePair, Venue};
use fleet::{
    Assignment, FleetError, Handshake, MatchSide, MatchWork, Protocol, Records, Share, Trust, Work,
    games_of_a_part, model_name, tidy,
};
use model::Model;
use selfplay::SelfplayStats;
use store::{Phase, RunId};
use trainer::Compute;

use super::judge::judge;
use super::pairs::{Pairs, play_pairs, starts};
use super::table::{End, Seat, Table};
use super::{handshake, play_chunks};
use crate::config::{FleetMode, RunFile};
use crate::error::Within as _;
use crate::run::model_of_player;
use crate::stages::self_play;
use crate::{Event, PipelineError, Progress, RequestError, Result, Run, RunObserver};

/// Pairs of a part of a match, if it does not have very many.
const PAIRS: u32 = 4;
/// Parts of a match at most.
const MATCH_CHUNKS: u32 = 1024;

/// The share of a run or a tournament, and what was agreed on there.
pub(crate) struct Lead {
    pub(super) share: Arc<dyn Share>,
    run: RunId,
    handshake: Handshake,
    pub(super) trust: Mutex<Trust>,
}

impl Run {
    /// Shares the games that are to be played from now on with all who join. As much as `trust` says of what
    /// they share is played again.
    ///
    /// # Errors
    /// When the share refuses, belongs to another run, or this run's games would come out different elsewhere.
    pub fn lead_fleet(&mut self, share: Arc<dyn Share>, trust: Trust) -> Result<()> {
        let is_exact = self.config().fleet.mode == FleetMode::Exact;
        if is_exact && !self.is_on_processor() {
            let reason = "a fleet needs device=cpu, since other devices' last bits differ from machine to machine, or \
                fleet.mode=free";
            return Err(RequestError(reason.to_owned()).into());
        }
        let (Some(id), Some(&first)) = (self.dir.id(), self.dir.models()?.first()) else {
            let reason = "a run of an earlier version cannot have a fleet";
            return Err(RequestError(reason.to_owned()).into());
        };
        let model = self.model(first)?;
        let (handshake, _) = handshake(&self.file, &model, self.prover(), self.threads())?;
        self.fleet = Some(Lead::new(
            share,
            trust,
            (id, &self.file),
            (handshake, &model),
        )?);
        Ok(())
    }

    /// Tells all who play for the run that they may go.
    ///
    /// # Errors
    /// When the share refuses.
    pub fn dismiss_fleet(&self) -> Result<()> {
        self.fleet.iter().try_for_each(Lead::dismiss)
    }

    fn is_on_processor(&self) -> bool {
        matches!(self.hardware.compute, Compute::Cpu)
    }

    /// Where the run's matches are played: here, or by all who have joined, where they come out the same.
    pub(crate) fn venue(&self, simulations: u32) -> Box<dyn Venue + '_> {
        match &self.fleet {
            Some(lead) if self.is_on_processor() => Box::new(FleetVenue {
                lead,
                run: self,
                simulations,
            }),
            _ => Box::new(Here),
        }
    }
}

impl Lead {
    /// Founds the fleet of a run, or leads it again.
    pub(super) fn new(
        share: Arc<dyn Share>,
        mut trust: Trust,
        (run, file): (RunId, &RunFile),
        (handshake, model): (Handshake, &Model),
    ) -> Result<Lead> {
        let protocol = Protocol::new(file.variant, run, file.render(), handshake.clone());
        // Nothing is written into another run's share.
        protocol.is_founded(&*share)?;
        trust.remember(&*share)?;
        let lead = Lead {
            share,
            run,
            handshake,
            trust: Mutex::new(trust),
        };
        lead.share_model(model)?;
        protocol.found(&*lead.share)?;
        // What an earlier process said last would send everybody home.
        Assignment::withdraw(&*lead.share)?;
        Ok(lead)
    }

    /// Tells all who play that they may go.
    pub(super) fn dismiss(&self) -> Result<()> {
        Ok(Assignment::dismiss(&*self.share, self.run)?)
    }

    /// Plays the games of the generation with all who have joined, and writes them in the order of their
    /// numbers; nothing comes back when it was stopped before all games were there.
    ///
    /// A share that does not answer is no error: then this machine plays alone.
    pub(crate) fn play(
        &self,
        run: &Run,
        total: u32,
        stop: &AtomicBool,
        observer: &mut dyn RunObserver,
    ) -> Result<Option<SelfplayStats>> {
        loop {
            match self.play_once(run, total, stop, observer)? {
                (End::Complete, stats) => return Ok(Some(stats)),
                (End::Stopped, _) => return Ok(None),
                (End::Again, _) => {
                    let why = FleetError::Disbelieved.to_string();
                    run.dir
                        .set_games_aside(run.variant(), run.state.generation, &why)?;
                }
            }
        }
    }

    fn play_once(
        &self,
        run: &Run,
        total: u32,
        stop: &AtomicBool,
        observer: &mut dyn RunObserver,
    ) -> Result<(End, SelfplayStats)> {
        let config = run.config().self_play();
        let model = self_play::network(run)?;
        let header = self_play::header(&run.file, run.state.generation, model.net_id());
        let mut writer = self_play::writer(run)?;
        let mut assignment = self.games_of(run, run.state.generation, &model, total);
        assignment.skip(writer.numbers());
        let done = writer.numbers().len() as u64;
        let announced = self.announce(&assignment, &[&model]);
        note(announced.and_then(|()| self.tidy(assignment.generation, &assignment.networks())));
        let (stage, total) = (Phase::SelfPlay, u64::from(total));
        observer.observe(run, &Event::Planned { stage, total, done })?;
        let job = self_play::job(run.config(), &config, &header, &[], run.prover());
        let evaluators = run.evaluators(&model, config.concurrent_games)?;
        let mut evaluators = evaluators.all(run.threads());
        let assignment = Arc::new(assignment);
        let again = || run.evaluators(&model, config.concurrent_games);
        let terms = (run.config(), &header);
        let judge = judge(terms, run.prover(), (again, run.threads()))?;
        let content = Records {
            header: header.clone(),
            judge,
        };
        let table = Table::new(&*self.share, &assignment, content, &self.trust);
        let started = Instant::now();
        let (mut stats, mut own) = (SelfplayStats::default(), SelfplayStats::default());
        let end = table.play(
            &mut |seat: Seat<'_, _>| {
                let (claim, halt) = (seat.claim, seat.halt);
                let finished = seat.finished;
                let now = play_chunks(&job, &assignment, claim, &mut evaluators, halt, finished)?;
                own = std::mem::take(&mut own).with_work_of(&now);
                Ok(now.games > 0)
            },
            stop,
            &mut |games| {
                for game in &games {
                    let kept = writer.append(game);
                    if kept.within(|| "failed to keep a game".to_owned())? {
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
        Ok((end, stats.with_work_of(&own)))
    }

    /// Lets all who have joined play the next generation, if its games follow from what is known before this
    /// one has been learnt from.
    pub(crate) fn play_ahead(&self, run: &Run) -> Result<()> {
        let (config, next) = (run.config(), run.state.generation + 1);
        let mut changes = run.file.changes.iter();
        if config.fleet.lag == 0 || changes.any(|change| change.generation == next) {
            return Ok(());
        }
        let model = run.model(run.state.newest)?;
        let total = config.selfplay.games_per_generation;
        let assignment = self.games_of(run, next, &model, total);
        note(self.announce(&assignment, &[&model]));
        Ok(())
    }

    /// The games of a generation by a network.
    fn games_of(&self, run: &Run, generation: u32, model: &Model, total: u32) -> Assignment {
        let work = Work::SelfPlay {
            network: model.net_id(),
            starts: [],
        };
        let place = (generation, run.file.render());
        self.assignment(place, work, (total, games_of_a_part(total)))
    }

    /// Plays the open pairs of a match with all who have joined, and hands them to `take` in order.
    fn play_match(
        &self,
        run: &Run,
        simulations: u32,
        open: &OpenPairs<'_>,
        take: &mut TakePair<'_>,
    ) -> Result<()> {
        let mut models = Vec::new();
        let mut side = |name: &str| -> Result<MatchSide> {
            Ok(match model_of_player(name) {
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
        let chunk = total.div_ceil(MATCH_CHUNKS).max(PAIRS);
        let place = (run.state.generation, run.file.render());
        let mut assignment = self.assignment(place, work, (total, chunk));
        assignment.skip(&open.known.iter().map(|&pair| pair as u32).collect());
        note(self.announce(&assignment, &models.iter().collect::<Vec<_>>()));
        let assignment = Arc::new(assignment);
        let content = Pairs {
            openings: open.openings.into(),
        };
        let table = Table::new(&*self.share, &assignment, content, &self.trust);
        let what = (&*assignment, open.openings, open.arena.seed);
        let end = table.play(
            &mut |seat: Seat<'_, _>| {
                let hands = (open.arena.threads, seat.halt);
                Ok(play_pairs(open.sides, what, seat.claim, hands, seat.finished)? > 0)
            },
            open.arena.stop,
            &mut |pairs| {
                for pair in pairs.iter().filter(|pair| !open.known.contains(&pair.pair)) {
                    let restored = pair.restore(&open.openings[pair.pair]);
                    let games = restored.ok_or_else(|| {
                        PipelineError::Missing(format!("pair {} cannot be played", pair.pair))
                    })?;
                    if take(pair.pair, games).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        // Nobody needs the rest of a match that is decided.
        self.close(&assignment);
        match end {
            End::Again => Err(FleetError::Disbelieved.into()),
            End::Complete | End::Stopped => Ok(()),
        }
    }

    pub(super) fn assignment(
        &self,
        (generation, settings): (u32, String),
        work: Work,
        (total, chunk): (u32, u32),
    ) -> Assignment {
        Assignment {
            run: self.run,
            generation,
            work,
            total,
            chunk: chunk.max(1),
            done: Vec::new(),
            settings,
            is_over: false,
        }
    }

    /// Tells all that nothing of this is wanted any more.
    pub(super) fn close(&self, assignment: &Assignment) {
        let mut over = assignment.clone();
        over.done = (0..over.n_chunks()).collect();
        note(over.publish(&*self.share).map_err(PipelineError::from));
    }

    /// Tells all what to play.
    fn announce(&self, assignment: &Assignment, models: &[&Model]) -> Result<()> {
        models
            .iter()
            .try_for_each(|model| self.share_model(model))?;
        Ok(assignment.publish(&*self.share)?)
    }

    /// Removes what nobody needs when a generation begins that is played by these networks.
    pub(super) fn tidy(&self, generation: u32, networks: &[&str]) -> Result<()> {
        let networks = [networks, &[&self.handshake.network]].concat();
        Ok(tidy(&*self.share, generation, &networks).map_err(FleetError::from)?)
    }

    /// Shares a model, unless it is there and whole.
    fn share_model(&self, model: &Model) -> Result<()> {
        self.share_bytes(&model.net_id(), model.to_bytes()?)
    }

    /// Shares what a player is made of, unless it is there and whole.
    pub(super) fn share_bytes(&self, object: &str, bytes: Vec<u8>) -> Result<()> {
        let name = model_name(object);
        let is_there = self.share.get(&name).map_err(FleetError::from)?.as_ref() == Some(&bytes);
        if !is_there {
            self.share.put(&name, bytes).map_err(FleetError::from)?;
        }
        Ok(())
    }
}

/// A share that does not answer holds nobody up.
pub(super) fn note(told: Result<()>) {
    if let Err(error) = told {
        tracing::warn!(%error, "nobody else hears of the games to play");
    }
}

/// Whether a match has to be played again, because a machine was found out whose pairs had been counted.
pub(crate) fn is_disbelieved(error: &PipelineError) -> bool {
    let PipelineError::Eval(EvalError::Venue(source)) = error else {
        return false;
    };
    let source = source.downcast_ref();
    matches!(source, Some(PipelineError::Fleet(FleetError::Disbelieved)))
}

/// The machines of a fleet, as the place of a match between players of the run.
struct FleetVenue<'a> {
    lead: &'a Lead,
    run: &'a Run,
    simulations: u32,
}

impl Venue for FleetVenue<'_> {
    fn play(&self, open: &OpenPairs<'_>, take: &mut TakePair<'_>) -> Result<(), EvalError> {
        let played = self.lead.play_match(self.run, self.simulations, open, take);
        played.map_err(|error| EvalError::Venue(Box::new(error)))
    }
}
