//! The workers' side of a fleet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use config::{FleetMode, RunFile};
use model::InstructionSet;
use rules::Variant;
use run::RequestError;
use run::evaluators::Evaluators;
use share::{Assignment, Claims, Mismatch, Protocol, Share, ShareError, WorkerStatus};
use trainer::Compute;

use crate::chunks::ChunkSource;
use crate::handshake::{HANDSHAKE_GAMES, evaluators, handshake};
use crate::judge::Retracer;
use crate::terms::{PlayedChunk, Terms, shared_model};
use crate::{FleetError, Result};

/// Interval at which a playing machine checks whether its games are still wanted.
const LOOK: Duration = Duration::from_secs(1);
/// Interval at which it reports that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Waiting times of a machine that has nothing to play: the first and the longest.
const PAUSE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// Time after which a machine gives up a share that does not answer or no longer has a fleet.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// An event of a machine that plays.
#[derive(Debug)]
pub enum WorkEvent<'a> {
    /// The machine reproduces the games of the handshake and has joined the fleet.
    Joined(Variant),
    /// The machine plays games of a new assignment.
    Began(&'a Assignment),
    /// The machine has shared games; its status so far.
    Shared(&'a WorkerStatus),
    /// The machine waits, because the share does not respond or lacks something that it needs.
    Waits(String),
}

/// A machine that plays for a fleet.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// Its name in the fleet.
    pub name: &'a str,
    /// Its number of threads.
    pub threads: usize,
    /// The device for self-play networks: `cpu`, or another device if the run's `fleet.mode` is
    /// "free".
    pub device: &'a str,
    /// Time after which it gives up a share that is gone; usually [`PATIENCE`].
    pub patience: Duration,
}

/// Plays games of the run that is led at a share, as this machine, until the run is over or `stop`
/// is set. Returns the machine's last status.
///
/// # Errors
/// If there is no fleet, this machine plays different games from the fleet, it cannot write, or the
/// share is gone for longer than the machine's patience.
pub fn work(
    share: &dyn Share,
    machine: &Machine<'_>,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(WorkEvent<'_>),
) -> Result<WorkerStatus> {
    let mut worker = Worker::join(share, machine, stop)?;
    // A machine that cannot write is of no use.
    let status = worker.status(|status| status.clone());
    status.publish(share)?;
    on_event(WorkEvent::Joined(worker.variant));
    let mut pause = Pause::new(stop);
    let mut seen = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if let Ok(Some(Mismatch { reason, .. })) = Mismatch::read(share, machine.name) {
            return Err(FleetError::Excluded { reason });
        }
        match Assignment::read(share) {
            Ok(Some(assignment)) if assignment.run != worker.protocol.run => {
                return Err(ShareError::OtherRun {
                    found: assignment.run,
                    expected: worker.protocol.run,
                }
                .into());
            }
            Ok(Some(assignment)) if assignment.is_over => break,
            Ok(Some(assignment)) => {
                seen = Instant::now();
                worker.play(&assignment, &mut pause, on_event)?;
            }
            absent => {
                let reason = match (absent, Protocol::read(share)) {
                    // Nothing is played at the moment.
                    (Ok(_), Ok(Some(_))) => {
                        seen = Instant::now();
                        pause.wait();
                        continue;
                    }
                    (Err(error), _) | (_, Err(error)) => error.to_string(),
                    (Ok(_), Ok(None)) => format!("there is no fleet in {} now", share.place()),
                };
                if seen.elapsed() >= machine.patience {
                    let minutes = machine.patience.as_secs().div_ceil(60);
                    return Err(FleetError::Gone { minutes, reason });
                }
                on_event(WorkEvent::Waits(reason));
                pause.wait();
            }
        }
    }
    Ok(worker
        .status
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

pub(crate) struct Worker<'a> {
    share: &'a dyn Share,
    machine: Machine<'a>,
    stop: &'a AtomicBool,
    protocol: Protocol,
    pub(crate) variant: Variant,
    /// The device for self-play networks.
    pub(crate) compute: Compute,
    status: Mutex<WorkerStatus>,
    /// Time during which it had something to play.
    busy: Duration,
}

