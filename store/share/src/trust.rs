//! Trust in machines, and its loss.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::document::{read, write};
use crate::{ChunkName, Share, ShareError};

const MISMATCHES: &str = "fleet/findings";

/// The trainer's trust in the machines that play for it: it repeats a fraction of their chunks. A
/// machine is excluded at the first chunk that differs.
///
/// A machine that alters one chunk in `n` is detected within `k` chunks with probability 1 - (1 -
/// share / n)^k. All machines of a volunteer count as one, whatever they call themselves, since the
/// gateway knows their token. Other machines choose their own names: for these it detects defective
/// memory and different builds, not an attacker who changes the name.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Fraction of chunks to repeat, from 0 for none to 1 for all.
    share: f64,
    secret: u64,
    workers: BTreeMap<String, Standing>,
}

#[derive(Clone, Debug, Default)]
struct Standing {
    /// Chunks taken without proof: all of the assignment with the last proof, none of earlier ones.
    unproven: Vec<ChunkName>,
    mismatch: Option<Mismatch>,
}

/// A chunk of a machine whose games differ when they are repeated: the machine is excluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The machine.
    pub worker: String,
    /// Name of the differing object.
    pub name: String,
    /// The fault: the first game that differs.
    pub reason: String,
}

/// The name that trust is attached to: the volunteer of a machine, or the machine itself.
pub fn identity(worker: &str) -> &str {
    worker
        .split_once('.')
        .map_or(worker, |(volunteer, _)| volunteer)
}

fn name_for(worker: &str) -> String {
    format!("{MISMATCHES}/{}.json", identity(worker))
}

impl Trust {
    /// Trusts all machines. A fraction `share` of all chunks is repeated; which ones is
    /// unpredictable without the `secret`.
    pub fn new(share: f64, secret: u64) -> Trust {
        Trust {
            share,
            secret,
            workers: BTreeMap::new(),
        }
    }

    /// As [`Trust::new`], with a random secret.
    pub fn secretly(share: f64) -> Trust {
        Trust::new(share, RandomState::new().build_hasher().finish())
    }

    /// Loads the mismatches recorded at a share.
    ///
    /// # Errors
    /// If the share does not respond.
    pub fn remember(&mut self, share: &dyn Share) -> Result<(), ShareError> {
        for mismatch in Mismatch::all(share)? {
            let worker = mismatch.worker.clone();
            self.standing(&worker).mismatch = Some(mismatch);
        }
        Ok(())
    }

    /// The reason why a machine is excluded; `None` if it is trusted.
    pub fn mismatch(&self, worker: &str) -> Option<&Mismatch> {
        self.workers.get(identity(worker))?.mismatch.as_ref()
    }

    /// Returns `true` if this chunk must be repeated before it is taken.
    pub(crate) fn wants_proof(&self, name: &ChunkName) -> bool {
        let hash = xxh3_64_with_seed(name.to_string().as_bytes(), self.secret);
        // The number of bits in a float's mantissa.
        ((hash >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }

    /// Records that a chunk was taken without proof.
    pub(crate) fn took(&mut self, name: &ChunkName) {
        if self.share > 0.0 {
            self.standing(&name.worker).unproven.push(name.clone());
        }
    }

    /// Records that a chunk was reproduced: chunks from earlier assignments are now trusted for
    /// good.
    pub(crate) fn passed(&mut self, name: &ChunkName) {
        let unproven = &mut self.standing(&name.worker).unproven;
        unproven.retain(|other| other.folder == name.folder);
    }

    /// Records a chunk that differed. Returns the chunks taken from the machine in this assignment,
    /// and in those since its last reproduced chunk.
    pub(crate) fn failed(&mut self, share: &dyn Share, mismatch: Mismatch) -> Vec<ChunkName> {
        let name = name_for(&mismatch.worker);
        // The trainer knows it in any case.
        let _ = write(share, &name, &mismatch);
        let standing = self.standing(&mismatch.worker);
        standing.mismatch = Some(mismatch);
        std::mem::take(&mut standing.unproven)
    }

    fn standing(&mut self, worker: &str) -> &mut Standing {
        self.workers.entry(identity(worker).to_owned()).or_default()
    }
}

impl Mismatch {
    /// All mismatches, by name of the machine.
    ///
    /// # Errors
    /// If the share does not respond.
    pub fn all(share: &dyn Share) -> Result<Vec<Mismatch>, ShareError> {
        let listed = share.list(MISMATCHES)?.into_iter();
        // An incomplete one is written again when the machine fails again.
        let mismatches = listed.filter_map(|object| read(share, &object.name).ok()?);
        let mut mismatches: Vec<Mismatch> = mismatches.collect();
        mismatches.sort_by(|a, b| a.worker.cmp(&b.worker));
        Ok(mismatches)
    }

    /// The mismatch of a machine or its volunteer; `None` if there is none.
    ///
    /// # Errors
    /// If the share does not respond.
    pub fn read(share: &dyn Share, worker: &str) -> Result<Option<Mismatch>, ShareError> {
        read(share, &name_for(worker))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objects;

    #[test]
    fn a_volunteer_is_not_trusted_again_under_another_name() {
        let share = Objects::in_memory().unwrap();
        let mismatch = |worker: &str| Mismatch {
            worker: worker.to_owned(),
            name: "fleet/games/000001/000002".to_owned(),
            reason: "game 7 is another one".to_owned(),
        };
        let mut trust = Trust::new(1.0, 7);
        trust.failed(&share, mismatch("ada.laptop-1"));
        trust.failed(&share, mismatch("node-12-4711"));
        let mut later = Trust::new(1.0, 8);
        later.remember(&share).unwrap();
        for trust in [&trust, &later] {
            for worker in ["ada.laptop-1", "ada.laptop-2", "ada.other", "node-12-4711"] {
                assert!(trust.mismatch(worker).is_some(), "{worker}");
                assert!(
                    Mismatch::read(&share, worker).unwrap().is_some(),
                    "{worker}"
                );
            }
            for worker in ["adam.laptop-1", "bob.ada", "node-12-4712"] {
                assert!(trust.mismatch(worker).is_none(), "{worker}");
                assert_eq!(Mismatch::read(&share, worker).unwrap(), None, "{worker}");
            }
        }
    }
}
