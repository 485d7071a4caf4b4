//! Trust in machines, and its loss.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::document::{read, write};
use crate::{ChunkName, Share, ShareError};

const MISMATCHES: &str = "fleet/findings";

/// The trainer's knowledge of the machines that play for it: it repeats a share of their chunks. A
/// machine is excluded with the first chunk that differs.
///
/// A machine that alters one chunk in `n` is found out within `k` chunks with probability 1 - (1 -
/// share / n)^k. Machines are known by the name that they give themselves: this finds defective
/// memory and other builds of the program, not an attacker who changes the name.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// From 0, nothing is played again, to 1, everything is.
    share: f64,
    secret: u64,
    workers: BTreeMap<String, Standing>,
}

#[derive(Clone, Debug, Default)]
struct Standing {
    /// Chunks that were taken without proof: of the assignment with the last proof all, of those
    /// before none.
    unproven: Vec<ChunkName>,
    mismatch: Option<Mismatch>,
}

/// A chunk of a machine whose games differ when they are repeated: the machine is excluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The machine.
    pub worker: String,
    /// The object with other games.
    pub name: String,
    /// The fault: the first game that differs.
    pub reason: String,
}

impl Trust {
    /// Everybody is believed. `share` of all chunks are played again, which ones nobody can tell
    /// who does not know the `secret`.
    pub fn new(share: f64, secret: u64) -> Trust {
        Trust {
            share,
            secret,
            workers: BTreeMap::new(),
        }
    }

    /// As [`Trust::new`], with a secret that nobody knows.
    pub fn secretly(share: f64) -> Trust {
        Trust::new(share, RandomState::new().build_hasher().finish())
    }

    /// The mismatches at a share hold on.
    ///
    /// # Errors
    /// When the share does not answer.
    pub fn remember(&mut self, share: &dyn Share) -> Result<(), ShareError> {
        for mismatch in Mismatch::all(share)? {
            let standing = self.workers.entry(mismatch.worker.clone());
            standing.or_default().mismatch = Some(mismatch);
        }
        Ok(())
    }

    /// Why a machine is not believed; nothing if it is.
    pub fn mismatch(&self, worker: &str) -> Option<&Mismatch> {
        self.workers.get(worker)?.mismatch.as_ref()
    }

    /// `true` if this chunk is to be played again before it is taken.
    pub(crate) fn wants_proof(&self, name: &ChunkName) -> bool {
        let hash = xxh3_64_with_seed(name.to_string().as_bytes(), self.secret);
        // As many bits as a float has.
        ((hash >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }

    /// A chunk was taken without proof.
    pub(crate) fn took(&mut self, name: &ChunkName) {
        if self.share > 0.0 {
            self.standing(&name.worker).unproven.push(name.clone());
        }
    }

    /// A chunk came out the same: what was taken of earlier assignments is believed for good.
    pub(crate) fn passed(&mut self, name: &ChunkName) {
        let unproven = &mut self.standing(&name.worker).unproven;
        unproven.retain(|other| other.folder == name.folder);
    }

    /// A chunk came out different. What was taken of the machine in this assignment, and in those
    /// since the last chunk that came out the same.
    pub(crate) fn failed(&mut self, share: &dyn Share, mismatch: Mismatch) -> Vec<ChunkName> {
        let name = format!("{MISMATCHES}/{}.json", mismatch.worker);
        // The trainer knows it in any case.
        let _ = write(share, &name, &mismatch);
        let standing = self.standing(&mismatch.worker);
        standing.mismatch = Some(mismatch);
        std::mem::take(&mut standing.unproven)
    }

    fn standing(&mut self, worker: &str) -> &mut Standing {
        self.workers.entry(worker.to_owned()).or_default()
    }
}

impl Mismatch {
    /// All mismatches, by the name of the machine.
    ///
    /// # Errors
    /// When the share does not answer.
    pub fn all(share: &dyn Share) -> Result<Vec<Mismatch>, ShareError> {
        let listed = share.list(MISMATCHES)?.into_iter();
        // One that is not whole is made again when the machine is found out again.
        let mismatches = listed.filter_map(|object| read(share, &object.name).ok()?);
        let mut mismatches: Vec<Mismatch> = mismatches.collect();
        mismatches.sort_by(|a, b| a.worker.cmp(&b.worker));
        Ok(mismatches)
    }

    /// The mismatch on a machine; nothing where there is none.
    ///
    /// # Errors
    /// When the share does not answer.
    pub fn read(share: &dyn Share, worker: &str) -> Result<Option<Mismatch>, ShareError> {
        read(share, &format!("{MISMATCHES}/{worker}.json"))
    }
}
