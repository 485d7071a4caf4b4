//! A faulty share, and items that are cheap to make.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use share::{
    Assignment, Content, Listed, MatchSide, MatchWork, ObjectError, Objects, Share, Start, Work,
};
use store::RunId;

/// Stale listings that may be returned again.
const MAX_PAST: usize = 8;

/// Items that are cheap to make: lines of text that say where they belong.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    label: String,
}

impl Lines {
    pub(crate) fn of(assignment: &Assignment) -> Lines {
        Lines {
            label: format!("{} {:?}", assignment.generation, assignment.work),
        }
    }

    pub(crate) fn item(&self, number: u32) -> String {
        let start = format!("{} {number} ", self.label);
        let hash = start.bytes().fold(7_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{start}{hash:016x}")
    }

    pub(crate) fn items(&self, numbers: Range<u32>) -> Vec<String> {
        numbers.map(|number| self.item(number)).collect()
    }
}

impl Content for Lines {
    type Item = String;

    fn pack(&self, items: &[String]) -> Result<Vec<u8>, String> {
        Ok(items.join("\n").into_bytes())
    }

    fn unpack(&self, numbers: Range<u32>, bytes: &[u8]) -> Result<Vec<String>, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let items: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let labels = numbers.clone().map(|n| format!("{} {n} ", self.label));
        let is_whole = |(item, label): (&String, String)| {
            item.len() == label.len() + 16 && item.starts_with(&label)
        };
        match items.len() == numbers.len() && items.iter().zip(labels).all(is_whole) {
            true => Ok(items),
            false => Err("these are other items".to_owned()),
        }
    }

    fn describe(&self, item: &String) -> String {
        item.clone()
    }
}

/// Items in chunks of three: games of a generation, or pairs of its match.
pub(crate) fn assignment(generation: u32, opponent: Option<&str>, total: u32) -> Assignment {
    let start = || Start {
        fen: String::new(),
        moves: String::new(),
    };
    let work = match opponent {
        None => Work::SelfPlay {
            network: "0123456789abcdef".to_owned(),
        },
        Some(name) => Work::Match(MatchWork {
            sides: ["a", name].map(|name| MatchSide::Baseline(name.to_owned())),
            simulations: 1,
            seed: 1,
            openings: (0..total).map(|_| start()).collect(),
        }),
    };
    Assignment {
        run: RunId(1),
        generation,
        work,
        total,
        chunk: 3,
        done: Vec::new(),
        settings: String::new(),
        is_over: false,
    }
}

/// A share in memory. It loses, repeats, delays and truncates writes, returns stale listings, and
/// its clock jumps.
#[derive(Debug)]
pub(crate) struct Faulty(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    rng: ChaCha8Rng,
    objects: Objects,
    /// Time of the last write of each object, by an inaccurate clock.
    clock: BTreeMap<String, SystemTime>,
    /// Earlier listings.
    past: Vec<Vec<Listed>>,
    /// Writes that have not arrived yet.
    late: Vec<(String, Vec<u8>)>,
    /// The faults to inject.
    faults: Faults,
    n_writes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Faults {
    None,
    Some,
    Silent,
}

impl Faulty {
    pub(crate) fn new(seed: u64) -> Faulty {
        Faulty::with(seed, Faults::Some)
    }

    pub(crate) fn sound() -> Faulty {
        Faulty::with(0, Faults::None)
    }

    pub(crate) fn silent() -> Faulty {
        Faulty::with(0, Faults::Silent)
    }

    fn with(seed: u64, faults: Faults) -> Faulty {
        Faulty(Mutex::new(Inner {
            rng: ChaCha8Rng::seed_from_u64(!seed),
            objects: Objects::in_memory().unwrap(),
            clock: BTreeMap::new(),
            past: Vec::new(),
            late: Vec::new(),
            faults,
            n_writes: 0,
        }))
    }

    /// The content after late writes may have arrived; fails if nothing responds.
    fn enter(&self, what: &'static str, name: &str) -> Result<MutexGuard<'_, Inner>, ObjectError> {
        let mut inner = self.0.lock().unwrap();
        if !inner.late.is_empty() && inner.happens(0.2) {
            let n_late = inner.late.len();
            let which = inner.rng.random_range(0..n_late);
            let (name, bytes) = inner.late.swap_remove(which);
            inner.write(name, bytes);
        }
        if inner.faults == Faults::Silent || inner.happens(0.08) {
            return Err(failed(what, name));
        }
        Ok(inner)
    }
}

fn failed(what: &'static str, name: &str) -> ObjectError {
    ObjectError {
        what,
        name: name.to_owned(),
        place: "memory".to_owned(),
        reason: "no answer".to_owned(),
    }
}

impl Inner {
    fn happens(&mut self, probability: f64) -> bool {
        self.faults == Faults::Some && self.rng.random_bool(probability)
    }

    fn write(&mut self, name: String, bytes: Vec<u8>) {
        self.n_writes += 1;
        let mut seconds = self.n_writes;
        if self.happens(0.1) {
            seconds = self.rng.random_range(0..10_000);
        }
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        self.objects.put(&name, bytes).unwrap();
        self.clock.insert(name, modified);
    }

    fn listing(&self, folder: &str) -> Vec<Listed> {
        let mut listed = self.objects.list(folder).unwrap();
        for object in &mut listed {
            object.modified = self.clock[&object.name];
        }
        // The order of listings varies.
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed
    }
}

impl Share for Faulty {
    fn place(&self) -> &str {
        "memory"
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        let mut inner = self.enter("read", name)?;
        if inner.happens(0.05) {
            return Ok(None);
        }
        inner.objects.get(name)
    }

    fn put(&self, name: &str, mut bytes: Vec<u8>) -> Result<(), ObjectError> {
        let mut inner = self.enter("write", name)?;
        if inner.happens(0.05) {
            return Ok(());
        }
        if inner.happens(0.1) {
            inner.late.push((name.to_owned(), bytes.clone()));
            if inner.happens(0.5) {
                return Ok(());
            }
        }
        if inner.happens(0.1) {
            let length = inner.rng.random_range(0..=bytes.len());
            bytes.truncate(length);
        }
        inner.write(name.to_owned(), bytes);
        match inner.happens(0.05) {
            true => Err(failed("write", name)),
            false => Ok(()),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        let mut inner = self.enter("list", folder)?;
        let now = inner.listing(folder);
        if inner.happens(0.2) && !inner.past.is_empty() {
            let n_past = inner.past.len();
            let moment = inner.rng.random_range(0..n_past);
            let below = format!("{folder}/");
            let mut listed = inner.past[moment].clone();
            listed.retain(|object| object.name.starts_with(&below));
            return Ok(listed);
        }
        if inner.happens(0.2) {
            let all = inner.listing("fleet");
            if inner.past.len() == MAX_PAST {
                let which = inner.rng.random_range(0..MAX_PAST);
                inner.past.swap_remove(which);
            }
            inner.past.push(all);
        }
        Ok(now)
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        let mut inner = self.enter("remove", name)?;
        if !inner.happens(0.1) {
            inner.objects.delete(name)?;
        }
        Ok(())
    }
}
