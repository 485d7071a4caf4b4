//! Numbers for values, so that no caller can reach what is not there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::{Failure, Result};
use crate::lock;

/// The values that are open, each with its own lock.
pub(crate) struct Handles<T> {
    kind: &'static str,
    open: Mutex<BTreeMap<u64, Arc<Mutex<T>>>>,
}

/// No number is used twice, for whatever kind.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl<T> Handles<T> {
    pub(crate) const fn new(kind: &'static str) -> Handles<T> {
        Handles {
            kind,
            open: Mutex::new(BTreeMap::new()),
        }
    }

    pub(crate) fn open(&self, value: T) -> u64 {
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&self.open).insert(handle, Arc::new(Mutex::new(value)));
        handle
    }

    pub(crate) fn get(&self, handle: u64) -> Result<Arc<Mutex<T>>> {
        lock(&self.open).get(&handle).cloned().ok_or_else(|| {
            let kind = self.kind;
            Failure::new(format!(
                "handle {handle} is no open {kind}: it was closed, or never opened"
            ))
        })
    }

    /// Takes a value away, if it is open; a call that is under way keeps it until it ends.
    pub(crate) fn close(&self, handle: u64) -> Option<Arc<Mutex<T>>> {
        lock(&self.open).remove(&handle)
    }
}
