//! The trainer's side.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fleet::{Claims, Collector, FleetError, Handshake, Protocol, Share, Task, model_name, tidy};
use model::Model;
use selfplay::{Job, SelfplayStats};
use store::{GameWriter, Phase, Record, RunId};
use trainer::Compute;

use super::{handshake, play_chunks};
use crate::error::Within as _;
use crate::evaluators::ThreadEvaluator;
use crate::stages::self_play;
use crate::{Event, Progress, RequestError, Result, Run, RunObserver, settings};

/// Parts that a generation is cut into, if it has so many games.
const CHUNKS: u32 = 64;

/// How long the trainer waits before it looks for games again.
const LOOK: Duration = Duration::from_millis(200);

/// What the trainer is called among those who play.
const NAME: &str = "trainer";

/// A run's share, and what was agreed on there.
pub(crate) struct Lead {
    share: Arc<dyn Share>,
    run: RunId,
    handshake: Handshake,
}

impl Run {
    /// Shares the games that are to be played from now on with all who join.
    ///
    /// # Errors
    /// When the share refuses, belongs to another run, or this run's games would come out different elsewhere.
    pub fn lead_fleet(&mut self, share: Arc<dyn Share>) -> Result<()> {
        if !matches!(self.hardware.compute, Compute::Cpu) {
            let reason =
                "a fleet needs device=cpu: other devices' last bits differ from machine to machine";
            return Err(RequestError(reason.to_owned()).into());
        }
        let (Some(id), Some(&first)) = (self.dir.id(), self.dir.models()?.first()) else {
            let reason = "a run of an earlier version cannot have a fleet";
            return Err(RequestError(reason.to_owned()).into());
        };
        let model = self.model(first)?;
        let handshake = handshake(&self.file, &model, self.prover(), self.threads())?;
        let protocol = Protocol::new(self.variant(), id, self.file.render(), handshake.clone());
        protocol.found(&*share)?;
        // What an earlier process said last would send everybody home.
        Task::withdraw(&*share)?;
        let lead = Lead {
            share,
            run: id,
            handshake,
        };
        lead.share_model(&model)?;
        self.fleet = Some(lead);
        Ok(())
    }

    /// Tells all who play for the run that they may go.
    ///
    /// # Errors
    /// When the share refuses.
    pub fn dismiss_fleet(&self) -> Result<()> {
        let mut lead = self.fleet.iter();
        Ok(lead.try_for_each(|lead| Task::dismiss(&*lead.share, lead.run))?)
    }
}

impl Lead {
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
        let config = settings::selfplay(run.config());
        let model = self_play::network(run)?;
        let header = self_play::header(&run.file, run.state.generation, model.net_id());
        let mut writer = run.dir.games(run.variant()).writer(header.id.generation)?;
        let starts = self_play::starts(run, total as usize)?;
        let mut task = Task {
            run: self.run,
            generation: header.id.generation,
            network: model.net_id(),
            games: total,
            chunk: total.div_ceil(CHUNKS).max(1),
            done: Vec::new(),
            settings: run.file.render(),
            starts: starts
                .iter()
                .map(|start| start.map(|start| start.to_fen()))
                .collect(),
            is_over: false,
        };
        let kept = writer.numbers();
        let is_done = |chunk: &u32| task.numbers(*chunk).all(|number| kept.contains(&number));
        task.done = (0..task.n_chunks()).filter(is_done).collect();
        let before = kept.len() as u64;
        if let Err(error) = self.announce(&task, &model) {
            tracing::warn!(%error, "nobody else hears of the games to play");
        }
        let total = u64::from(total);
        let stage = Phase::SelfPlay;
        observer.observe(run, &Event::Planned { stage, total })?;
        let games = (&[][..], &starts[..]);
        let job = self_play::job(run.config(), &config, &header, games, run.prover());
        let evaluators = run
            .evaluators(&model, config.concurrent_games)?
            .all(run.threads());
        let collector = Mutex::new(Collector::new(&*self.share, &task, &header));
        let started = Instant::now();
        let mut progress = |stats: &SelfplayStats| {
            let progress = Event::Progress {
                done: before + stats.games,
                so_far: Progress::SelfPlay(stats, started.elapsed()),
            };
            observer.observe(run, &progress)
        };
        let table = Table {
            share: &*self.share,
            task: &task,
            collector: &collector,
            halt: AtomicBool::new(false),
        };
        let played = table.play(&job, evaluators, stop, &mut writer, &mut progress)?;
        writer.sync()?;
        let complete = table.collector().is_complete();
        Ok(complete.then_some(played))
    }

    /// Tells all what to play, and forgets what was played before.
    fn announce(&self, task: &Task, model: &Model) -> Result<()> {
        self.share_model(model)?;
        task.publish(&*self.share)?;
        Ok(tidy(&*self.share, task, &self.handshake).map_err(FleetError::from)?)
    }

    /// Shares a model, unless it is there and whole.
    fn share_model(&self, model: &Model) -> Result<()> {
        let (name, bytes) = (model_name(&model.net_id()), model.to_bytes()?);
        let is_there = self.share.get(&name).map_err(FleetError::from)?.as_ref() == Some(&bytes);
        if !is_there {
            self.share.put(&name, bytes).map_err(FleetError::from)?;
        }
        Ok(())
    }
}

