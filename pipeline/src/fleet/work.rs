//! The side of those who play.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fleet::{Claims, FleetError, Protocol, Share, Task, WorkerStatus, model_name};
use model::{InstructionSet, Model};
use rules::{FenError, Position, Variant};
use search::Prover;
use selfplay::{Job, SelfplayConfig};
use store::{Header, Record};

use super::{evaluators, handshake, play_chunks, prover};
use crate::config::{RunConfig, RunFile};
use crate::evaluators::Evaluators;
use crate::stages::self_play::{header, job};
use crate::{PipelineError, Result, settings};

/// How often a machine that plays looks whether its games are still wanted.
const LOOK: Duration = Duration::from_secs(1);
/// How often it says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long a machine without anything to play waits at first, and at most.
const PAUSE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// What happens to a machine that plays.
#[derive(Debug)]
pub enum WorkEvent<'a> {
    /// It reproduces the games of the handshake, and is one of the fleet.
    Joined(Variant),
    /// It plays games of a new task.
    Began(&'a Task),
    /// It has shared games; so far.
    Shared(&'a WorkerStatus),
    /// It has to wait, because the share does not answer or has not all that is needed.
    Waits(String),
}

/// Plays games of the run that is led at a share, as the machine called `name`, on so many threads, until the
/// run is over or `stop` is set. Returns what it has done.
///
/// # Errors
/// When there is no fleet, this machine plays other games than the fleet, or it cannot write. A share that stops answering is
/// waited for.
pub fn work(
    share: &dyn Share,
    name: &str,
    threads: usize,
    stop: &AtomicBool,
    heard: &mut dyn FnMut(WorkEvent<'_>),
) -> Result<WorkerStatus> {
    let mut worker = Worker::join(share, name, threads, stop)?;
    // Who cannot write is of no use.
    let status = worker.status(|status| status.clone());
    status.publish(share).map_err(FleetError::from)?;
    heard(WorkEvent::Joined(worker.variant));
    let mut pause = Pause::new(stop);
    while !stop.load(Ordering::Relaxed) {
        match Task::read(share) {
            Ok(Some(task)) if task.run != worker.protocol.run => {
                return Err(FleetError::OtherRun {
                    found: task.run,
                    expected: worker.protocol.run,
                }
                .into());
            }
            Ok(Some(task)) if task.is_over => break,
            Ok(Some(task)) => worker.play(&task, &mut pause, heard)?,
            Ok(None) => pause.wait(),
            Err(error) => {
                heard(WorkEvent::Waits(error.to_string()));
                pause.wait();
            }
        }
    }
    Ok(worker
        .status
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

pub(super) struct Worker<'a> {
    share: &'a dyn Share,
    stop: &'a AtomicBool,
    protocol: Protocol,
    pub(super) variant: Variant,
    pub(super) prover: Option<Arc<dyn Prover>>,
    status: Mutex<WorkerStatus>,
    /// Time that it has had something to play.
    busy: Duration,
}

impl<'a> Worker<'a> {
    /// Plays the games of the handshake.
    pub(super) fn join(
        share: &'a dyn Share,
        name: &str,
        threads: usize,
        stop: &'a AtomicBool,
    ) -> Result<Worker<'a>> {
        let none = FleetError::None {
            url: share.place().to_owned(),
        };
        let protocol = Protocol::read(share)?.ok_or(none)?;
        let variant = protocol.variant()?;
        let file = RunFile::parse("the fleet's settings", &protocol.settings)?;
        let network = &protocol.handshake.network;
        let model = shared_model(share, network)?.ok_or_else(|| {
            let message =
                format!("the fleet's network {network} is missing: start the trainer again");
            PipelineError::Missing(message)
        })?;
        let prover = prover(variant, &file.resolved.config)?;
        let played = handshake(&file, &model, prover.as_ref(), threads)?;
        protocol.handshake.check(&played)?;
        let status = WorkerStatus {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: InstructionSet::best().name().to_owned(),
            threads,
            ..WorkerStatus::default()
        };
        Ok(Worker {
            share,
            stop,
            protocol,
            variant,
            prover,
            status: Mutex::new(status),
            busy: Duration::ZERO,
        })
    }

    /// Plays games of a task until there is another one.
    fn play(
        &mut self,
        task: &Task,
        pause: &mut Pause<'_>,
        heard: &mut dyn FnMut(WorkEvent<'_>),
    ) -> Result<()> {
        let missing = || PipelineError::Missing("the network is not there yet".to_owned());
        let model = shared_model(self.share, &task.network);
        let model = match model.and_then(|model| model.ok_or_else(missing)) {
            Ok(model) => model,
            Err(error) => {
                heard(WorkEvent::Waits(error.to_string()));
                pause.wait();
                return Ok(());
            }
        };
        let terms = Terms::new(task, &model)?;
        let prover = self.prover.clone();
        let job = terms.job(prover.as_ref());
        let threads = self.status(|status| {
            status.generation = task.generation;
            status.threads
        });
        let mut evaluators = terms.evaluators.all(threads);
        let (share, name) = (self.share, self.status(|status| status.name.clone()));
        let claims = Mutex::new(Claims::new(share, task, &name));
        let claim = || {
            let mut claims = claims.lock().unwrap_or_else(PoisonError::into_inner);
            claims.next(|_| true).ok().flatten()
        };
        heard(WorkEvent::Began(task));
        while !self.stop.load(Ordering::Relaxed) && !is_outdated(share, task) {
            let started = Instant::now();
            let halt = AtomicBool::new(false);
            let (playing, over) = mpsc::channel();
            let stats = std::thread::scope(|scope| {
                let (worker, halt) = (&*self, &halt);
                scope.spawn(move || worker.watch(task, halt, &over));
                let stats =
                    play_chunks(&job, task, &claim, &mut evaluators, halt, |chunk, games| {
                        worker.deliver(task, chunk, &games, halt, heard);
                    });
                drop(playing);
                stats
            })?;
            if stats.games == 0 {
                pause.wait();
                continue;
            }
            pause.reset();
            self.busy += started.elapsed();
            let busy = self.busy.as_secs_f64();
            self.status(|status| status.games_per_s = status.games as f64 / busy);
        }
        Ok(())
    }

    fn status<T>(&self, change: impl FnOnce(&mut WorkerStatus) -> T) -> T {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says now and then that this machine is there, and sets `halt` when its games are not wanted any more.
    fn watch(&self, task: &Task, halt: &AtomicBool, over: &Receiver<()>) {
        let mut said: Option<Instant> = None;
        loop {
            if said.is_none_or(|said| said.elapsed() >= HEARTBEAT) {
                // Those who look will see it the next time.
                let _ = self.status(|status| status.clone()).publish(self.share);
                said = Some(Instant::now());
            }
            if let Err(RecvTimeoutError::Disconnected) = over.recv_timeout(LOOK) {
                return;
            }
            if self.stop.load(Ordering::Relaxed) || is_outdated(self.share, task) {
                halt.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Shares a chunk. While the share refuses, it is kept and tried again.
    fn deliver(
        &self,
        task: &Task,
        chunk: u32,
        games: &[Record],
        halt: &AtomicBool,
        heard: &mut dyn FnMut(WorkEvent<'_>),
    ) {
        let mut pause = Pause::new(halt);
        let name = self.status(|status| status.name.clone());
        while let Err(error) = task.deliver(self.share, &name, chunk, games) {
            heard(WorkEvent::Waits(error.to_string()));
            pause.wait();
            if halt.load(Ordering::Relaxed) {
                return;
            }
        }
        let status = self.status(|status| {
            status.games += games.len() as u64;
            status.clone()
        });
        heard(WorkEvent::Shared(&status));
    }
}

/// Whether the trainer wants something else.
fn is_outdated(share: &dyn Share, task: &Task) -> bool {
    // What cannot be read now may say the same.
    matches!(Task::read(share), Ok(Some(now)) if now != *task)
}

/// A network, if it is there; it is the one of its name.
pub(super) fn shared_model(share: &dyn Share, network: &str) -> Result<Option<Model>> {
    let name = model_name(network);
    let Some(bytes) = share.get(&name).map_err(FleetError::from)? else {
        return Ok(None);
    };
    let model = Model::from_bytes(&bytes, Path::new(&name))?;
    let found = model.net_id();
    match found == network {
        true => Ok(Some(model)),
        false => Err(PipelineError::Missing(format!("{name} is network {found}"))),
    }
}

/// What decides the games of a task.
pub(super) struct Terms {
    config: RunConfig,
    selfplay: SelfplayConfig,
    header: Header,
    starts: Vec<Option<Position>>,
    pub(super) evaluators: Evaluators,
}

impl Terms {
    pub(super) fn new(task: &Task, model: &Model) -> Result<Terms> {
        let mut file = RunFile::parse("the task's settings", &task.settings)?;
        file.resolved = file.settings_of(task.generation)?;
        let selfplay = settings::selfplay(&file.resolved.config);
        let position = |fen: &String| Position::from_fen(file.variant, fen);
        let starts = task
            .starts
            .iter()
            .map(|fen| fen.as_ref().map(position).transpose());
        let starts: std::result::Result<_, FenError> = starts.collect();
        Ok(Terms {
            header: header(&file, task.generation, model.net_id()),
            starts: starts.map_err(|error| FleetError::Document {
                name: "the task".to_owned(),
                reason: error.to_string(),
            })?,
            evaluators: evaluators(model, file.resolved.config.model.precision, &selfplay)?,
            config: file.resolved.config,
            selfplay,
        })
    }

    /// The games, with what proves results.
    pub(super) fn job<'a>(&'a self, prover: Option<&'a Arc<dyn Prover>>) -> Job<'a> {
        job(
            &self.config,
            &self.selfplay,
            &self.header,
            (&[], &self.starts),
            prover,
        )
    }
}

/// Waits that grow until there is something to do.
struct Pause<'a> {
    stop: &'a AtomicBool,
    next: Duration,
}

impl Pause<'_> {
    fn new(stop: &AtomicBool) -> Pause<'_> {
        Pause {
            stop,
            next: PAUSE[0],
        }
    }

    fn reset(&mut self) {
        self.next = PAUSE[0];
    }

    /// Waits, unless it is time to stop.
    fn wait(&mut self) {
        let until = Instant::now() + self.next;
        while Instant::now() < until && !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.next = (2 * self.next).min(PAUSE[1]);
    }
}
