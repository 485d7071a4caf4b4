//! The trainer's side: collects games in the order of their numbers, each once, from any machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use crate::{Assignment, ChunkName, Content, Mismatch, ObjectError, Share, Trust};

/// A rejected object of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The object.
    pub name: String,
    /// The machine that sent it, according to the name of the object.
    pub worker: String,
    /// The reason for the rejection.
    pub reason: String,
    /// If it exposed the machine: the chunks taken from it since the last assignment in which a
    /// chunk was proven right.
    pub unproven: Vec<ChunkName>,
}

/// Objects with their content.
type Found<T> = Vec<(ChunkName, Vec<T>)>;

/// The result of looking for the next chunk.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken<T> {
    /// The next chunk is not there yet.
    Nothing,
    /// The next chunk: games or pairs in the order of their numbers.
    Items(Vec<T>),
    /// A machine was excluded. The chunks taken in this assignment must not be trusted: they have
    /// to be collected again, by another collector.
    Again,
}

/// Collects the games or pairs of an assignment.
#[derive(Debug)]
pub struct Collector<'a, C: Content> {
    share: &'a dyn Share,
    assignment: Arc<Assignment>,
    content: C,
    trust: &'a Mutex<Trust>,
    /// The next chunk to take.
    due: u32,
    /// `true` if the trainer must play the next chunk itself.
    wants_own: bool,
    /// Chunks played by the trainer itself, with the hash of their bytes.
    own: BTreeMap<u32, (u128, Vec<C::Item>)>,
    /// Rejected objects, which are ignored.
    refused: BTreeSet<ChunkName>,
    suspicions: Vec<Suspicion>,
    /// The last listing.
    listed: Vec<ChunkName>,
    /// `true` if an earlier process has taken items of this assignment.
    is_resumed: bool,
    has_to_begin_again: bool,
}