impl<'a> Worker<'a> {
    /// Plays the games of the handshake.
    pub(crate) fn join(
        share: &'a dyn Share,
        machine: &Machine<'a>,
        stop: &'a AtomicBool,
    ) -> Result<Worker<'a>> {
        let &Machine {
            name,
            threads,
            device,
            ..
        } = machine;
        let compute = Compute::named(device)?;
        let none = ShareError::None {
            url: share.place().to_owned(),
        };
        let protocol = Protocol::read(share)?.ok_or(none)?;
        let variant = protocol.variant()?;
        let file = RunFile::parse("the fleet's settings", &protocol.settings)?;
        let config = &file.resolved.config;
        let is_processor = matches!(compute, Compute::Cpu);
        if !is_processor && config.fleet.mode == FleetMode::Exact {
            let reason = format!(
                "all machines of this fleet play the same games, byte for byte, but {device} does \
                 not: use --device cpu, or train with --set fleet.mode=free"
            );
            return Err(RequestError(reason).into());
        }
        let network = &protocol.handshake.network;
        let model = shared_model(share, network)?.ok_or_else(|| {
            let message =
                format!("the fleet's network {network} is missing: start the trainer again");
            FleetError::Missing(message)
        })?;
        let (played, processor) = handshake(&file, &model, threads)?;
        protocol.handshake.check(&played)?;
        if !is_processor {
            let device_evaluators = evaluators(&model, config, &processor.terms, &compute)?;
            check_device(device, &processor, &device_evaluators)?;
        }
        let status = WorkerStatus {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: match is_processor {
                true => InstructionSet::best().name().to_owned(),
                false => device.to_owned(),
            },
            threads,
            ..WorkerStatus::default()
        };
        Ok(Worker {
            share,
            machine: *machine,
            stop,
            protocol,
            variant,
            compute,
            status: Mutex::new(status),
            busy: Duration::ZERO,
        })
    }

    /// Plays games of an assignment until there is another one.
    fn play(
        &mut self,
        assignment: &Assignment,
        pause: &mut Pause<'_>,
        on_event: &mut dyn FnMut(WorkEvent<'_>),
    ) -> Result<()> {
        self.status(|status| status.generation = assignment.generation);
        if !matches!(self.compute, Compute::Cpu) && !assignment.may_differ() {
            // Matches have to be identical, so CPUs play them.
            pause.wait();
            return Ok(());
        }
        let missing = || FleetError::Missing("a network is missing so far".to_owned());
        let terms = Terms::new(
            self.share,
            assignment,
            self.variant,
            &self.compute,
            self.machine.threads,
        );
        let mut terms = match terms.and_then(|terms| terms.ok_or_else(missing)) {
            Ok(terms) => terms,
            Err(error) => {
                on_event(WorkEvent::Waits(error.to_string()));
                pause.wait();
                return Ok(());
            }
        };
        let (share, name) = (self.share, self.machine.name);
        let claims = Mutex::new(Claims::new(share, Arc::new(assignment.clone()), name));
        let claim = |ready| {
            let mut claims = claims.lock().unwrap_or_else(PoisonError::into_inner);
            claims.next(ready, |_| true).ok().flatten()
        };
        on_event(WorkEvent::Began(assignment));
        while !self.stop.load(Ordering::Relaxed) && !is_outdated(share, assignment) {
            let started = Instant::now();
            let halt = AtomicBool::new(false);
            let (playing, over) = mpsc::channel();
            let games = std::thread::scope(|scope| {
                let (worker, halt) = (&*self, &halt);
                scope.spawn(move || worker.watch(assignment, halt, &over));
                let source = ChunkSource {
                    assignment,
                    claim: &claim,
                    threads: worker.machine.threads,
                    stop: halt,
                };
                let games = terms.play(&source, &mut |chunk| {
                    worker.deliver(assignment, &chunk, halt, on_event);
                });
                drop(playing);
                games
            })?;
            if games == 0 {
                pause.wait();
                match Assignment::read(share) {
                    Ok(Some(_)) => continue,
                    _ => return Ok(()),
                }
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

    /// Reports that this machine is alive, and sets `halt` when its games are no longer wanted.
    fn watch(&self, assignment: &Assignment, halt: &AtomicBool, over: &Receiver<()>) {
        let mut said: Option<Instant> = None;
        loop {
            if said.is_none_or(|said| said.elapsed() >= HEARTBEAT) {
                // A report that fails is repeated later.
                let _ = self.status(|status| status.clone()).publish(self.share);
                said = Some(Instant::now());
            }
            if let Err(RecvTimeoutError::Disconnected) = over.recv_timeout(LOOK) {
                return;
            }
            if self.stop.load(Ordering::Relaxed) || is_outdated(self.share, assignment) {
                halt.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Shares a chunk. While the share fails, the chunk is kept and tried again, until the
    /// machine's patience ends.
    fn deliver(
        &self,
        assignment: &Assignment,
        chunk: &PlayedChunk,
        halt: &AtomicBool,
        on_event: &mut dyn FnMut(WorkEvent<'_>),
    ) {
        let (mut pause, begun) = (Pause::new(halt), Instant::now());
        let name = self.machine.name;
        let deliver = || assignment.deliver(self.share, name, chunk.number, chunk.bytes.clone());
        while let Err(error) = deliver() {
            on_event(WorkEvent::Waits(error.to_string()));
            pause.wait();
            if halt.load(Ordering::Relaxed) || begun.elapsed() >= self.machine.patience {
                return;
            }
        }
        let status = self.status(|status| {
            status.games += chunk.n_games;
            status.clone()
        });
        on_event(WorkEvent::Shared(&status));
    }
}

/// Rejects a device whose games do not agree with the machine's CPU.
fn check_device(device: &str, processor: &Retracer, evaluators: &Evaluators) -> Result<()> {
    let agreement = processor.agreement(&processor.play(HANDSHAKE_GAMES, evaluators)?)?;
    match agreement.is_close() {
        true => Ok(()),
        false => Err(FleetError::OtherDevice {
            device: device.to_owned(),
            agreement: agreement.to_string(),
        }),
    }
}

/// Returns `true` if the trainer wants other games.
fn is_outdated(share: &dyn Share, assignment: &Assignment) -> bool {
    // An unreadable assignment may be the same.
    matches!(Assignment::read(share), Ok(Some(now)) if now != *assignment)
}

/// Waiting times that grow until there is something to do.
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
