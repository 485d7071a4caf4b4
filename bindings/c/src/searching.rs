//! Searches in progress, which other threads can stop.

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use agent::{Agent, Control};

use crate::error::{Failure, Result};
use crate::{AGENTS, lock};

/// The searches in progress.
static SEARCHES: Mutex<Vec<Search>> = Mutex::new(Vec::new());

/// A search in progress.
struct Search {
    /// The handle of its agent.
    agent: u64,
    /// The thread that runs it and makes its reports.
    thread: ThreadId,
    /// Its stop control.
    control: Arc<Control>,
}

/// Registers a search, so that it can be stopped while this value lives.
pub(crate) struct Searching(pub(crate) Arc<Control>);

impl Searching {
    /// Called by the thread that has locked the agent, which may have been closed in the meantime.
    pub(crate) fn begin(agent: u64) -> Result<Searching> {
        let control = Arc::new(Control::running());
        lock(&SEARCHES).push(Search {
            agent,
            thread: thread::current().id(),
            control: Arc::clone(&control),
        });
        let searching = Searching(control);
        AGENTS.get(agent)?;
        Ok(searching)
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        lock(&SEARCHES).retain(|search| !Arc::ptr_eq(&search.control, &self.0));
    }
}

/// Returns `true` if this thread is in a report of the agent's search.
pub(crate) fn is_reporting(agent: u64) -> bool {
    let thread = thread::current().id();
    lock(&SEARCHES)
        .iter()
        .any(|search| search.agent == agent && search.thread == thread)
}

/// An agent that this thread may wait for.
pub(crate) fn idle_agent(handle: u64) -> Result<Arc<Mutex<Agent>>> {
    if is_reporting(handle) {
        let message = "the agent is making the analysis that this is a report of: stop or close \
            it, or wait for its end";
        return Err(Failure(message.to_owned()));
    }
    AGENTS.get(handle)
}

/// Stops the agent's search, if there is one.
pub(crate) fn stop(agent: u64) {
    let searches = lock(&SEARCHES);
    searches
        .iter()
        .filter(|search| search.agent == agent)
        .for_each(|search| search.control.stop());
}
