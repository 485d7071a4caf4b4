//! A share with faults, and games that are quickly made.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use fleet::{Listed, Share, ShareError, Task};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use store::{GameId, Header, Ply, Record, RecordedSearch, RunId, Wdl8};

pub(crate) const GENERATION: u32 = 3;
const VARIANT: Variant = Variant::ALL[0];

pub(crate) fn header() -> Header {
    Header {
        variant: VARIANT,
        rules_version: VARIANT.rules_version(),
        seed: 7,
        id: GameId {
            generation: GENERATION,
            number: 0,
        },
        network: "0123456789abcdef".to_owned(),
        config_hash: 1,
    }
}

/// A game with this number: a few moves, cut off.
pub(crate) fn game(number: u32) -> Record {
    let start = Position::start(VARIANT);
    let mut game = Game::new(start);
    let mut rng = ChaCha8Rng::seed_from_u64(number.into());
    let ply = |_| {
        let moves = game.legal_moves();
        let mv = moves[rng.random_range(0..moves.len())];
        game.play(mv);
        let value = Wdl8::new([0.25, 0.5, 0.25]);
        let search = RecordedSearch::Fast { value };
        Ply { mv, search }
    };
    let plies = (0..4).map(ply).collect();
    let mut header = header();
    header.id.number = number;
    Record {
        header,
        start,
        plies,
        result: None,
    }
}

/// Chunks of four games.
pub(crate) fn task(games: u32) -> Task {
    Task {
        run: RunId(1),
        generation: GENERATION,
        network: header().network,
        games,
        chunk: 4,
        done: Vec::new(),
        settings: String::new(),
        starts: Vec::new(),
        is_over: false,
    }
}

/// A share in memory. It loses, repeats, delays and cuts off, shows old listings, and its clock jumps.
#[derive(Debug)]
pub(crate) struct Faulty(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    rng: ChaCha8Rng,
    objects: BTreeMap<String, (Vec<u8>, SystemTime)>,
    /// Listings that were true once.
    past: Vec<Vec<Listed>>,
    /// Writes that have not arrived yet.
    late: Vec<(String, Vec<u8>)>,
    /// Whether anything goes wrong; everything, if nothing answers.
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
            objects: BTreeMap::new(),
            past: Vec::new(),
            late: Vec::new(),
            faults,
            n_writes: 0,
        }))
    }

    /// What is there, after late writes may have arrived; nobody may answer.
    fn enter(&self, what: &'static str, name: &str) -> Result<MutexGuard<'_, Inner>, ShareError> {
        let mut inner = self.0.lock().unwrap();
        if !inner.late.is_empty() && inner.happens(0.2) {
            let (name, bytes) = inner.late.remove(0);
            inner.write(name, bytes);
        }
        if inner.faults == Faults::Silent || inner.happens(0.08) {
            return Err(failed(what, name));
        }
        Ok(inner)
    }
}

fn failed(what: &'static str, name: &str) -> ShareError {
    ShareError {
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
        self.objects.insert(name, (bytes, modified));
    }
}

impl Share for Faulty {
    fn place(&self) -> &str {
        "memory"
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ShareError> {
        let mut inner = self.enter("read", name)?;
        if inner.happens(0.05) {
            return Ok(None);
        }
        Ok(inner.objects.get(name).map(|(bytes, _)| bytes.clone()))
    }

    fn put(&self, name: &str, mut bytes: Vec<u8>) -> Result<(), ShareError> {
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

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ShareError> {
        let mut inner = self.enter("list", folder)?;
        let objects = inner.objects.iter();
        let now: Vec<Listed> = objects
            .map(|(name, (_, modified))| Listed {
                name: name.clone(),
                modified: *modified,
            })
            .collect();
        inner.past.push(now.clone());
        let mut listed = now;
        if inner.happens(0.2) {
            let n_past = inner.past.len();
            let moment = inner.rng.random_range(0..n_past);
            listed = inner.past[moment].clone();
        }
        listed.retain(|object| object.name.starts_with(&format!("{folder}/")));
        Ok(listed)
    }

    fn delete(&self, name: &str) -> Result<(), ShareError> {
        let mut inner = self.enter("remove", name)?;
        if !inner.happens(0.1) {
            inner.objects.remove(name);
        }
        Ok(())
    }
}
