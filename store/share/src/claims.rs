//! Claims of chunks by machines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::{Assignment, ChunkName, Listed, ObjectError, Share};

/// The kind of chunks that a machine is ready to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// Only unclaimed chunks: it is still playing, so repeating others' chunks would delay its own.
    ForUnclaimed,
    /// Any unfinished chunk: it has nothing else to do.
    ForAnything,
}

/// The chunks of an assignment that one machine plays.
#[derive(Debug)]
pub struct Claims<'a> {
    share: &'a dyn Share,
    assignment: Arc<Assignment>,
    worker: String,
    mine: BTreeSet<u32>,
}

impl<'a> Claims<'a> {
    /// Creates the claims of a machine, initially none.
    pub fn new(share: &'a dyn Share, assignment: Arc<Assignment>, worker: &str) -> Claims<'a> {
        Claims {
            share,
            assignment,
            worker: worker.to_owned(),
            mine: BTreeSet::new(),
        }
    }

    /// Claims a chunk: an unclaimed one, in an order specific to the machine, to avoid collisions;
    /// if there is none and the machine is ready for anything, the chunk with the fewest claims
    /// that has waited longest. Returns `None` if all are finished or claimed by this machine.
    /// Chunks count as finished if they are listed under a name that `counts`.
    ///
    /// # Errors
    /// If the share does not respond. A claim that cannot be written is not an error.
    pub fn next(
        &mut self,
        ready: Ready,
        counts: impl Fn(&ChunkName) -> bool,
    ) -> Result<Option<u32>, ObjectError> {
        let claims = self.claims()?;
        let own_order = |chunk: &u32| xxh3_64(format!("{} {chunk}", self.worker).as_bytes());
        let mut over = self.mine.clone();
        over.extend(&self.assignment.done);
        let all = 0..self.assignment.n_chunks();
        let open = all.clone().filter(|chunk| !over.contains(chunk));
        let unclaimed = open.filter(|chunk| !claims.contains_key(chunk));
        let mut chosen = unclaimed.min_by_key(own_order);
        // Finished chunks are also claimed, so the list of finished ones is only needed here.
        if chosen.is_none() && ready == Ready::ForAnything {
            let finished = self.assignment.finished(self.share)?;
            let finished = finished.iter().filter(|name| counts(name));
            over.extend(finished.map(|name| name.chunk));
            let open = all.filter(|chunk| !over.contains(chunk));
            chosen = open.min_by_key(|chunk| (claims.get(chunk), own_order(chunk)));
        }
        if let Some(chunk) = chosen {
            self.mine.insert(chunk);
            let name = format!("{}/{chunk:06}.{}", self.assignment.claims(), self.worker);
            // Without the claim another machine may play the same chunk, which is harmless.
            let _ = self.share.put(&name, Vec::new());
        }
        Ok(chosen)
    }

    /// Claims this chunk, unless this machine has already claimed it.
    pub fn insist(&mut self, chunk: u32) -> bool {
        self.mine.insert(chunk)
    }

    /// Claims a chunk without using the share.
    pub fn next_unheard(&mut self) -> Option<u32> {
        let known = |chunk: &u32| self.assignment.done.contains(chunk) || self.mine.contains(chunk);
        let chosen = (0..self.assignment.n_chunks()).find(|chunk| !known(chunk));
        self.mine.extend(chosen);
        chosen
    }

    /// {chunk: number of machines that have claimed it, time of the first claim}.
    fn claims(&self) -> Result<BTreeMap<u32, (usize, SystemTime)>, ObjectError> {
        let mut claims = BTreeMap::new();
        for claim in claimed(self.share, &self.assignment)? {
            let (count, since) = claims.entry(claim.chunk).or_insert((0, claim.since));
            *count += 1;
            *since = claim.since.min(*since);
        }
        Ok(claims)
    }
}

/// A claimed chunk.
pub(crate) struct Claim {
    pub(crate) chunk: u32,
    pub(crate) worker: String,
    since: SystemTime,
}

/// The claims of all machines.
pub(crate) fn claimed(
    share: &dyn Share,
    assignment: &Assignment,
) -> Result<Vec<Claim>, ObjectError> {
    let folder = assignment.claims();
    let claim = |object: Listed| {
        let name = object.name.strip_prefix(&folder)?.strip_prefix('/')?;
        let (chunk, worker) = name.split_once('.')?;
        Some(Claim {
            chunk: chunk.parse().ok()?,
            worker: worker.to_owned(),
            since: object.modified,
        })
    };
    Ok(share.list(&folder)?.into_iter().filter_map(claim).collect())
}