/// Where the games of one task come together.
struct Table<'a> {
    share: &'a dyn Share,
    task: &'a Task,
    collector: &'a Mutex<Collector<'a>>,
    /// Set when this machine need not play any more.
    halt: AtomicBool,
}

impl<'a> Table<'a> {
    fn collector(&self) -> MutexGuard<'_, Collector<'a>> {
        self.collector
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays on threads of its own while this one gathers what all have played. Returns sums over the games
    /// that were gathered, with what it took this machine to play its own.
    fn play(
        &self,
        job: &Job<'_>,
        mut evaluators: Vec<ThreadEvaluator>,
        stop: &AtomicBool,
        writer: &mut GameWriter,
        progress: &mut dyn FnMut(&SelfplayStats) -> Result<()>,
    ) -> Result<SelfplayStats> {
        let mut stats = SelfplayStats::default();
        let own = std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let player = scope.spawn(move || self.play_own(job, &mut evaluators, &sender));
            let gathered = loop {
                let wait = receiver.recv_timeout(LOOK);
                // A player that is gone has failed.
                let has_failed = matches!(wait, Err(RecvTimeoutError::Disconnected));
                for (chunk, games) in wait.into_iter().chain(receiver.try_iter()) {
                    self.collector().offer(chunk, games);
                }
                let gathered = self.gather(writer, &mut stats, progress);
                let is_over = self.collector().is_complete() || stop.load(Ordering::Relaxed);
                if gathered.is_err() || is_over || has_failed {
                    break gathered;
                }
            };
            self.halt.store(true, Ordering::Relaxed);
            let own = player
                .join()
                .map_err(|_| selfplay::SelfplayError::WorkerPanicked)??;
            gathered.map(|()| own)
        })?;
        Ok(stats.with_work_of(&own))
    }

    /// Plays chunks until told to stop.
    fn play_own(
        &self,
        job: &Job<'_>,
        evaluators: &mut [ThreadEvaluator],
        sender: &Sender<(u32, Vec<Record>)>,
    ) -> Result<SelfplayStats> {
        let claims = Mutex::new(Claims::new(self.share, self.task, NAME));
        let claim = || {
            let mut claims = claims.lock().unwrap_or_else(PoisonError::into_inner);
            let next = claims.next(|name| self.collector().counts(name));
            next.unwrap_or_else(|_| claims.next_unheard())
        };
        let mut sum = SelfplayStats::default();
        while !self.halt.load(Ordering::Relaxed) {
            let stats = play_chunks(
                job,
                self.task,
                &claim,
                evaluators,
                &self.halt,
                |chunk, games| {
                    // The others only want to know that it is finished.
                    let _ = self.task.deliver(self.share, NAME, chunk, &games);
                    let _ = sender.send((chunk, games));
                },
            )?;
            if stats.games == 0 {
                std::thread::sleep(LOOK);
            }
            sum = sum.with_work_of(&stats);
        }
        Ok(sum)
    }

    /// Writes the games that are there, up to the first one that is not.
    fn gather(
        &self,
        writer: &mut GameWriter,
        stats: &mut SelfplayStats,
        progress: &mut dyn FnMut(&SelfplayStats) -> Result<()>,
    ) -> Result<()> {
        loop {
            let next = self.collector().take();
            for suspicion in self.collector().suspicions() {
                tracing::warn!(?suspicion, "games are not believed");
            }
            match next {
                Ok(None) => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "games of others are not heard of");
                    return Ok(());
                }
                Ok(Some(games)) => {
                    for game in &games {
                        if writer
                            .append(game)
                            .within(|| "failed to keep a game".to_owned())?
                        {
                            stats.add_record(game);
                        }
                    }
                    progress(stats)?;
                }
            }
        }
    }
}
