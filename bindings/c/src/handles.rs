//! Handles: numbers that refer to values, so that a caller cannot access invalid memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::{Failure, Result};
use crate::lock;

/// The open values, each with its own lock.
pub(crate) struct Handles<T> {
    kind: &'static str,
    open: Mutex<BTreeMap<u64, Arc<Mutex<T>>>>,
}

/// No number is used twice, for any kind of value.
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
            Failure(format!(
                "handle {handle} is not an open {kind}: it was closed, or never opened"
            ))
        })
    }

    /// Removes a value, if it is open; a call in progress keeps it until it ends.
    pub(crate) fn close(&self, handle: u64) -> Option<Arc<Mutex<T>>> {
        lock(&self.open).remove(&handle)
    }
}
