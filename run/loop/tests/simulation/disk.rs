//! A disk that fails at a chosen operation.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use store::disk::{Disk, Operation};

use crate::device::{Change, Device};

/// A fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The process is killed.
    Kill,
    /// The machine loses power.
    PowerLoss,
    /// One operation fails, as on a defective device.
    Defect,
    /// The disk stays full from now on.
    Full,
    /// The process is asked to stop, and saves.
    Stop,
}

/// A fault at an operation of a process, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub fault: Fault,
    pub at: u64,
    /// If `true`, writes accept fewer bytes than given and are interrupted.
    pub has_short_writes: bool,
}

pub(crate) struct SimulatedDisk {
    state: Mutex<State>,
    /// Stop flag of the process.
    pub stop: AtomicBool,
}

struct State {
    device: Device,
    plan: Option<Plan>,
    n_operations: u64,
    is_dead: bool,
    is_full: bool,
}

fn killed() -> io::Error {
    io::Error::other("the process was killed")
}

impl SimulatedDisk {
    /// A disk for an empty directory.
    pub(crate) fn new(root: &Path, seed: u64) -> SimulatedDisk {
        SimulatedDisk {
            state: Mutex::new(State {
                device: Device::new(root, ChaCha8Rng::seed_from_u64(seed)),
                plan: None,
                n_operations: 0,
                is_dead: false,
                is_full: false,
            }),
            stop: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Starts a process.
    pub(crate) fn begin(&self, plan: Option<Plan>) {
        let mut state = self.state();
        state.plan = plan;
        (state.n_operations, state.is_dead, state.is_full) = (0, false, false);
        self.stop.store(false, Ordering::Relaxed);
    }

    /// Operations of this process so far.
    pub(crate) fn n_operations(&self) -> u64 {
        self.state().n_operations
    }

    /// Returns `true` if the process was killed.
    pub(crate) fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Cuts the power and restores it. No process is running.
    pub(crate) fn lose_power(&self) {
        self.state().device.lose_power();
    }

    /// Syncs everything to the device.
    pub(crate) fn settle(&self) {
        self.state().device.settle();
    }
}

impl Disk for SimulatedDisk {
    fn perform(
        &self,
        operation: Operation<'_>,
        really: &mut dyn FnMut(usize) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let mut state = self.state();
        if state.is_dead {
            return Err(killed());
        }
        state.n_operations += 1;
        let needs_room = match operation {
            Operation::Write(..) | Operation::CreateDir(_) | Operation::Link(..) => true,
            Operation::Open(path) => !path.exists(),
            _ => false,
        };
        let now = state.n_operations;
        let fault = state.plan.filter(|plan| plan.at == now);
        let error = match fault.map(|plan| plan.fault) {
            Some(Fault::Kill | Fault::PowerLoss) => {
                state.is_dead = true;
                Some(killed())
            }
            Some(Fault::Defect) => Some(io::Error::other("the device is defective")),
            Some(Fault::Full) => {
                state.is_full = true;
                None
            }
            Some(Fault::Stop) => {
                self.stop.store(true, Ordering::Relaxed);
                None
            }
            None => None,
        };
        let full = (state.is_full && needs_room).then(|| ErrorKind::StorageFull.into());
        match error.or(full) {
            None => state.succeed(operation, really),
            Some(error) => {
                if let Operation::Write(_, bytes) = operation {
                    // Some of the bytes may have been written.
                    really(state.device.part_of(bytes.len()))?;
                }
                Err(error)
            }
        }
    }
}

impl State {
    /// Executes an operation without a fault.
    fn succeed(
        &mut self,
        operation: Operation<'_>,
        really: &mut dyn FnMut(usize) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let device = &mut self.device;
        match operation {
            Operation::Write(_, bytes) if self.plan.is_some_and(|plan| plan.has_short_writes) => {
                return match device.rng.random_range(0..8) {
                    0 => Err(ErrorKind::Interrupted.into()),
                    1 => really(device.part_of(bytes.len()).max(1)),
                    _ => really(usize::MAX),
                };
            }
            Operation::Read(_) | Operation::Write(..) | Operation::SetLength(..) => {
                return really(usize::MAX);
            }
            Operation::Open(path) | Operation::CreateDir(path) => {
                really(usize::MAX)?;
                device.node(path);
            }
            // The real machine need not sync.
            Operation::Sync(path) => device.sync(path),
            Operation::Rename(from, to) => {
                let id = device.node(from);
                device.remember(to);
                really(usize::MAX)?;
                let (from, to) = device.place(from).zip(device.place(to)).unwrap();
                device.change(Change::Move(from, to, id));
            }
            Operation::Link(from, to) => {
                let id = device.node(from);
                really(usize::MAX)?;
                let name = device.place(to).unwrap();
                device.change(Change::Enter(name, id));
            }
            Operation::RemoveFile(path) | Operation::RemoveDir(path) => {
                device.remember(path);
                really(usize::MAX)?;
                if let Some(name) = device.place(path) {
                    device.change(Change::Leave(name));
                }
            }
        }
        Ok(0)
    }
}