impl<'a, C: Content> Collector<'a, C> {
    /// A collector that has taken nothing, except the chunks marked as done in the assignment.
    pub fn new(
        share: &'a dyn Share,
        assignment: Arc<Assignment>,
        content: C,
        trust: &'a Mutex<Trust>,
    ) -> Collector<'a, C> {
        let mut collector = Collector {
            share,
            assignment,
            content,
            trust,
            due: 0,
            wants_own: false,
            own: BTreeMap::new(),
            refused: BTreeSet::new(),
            suspicions: Vec::new(),
            listed: Vec::new(),
            is_resumed: false,
            has_to_begin_again: false,
        };
        collector.pass_over();
        collector
    }

    /// The same collector, after an earlier process that has taken items if `is_resumed`. Their
    /// machines are unknown now, so any excluded machine may have played them.
    #[must_use]
    pub fn resumed(self, is_resumed: bool) -> Collector<'a, C> {
        Collector { is_resumed, ..self }
    }

    /// Returns `true` if this object may be taken: neither the object nor its machine was rejected.
    pub fn counts(&self, name: &ChunkName) -> bool {
        !self.refused.contains(name) && self.trust().mismatch(&name.worker).is_none()
    }

    /// The chunks that the trainer has to play itself before they are taken, as far as is known
    /// yet.
    pub fn wanted(&self) -> Vec<u32> {
        let is_wanted = |name: &&ChunkName| {
            let wants_proof = || self.counts(name) && self.trust().wants_proof(name);
            name.chunk > self.due && wants_proof()
        };
        let due = self.wants_own.then_some(self.due);
        let later = self.listed.iter().filter(is_wanted).map(|name| name.chunk);
        due.into_iter().chain(later).collect()
    }

    /// Adds a chunk played by the trainer itself. It is trusted more than other machines' chunks.
    pub fn offer(&mut self, chunk: u32, items: Vec<C::Item>) {
        let hash = self.content.pack(&items).map_or(0, |b| xxh3_128(&b));
        self.own.insert(chunk, (hash, items));
    }

    /// The next chunk, if it is there.
    ///
    /// # Errors
    /// If the share does not respond. Chunks of the trainer itself are returned nevertheless.
    pub fn take(&mut self) -> Result<Taken<C::Item>, ObjectError> {
        if self.has_to_begin_again {
            return Ok(Taken::Again);
        }
        if self.is_complete() {
            return Ok(Taken::Nothing);
        }
        let items = match self.own.remove(&self.due) {
            Some((hash, items)) => {
                self.compare(hash, &items);
                Some(items)
            }
            None => {
                if self.named().is_empty() {
                    self.listed = self.assignment.finished(self.share)?;
                }
                let candidates = self.candidates();
                // Other machines consider it finished although it cannot be read.
                self.wants_own |= candidates.is_err();
                self.agreed(candidates?)
            }
        };
        if self.has_to_begin_again {
            return Ok(Taken::Again);
        }
        let Some(items) = items else {
            return Ok(Taken::Nothing);
        };
        self.due += 1;
        self.wants_own = false;
        self.pass_over();
        Ok(Taken::Items(items))
    }

    /// Returns `true` if everything has been taken.
    pub fn is_complete(&self) -> bool {
        self.due == self.assignment.n_chunks() && !self.has_to_begin_again
    }

    /// Objects rejected since the last call.
    pub fn suspicions(&mut self) -> Vec<Suspicion> {
        std::mem::take(&mut self.suspicions)
    }

    /// Compares other machines' copies of the next chunk with the trainer's.
    fn compare(&mut self, hash: u128, items: &[C::Item]) {
        for name in self.named() {
            if name.hash == hash {
                self.trust().passed(&name);
                continue;
            }
            let Ok(Some(bytes)) = self.share.get(&name.to_string()) else {
                // A missing object proves nothing.
                continue;
            };
            let found = match self.items(&name, &bytes) {
                Ok(found) => found,
                // It may have been truncated during transfer.
                Err(reason) => {
                    self.refuse(name, &reason, Vec::new());
                    continue;
                }
            };
            let reason = match self.content.difference(&found, items) {
                Ok(Some(reason)) => reason,
                Ok(None) => {
                    self.trust().passed(&name);
                    continue;
                }
                // This proves nothing either.
                Err(_) => continue,
            };
            let mismatch = Mismatch {
                worker: name.worker.clone(),
                name: name.to_string(),
                reason: reason.clone(),
            };
            let unproven = self.trust().failed(self.share, mismatch);
            let is_of_this = |other: &ChunkName| other.folder == name.folder;
            self.has_to_begin_again |= self.is_resumed || unproven.iter().any(is_of_this);
            self.refuse(name, &reason, unproven);
        }
    }

    /// The known objects of the next chunk.
    fn named(&self) -> Vec<ChunkName> {
        let listed = self.listed.iter();
        listed
            .filter(|name| name.chunk == self.due && self.counts(name))
            .cloned()
            .collect()
    }

    /// The complete objects of the next chunk. Incomplete ones are rejected and removed.
    fn candidates(&mut self) -> Result<Found<C::Item>, ObjectError> {
        let mut candidates = Vec::new();
        for name in self.named() {
            let Some(bytes) = self.share.get(&name.to_string())? else {
                // The listing is old: it is fetched again once nothing else is left in it.
                self.listed.retain(|other| *other != name);
                continue;
            };
            match self.items(&name, &bytes) {
                Ok(items) => candidates.push((name, items)),
                Err(reason) => {
                    // While the object exists, other machines consider the chunk finished.
                    let _ = self.share.delete(&name.to_string());
                    self.refuse(name, &reason, Vec::new());
                }
            }
        }
        Ok(candidates)
    }

    /// The items on which all candidates agree. If two candidates differ that should not, or if one
    /// is to be proven, the trainer has to play the chunk itself.
    fn agreed(&mut self, mut candidates: Found<C::Item>) -> Option<Vec<C::Item>> {
        let (first, items) = candidates.pop()?;
        let mut names = candidates.iter().map(|(name, _)| name);
        let is_disputed = names.any(|name| name.hash != first.hash);
        self.wants_own |=
            is_disputed && self.content.is_exact() || self.trust().wants_proof(&first);
        if self.wants_own {
            return None;
        }
        self.trust().took(&first);
        Some(items)
    }

    /// The items of an object, if they match its name and the assignment.
    fn items(&self, name: &ChunkName, bytes: &[u8]) -> Result<Vec<C::Item>, String> {
        if xxh3_128(bytes) != name.hash {
            return Err("its bytes do not have the hash in its name".to_owned());
        }
        let numbers = self.assignment.numbers(name.chunk);
        self.content.unpack(numbers, bytes)
    }

    fn refuse(&mut self, name: ChunkName, reason: &str, unproven: Vec<ChunkName>) {
        self.suspicions.push(Suspicion {
            name: name.to_string(),
            worker: name.worker.clone(),
            reason: reason.to_owned(),
            unproven,
        });
        self.refused.insert(name);
    }

    fn trust(&self) -> MutexGuard<'a, Trust> {
        self.trust.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Skips chunks that are done already.
    fn pass_over(&mut self) {
        while self.due < self.assignment.n_chunks() && self.assignment.done.contains(&self.due) {
            self.due += 1;
        }
    }
}
