//! Searches run on their own threads, so that the interpreter continues and Ctrl-C stops them.

use std::cell::RefCell;
use std::io::{self, BufReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use agent::{Agent, Control, Error, Limits, PlayerError, view};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::agents::PyAgent;
use crate::analyses::Analysis;
use crate::errors::{checked, raised};

/// Interval at which a search checks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

impl PyAgent {
    /// Waits until no other thread uses the agent, or Ctrl-C is pressed.
    pub(crate) fn lock(&self, py: Python<'_>) -> PyResult<Held<'_>> {
        let busy = Busy::with(self)?;
        let take = || {
            let taken =
                self.freed
                    .wait_timeout_while(locked(&self.is_taken), SIGNAL_CHECK, |taken| *taken);
            let (mut is_taken, _) = taken.unwrap_or_else(PoisonError::into_inner);
            !std::mem::replace(&mut *is_taken, true)
        };
        while !py.detach(take) {
            py.check_signals()?;
        }
        let turn = Turn(self);
        Ok(Held {
            agent: locked(&self.agent),
            _turn: turn,
            _busy: busy,
        })
    }

    /// Runs a search on another thread, while this one handles reports and Ctrl-C.
    pub(crate) fn search<T: Send>(
        &self,
        py: Python<'_>,
        report: Option<&Bound<'_, PyAny>>,
        think: impl FnOnce(&mut Agent, Arc<Control>, Sender<view::Analysis>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let mut held = self.lock(py)?;
        let agent = &mut *held.agent;
        let control = Arc::new(Control::running());
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let searched = Arc::clone(&control);
            let search = scope.spawn(move || {
                let _busy = Busy::with(self)?;
                checked(think(agent, searched, sender))
            });
            let heard = listen(py, report, receiver, &control);
            let result = py.detach(|| search.join());
            heard?;
            result.map_err(|_| panicked())?
        })
    }

    /// Plays for a client of the Hub protocol on standard input and output.
    pub(crate) fn serve(&self, py: Python<'_>, nodes: Option<u64>) -> PyResult<()> {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        // Check the limits before waiting for the first line.
        checked(limits.checked())?;
        let stdin = py.import("sys")?.getattr("stdin")?.getattr("buffer")?;
        let (input, lines) = io::pipe()?;
        let show = |error: &PlayerError| Python::attach(|py| raised(error).display(py));
        let mut held = self.lock(py)?;
        let agent = &mut *held.agent;
        thread::scope(|scope| {
            let session = scope.spawn(|| {
                let _busy = Busy::with(self)?;
                checked(agent.serve_hub(BufReader::new(input), io::stdout(), nodes, show))
            });
            // This thread reads, so that Ctrl-C reaches it; the session ends with the input.
            let read = hand_on(py, &stdin, lines);
            let served = py.detach(|| session.join());
            read?;
            served.map_err(|_| panicked())?
        })
    }
}

fn panicked() -> PyErr {
    PyRuntimeError::new_err("internal error: the search panicked")
}

thread_local! {
    /// The agents in use by this thread, by their addresses.
    static ASKED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A thread that uses an agent. Using it again, from an evaluator or a report, would deadlock.
struct Busy;

impl Busy {
    fn with(agent: &PyAgent) -> PyResult<Busy> {
        let address = std::ptr::from_ref(agent).addr();
        ASKED.with_borrow_mut(|asked| {
            if asked.contains(&address) {
                let name = &agent.name;
                return Err(PyRuntimeError::new_err(format!(
                    "{name} is thinking: use another agent in an evaluator or a report"
                )));
            }
            asked.push(address);
            Ok(Busy)
        })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // The last to begin is the first to end.
        ASKED.with_borrow_mut(Vec::pop);
    }
}

/// Locks a mutex. A panic leaves an agent in a consistent state.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The turn of the thread that has taken an agent; the next thread may take it afterwards.
struct Turn<'a>(&'a PyAgent);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *locked(&self.0.is_taken) = false;
        self.0.freed.notify_one();
    }
}

/// An agent taken by this thread.
pub(crate) struct Held<'a> {
    pub(crate) agent: MutexGuard<'a, Agent>,
    _turn: Turn<'a>,
    _busy: Busy,
}

/// Forwards what Python reads from a stream, until it ends or says `quit`.
fn hand_on(py: Python<'_>, stream: &Bound<'_, PyAny>, mut to: PipeWriter) -> PyResult<()> {
    loop {
        let line: Vec<u8> = stream.call_method1("readline", (1 << 16,))?.extract()?;
        // After an error the reader is gone; the session reports it.
        if line.is_empty() || py.detach(|| to.write_all(&line)).is_err() {
            return Ok(());
        }
        if line.trim_ascii() == b"quit" {
            return Ok(());
        }
    }
}

/// Forwards reports until the search is over; an exception ends it.
fn listen(
    py: Python<'_>,
    report: Option<&Bound<'_, PyAny>>,
    receiver: Receiver<view::Analysis>,
    control: &Control,
) -> PyResult<()> {
    let receiver = Mutex::new(receiver);
    let next = || locked(&receiver).recv_timeout(SIGNAL_CHECK);
    loop {
        let heard = match py.detach(next) {
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Ok(found) => py
                .check_signals()
                .and_then(|()| tell(py, report, found, control)),
        };
        if heard.is_err() {
            control.stop();
            return heard;
        }
    }
}

fn tell(
    py: Python<'_>,
    report: Option<&Bound<'_, PyAny>>,
    found: view::Analysis,
    control: &Control,
) -> PyResult<()> {
    let Some(report) = report else {
        return Ok(());
    };
    let answer = report.call1((Analysis::new(py, found)?,))?;
    if !answer.is_none() && !answer.is_truthy()? {
        control.stop();
    }
    Ok(())
}
