//! Room for the objects of volunteers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use share::{CLAIMS, ChunkName, GAMES, ObjectError, Share, WORKERS, identity};

/// The most that one volunteer may keep in a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of all objects.
    pub bytes: u64,
    /// The number of objects.
    pub files: usize,
    /// Time after which the objects are counted again before anything is refused: the trainer
    /// removes some.
    pub recount: Duration,
}

impl Default for Quota {
    /// 1 GiB in 20,000 objects, some hundred machines with the games of two generations.
    fn default() -> Quota {
        Quota {
            bytes: 1 << 30,
            files: 20_000,
            recount: Duration::from_secs(10),
        }
    }
}

/// The objects of volunteers in a share.
#[derive(Debug)]
pub struct Usage {
    quota: Quota,
    /// {volunteer: {object: bytes}}.
    kept: BTreeMap<String, BTreeMap<String, u64>>,
    counted: Option<Instant>,
}

impl Usage {
    /// Nothing is counted before the first object.
    pub fn new(quota: Quota) -> Usage {
        Usage {
            quota,
            kept: BTreeMap::new(),
            counted: None,
        }
    }

    /// Makes room for an object that a volunteer is about to write. Returns the reason in words
    /// where there is none.
    ///
    /// # Errors
    /// When the share does not answer.
    pub fn reserve(
        &mut self,
        share: &dyn Share,
        name: &str,
        bytes: u64,
    ) -> Result<Result<(), String>, ObjectError> {
        let volunteer = volunteer_of(name);
        let is_full = || self.fault(&volunteer, name, bytes).is_some();
        let is_old = |counted: Instant| counted.elapsed() >= self.quota.recount;
        if self
            .counted
            .is_none_or(|counted| is_old(counted) && is_full())
        {
            self.count(share)?;
        }
        if let Some(fault) = self.fault(&volunteer, name, bytes) {
            return Ok(Err(fault));
        }
        let kept = self.kept.entry(volunteer).or_default();
        kept.insert(name.to_owned(), bytes);
        Ok(Ok(()))
    }

    /// Why an object has no room.
    fn fault(&self, volunteer: &str, name: &str, bytes: u64) -> Option<String> {
        let (most, most_files) = (self.quota.bytes, self.quota.files);
        let others = self.kept.get(volunteer).into_iter().flatten();
        let others = others.filter(|(other, _)| *other != name);
        let (n, sum) = others.fold((1, bytes), |(n, sum), (_, bytes)| (n + 1, sum + bytes));
        match (sum > most, n > most_files) {
            (true, _) => Some(format!("the objects of {volunteer} may have {most} bytes")),
            (_, true) => Some(format!("{volunteer} may have {most_files} objects")),
            _ => None,
        }
    }

    fn count(&mut self, share: &dyn Share) -> Result<(), ObjectError> {
        self.kept.clear();
        for folder in [GAMES, CLAIMS, WORKERS] {
            for object in share.list(folder)? {
                let kept = self.kept.entry(volunteer_of(&object.name)).or_default();
                kept.insert(object.name, object.bytes);
            }
        }
        self.counted = Some(Instant::now());
        Ok(())
    }
}

/// The volunteer, or the machine, that has written an object.
fn volunteer_of(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or_default();
    let machine = match ChunkName::parse(name) {
        Some(chunk) => chunk.worker,
        None if name.starts_with(CLAIMS) => file
            .split_once('.')
            .map_or(file, |(_, machine)| machine)
            .to_owned(),
        None => file.trim_end_matches(".json").to_owned(),
    };
    identity(&machine).to_owned()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;
    use share::Objects;

    use super::*;

    fn kept(share: &Objects, volunteer: &str) -> (u64, usize) {
        let lists = [GAMES, CLAIMS, WORKERS].map(|folder| share.list(folder).unwrap());
        let own = lists.concat().into_iter();
        let own = own.filter(|object| volunteer_of(&object.name) == volunteer);
        own.fold((0, 0), |(bytes, n), object| (bytes + object.bytes, n + 1))
    }

    fn any_name(rng: &mut ChaCha8Rng, volunteer: &str) -> String {
        let (machine, chunk) = (rng.random_range(0..3), rng.random_range(0..4));
        match rng.random_range(0..3) {
            0 => format!("{WORKERS}/{volunteer}.m{machine}.json"),
            1 => format!("{CLAIMS}/000001/{chunk:06}.{volunteer}.m{machine}"),
            _ => format!(
                "{GAMES}/000001/{chunk:06}.{:032x}.{volunteer}.m{machine}.seg",
                7
            ),
        }
    }

    /// No volunteer exceeds the quota, and none with room is refused.
    #[test]
    fn a_quota_holds_and_is_given() {
        let (mut n_given, mut n_refused) = (0, 0);
        for seed in 0..50 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let quota = Quota {
                bytes: rng.random_range(0..3000),
                files: rng.random_range(1..12),
                recount: Duration::ZERO,
            };
            let share = Objects::in_memory().unwrap();
            let mut usage = Usage::new(quota);
            for _ in 0..100 {
                let volunteer = ["ada", "bob", "adam"][rng.random_range(0..3)];
                let name = any_name(rng, volunteer);
                if rng.random_ratio(1, 4) {
                    // The trainer makes room.
                    share.delete(&name).unwrap();
                    continue;
                }
                let bytes: u64 = rng.random_range(0..1000);
                let (sum, n) = kept(&share, volunteer);
                let before = share.get(&name).unwrap().map(|bytes| bytes.len() as u64);
                let sum = sum - before.unwrap_or(0) + bytes;
                let n = n + usize::from(before.is_none());
                let fits = sum <= quota.bytes && n <= quota.files;
                let given = usage.reserve(&share, &name, bytes).unwrap();
                assert_eq!(given.is_ok(), fits, "seed {seed}: {given:?}");
                match given {
                    Ok(()) => {
                        n_given += 1;
                        share.put(&name, vec![0; bytes as usize]).unwrap();
                    }
                    Err(reason) => {
                        n_refused += 1;
                        assert!(reason.contains(volunteer), "{reason}");
                    }
                }
            }
        }
        assert!(n_given > 500 && n_refused > 500, "{n_given} {n_refused}");
    }
}
