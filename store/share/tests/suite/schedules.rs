//! Whatever a share loses, repeats, delays or truncates, and whichever machine dies: everything is
//! taken once, in order, with the same content as on one machine. Each seed is another schedule of
//! a trainer and workers who take turns.
//!
//! `CROWNHEAD_SEEDS=7 cargo test --release -p crownhead-fleet --test suite schedules::` replays
//! schedule 7, `CROWNHEAD_SEEDS=0..10000` tries many.

#![expect(clippy::print_stdout, reason = "histories are told to whoever asks")]

#[path = "../../../../run/loop/tests/simulation/seeds.rs"]
mod seeds;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::support::{Faulty, Lines, assignment};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use share::{
    Assignment, Claims, Collector, Content as _, Listed, Mismatch, ObjectError, Ready, Share,
    Taken, Trust, Work, tidy,
};

const MAX_STEPS: usize = 20_000;
/// Shares wrong data in every second chunk.
const LIAR: &str = "liar";

/// The outcome of a run: two generations, with a match between them.
fn phases() -> [Assignment; 3] {
    [
        assignment(1, None, 20),
        assignment(1, Some("gate"), 7),
        assignment(2, None, 20),
    ]
}

/// A machine that plays; dead ones are replaced.
struct Worker<'a> {
    name: String,
    /// The assignment that it has read, and its claims.
    playing: Option<(Arc<Assignment>, Claims<'a>)>,
    /// A chunk that it has played and not shared yet.
    holds: Option<u32>,
}

struct Trainer<'a> {
    assignment: Arc<Assignment>,
    content: Lines,
    collector: Collector<'a, Lines>,
    claims: Claims<'a>,
    holds: VecDeque<u32>,
}

struct Fleet<'a> {
    share: &'a Faulty,
    trust: &'a Mutex<Trust>,
    rng: ChaCha8Rng,
    /// \[phase\] the items on the trainer's disk.
    taken: Vec<Vec<String>>,
    /// The phase in which the liar was excluded.
    found_out: Option<usize>,
}

impl<'a> Fleet<'a> {
    /// A trainer that resumes from the disk, and announces its assignment if the share lets it.
    fn trainer(&self) -> Trainer<'a> {
        let phase = self.taken.len() - 1;
        let mut assignment = phases()[phase].clone();
        assignment.skip(&(0..self.taken[phase].len() as u32).collect());
        let _ = assignment.publish(self.share);
        if self.taken[phase].is_empty() {
            let _ = tidy(self.share, assignment.generation, &assignment.networks());
        }
        let (assignment, content) = (Arc::new(assignment.clone()), Lines::of(&assignment));
        Trainer {
            collector: Collector::new(
                self.share,
                Arc::clone(&assignment),
                content.clone(),
                self.trust,
            )
            .resumed(!self.taken[phase].is_empty()),
            claims: Claims::new(self.share, Arc::clone(&assignment), "trainer"),
            assignment,
            content,
            holds: VecDeque::new(),
        }
    }

    fn step_trainer(&mut self, trainer: &mut Trainer<'a>) {
        match self.rng.random_range(0..20) {
            0 => *trainer = self.trainer(),
            1 => drop(trainer.assignment.publish(self.share)),
            2..8 => {
                let mut wanted = trainer.collector.wanted().into_iter();
                let wanted = wanted.find(|&chunk| trainer.claims.insist(chunk));
                let claims = &mut trainer.claims;
                let mut claim = || {
                    claims
                        .next(Ready::ForAnything, |name| trainer.collector.counts(name))
                        .ok()
                };
                let chunk = wanted.or_else(|| claim().flatten());
                trainer
                    .holds
                    .extend(chunk.or_else(|| trainer.claims.next_unheard()));
            }
            8..12 => {
                if let Some(chunk) = trainer.holds.pop_front() {
                    let items = trainer.content.items(trainer.assignment.numbers(chunk));
                    let bytes = trainer.content.pack(&items).unwrap();
                    let _ = trainer
                        .assignment
                        .deliver(self.share, "trainer", chunk, bytes);
                    trainer.collector.offer(chunk, items);
                }
            }
            _ => self.take(trainer),
        }
    }

    /// Takes the available chunks, and continues with the next phase once all are taken.
    fn take(&mut self, trainer: &mut Trainer<'a>) {
        while let Ok(taken) = trainer.collector.take() {
            if self.trust.lock().unwrap().mismatch(LIAR).is_some() {
                self.found_out.get_or_insert(self.taken.len() - 1);
            }
            let disk = self.taken.last_mut().unwrap();
            match taken {
                Taken::Nothing => break,
                Taken::Again => {
                    disk.clear();
                    *trainer = self.trainer();
                    return;
                }
                Taken::Items(items) => {
                    let next = trainer.assignment.total as usize - disk.len();
                    // A chunk that was being saved when the trainer died is incomplete.
                    let first = trainer.content.item(disk.len() as u32);
                    let label = &first[..first.len() - 16];
                    let new = items.iter().position(|item| item.starts_with(label));
                    disk.extend(items.into_iter().skip(new.unwrap()).take(next));
                    if self.rng.random_bool(0.02) {
                        disk.pop();
                        *trainer = self.trainer();
                        return;
                    }
                }
            }
        }
        if trainer.collector.is_complete() && self.taken.len() < phases().len() {
            self.taken.push(Vec::new());
            *trainer = self.trainer();
        }
    }

    fn is_over(&self) -> bool {
        let last = self.taken.last().unwrap();
        let phases = phases();
        self.taken.len() == phases.len() && last.len() == phases.last().unwrap().total as usize
    }

    fn step_worker(&mut self, worker: &mut Worker<'a>) {
        let Some((assignment, claims)) = &mut worker.playing else {
            if let Ok(Some(assignment)) = Assignment::read(self.share) {
                let assignment = Arc::new(assignment);
                let claims = Claims::new(self.share, Arc::clone(&assignment), &worker.name);
                worker.playing = Some((assignment, claims));
            }
            return;
        };
        match (worker.holds, self.rng.random_range(0..20)) {
            (_, 0) => {
                if worker.name != LIAR {
                    worker.name += "x";
                }
                (worker.playing, worker.holds) = (None, None);
            }
            (_, 1) => (worker.playing, worker.holds) = (None, None),
            (Some(chunk), 2) => self.vandalize(assignment, chunk),
            (Some(chunk), _) => {
                let content = Lines::of(assignment);
                let mut items = content.items(assignment.numbers(chunk));
                if worker.name == LIAR && chunk % 2 == 0 {
                    alter(&mut items);
                }
                let bytes = content.pack(&items).unwrap();
                if assignment
                    .deliver(self.share, &worker.name, chunk, bytes)
                    .is_ok()
                {
                    worker.holds = None;
                }
            }
            (None, _) => {
                worker.holds = claims.next(Ready::ForAnything, |_| true).ok().flatten();
                if worker.holds.is_none() {
                    worker.playing = None;
                }
            }
        }
    }

    /// Shares invalid chunks: random bytes, items of another chunk, items of another generation.
    fn vandalize(&mut self, assignment: &Assignment, chunk: u32) {
        let mut other = assignment.clone();
        let numbers = match self.rng.random_bool(0.5) {
            true => assignment.numbers((chunk + 1) % assignment.n_chunks()),
            false => {
                other.generation += 1;
                assignment.numbers(chunk)
            }
        };
        let content = Lines::of(&other);
        let mut bytes = content.pack(&content.items(numbers)).unwrap();
        if self.rng.random_bool(0.3) {
            bytes = vec![self.rng.random(); 99];
        }
        let _ = assignment.deliver(self.share, "vandal", chunk, bytes);
    }
}

/// Alters one bit of the last item.
fn alter(items: &mut [String]) {
    let last = items.last_mut().unwrap();
    let digit = last.pop().unwrap();
    last.push(if digit == '0' { '1' } else { '0' });
}

/// A whole run. Every third one has a liar.
fn follow(seed: u64) {
    let has_liar = seed % 3 == 2;
    let trust = Mutex::new(Trust::new(if has_liar { 0.3 } else { 0.05 }, seed));
    let share = Faulty::new(seed);
    let mut fleet = Fleet {
        share: &share,
        trust: &trust,
        rng: ChaCha8Rng::seed_from_u64(seed),
        taken: vec![Vec::new()],
        found_out: None,
    };
    let mut trainer = fleet.trainer();
    let name = |n| match n {
        0 if has_liar => LIAR.to_owned(),
        n => format!("worker{n}"),
    };
    let mut workers: Vec<Worker<'_>> = (0..seed % 5)
        .map(|n| Worker {
            name: name(n),
            playing: None,
            holds: None,
        })
        .collect();
    for _ in 0..MAX_STEPS {
        if fleet.is_over() {
            return check(&fleet);
        }
        match fleet.rng.random_range(0..=workers.len()) {
            0 => fleet.step_trainer(&mut trainer),
            n => fleet.step_worker(&mut workers[n - 1]),
        }
    }
    panic!("not over after {MAX_STEPS} steps");
}

/// No honest machine was excluded, and all items are as on one machine, except those taken from a
/// liar that had not been excluded by that phase.
fn check(fleet: &Fleet<'_>) {
    let trust = fleet.trust.lock().unwrap();
    assert!((0..9).all(|n| trust.mismatch(&format!("worker{n}")).is_none()));
    for (number, (phase, taken)) in phases().iter().zip(&fleet.taken).enumerate() {
        let content = Lines::of(phase);
        assert_eq!(taken.len(), phase.total as usize);
        for chunk in 0..phase.n_chunks() {
            let numbers = phase.numbers(chunk);
            let range = numbers.start as usize..numbers.end as usize;
            let mut items = content.items(numbers);
            if taken[range.clone()] == items {
                continue;
            }
            alter(&mut items);
            assert_eq!(taken[range], items, "these are nobody's");
            let is_early = fleet.found_out.is_none_or(|found_out| number < found_out);
            assert!(
                is_early,
                "chunk {chunk} of phase {number} is not to be believed"
            );
        }
    }
}

#[test]
fn everything_is_taken_once_and_in_order() {
    seeds::live_through(0..400, |seed, _| {
        follow(seed);
        "as one machine plays"
    });
}

#[test]
fn the_trainer_plays_alone_when_nothing_answers() {
    let trust = Mutex::new(Trust::default());
    let (share, assignment) = (Faulty::silent(), Arc::new(assignment(1, None, 20)));
    let content = Lines::of(&assignment);
    let mut collector = Collector::new(&share, Arc::clone(&assignment), content.clone(), &trust);
    let mut claims = Claims::new(&share, Arc::clone(&assignment), "trainer");
    let mut taken = Vec::new();
    while !collector.is_complete() {
        assert!(claims.next(Ready::ForAnything, |_| true).is_err());
        let chunk = claims.next_unheard().unwrap();
        collector.offer(chunk, content.items(assignment.numbers(chunk)));
        let Ok(Taken::Items(items)) = collector.take() else {
            panic!("chunk {chunk} is not taken");
        };
        taken.extend(items);
    }
    assert_eq!(taken, content.items(0..20));
}

/// Shares a chunk, with a bit altered if it is a lie.
fn share_chunk(share: &dyn Share, assignment: &Assignment, worker: &str, chunk: u32, lie: bool) {
    let content = Lines::of(assignment);
    let mut items = content.items(assignment.numbers(chunk));
    if lie {
        alter(&mut items);
    }
    let bytes = content.pack(&items).unwrap();
    assignment.deliver(share, worker, chunk, bytes).unwrap();
}

#[test]
fn what_is_listed_and_gone_is_not_waited_for() {
    let trust = Mutex::new(Trust::default());
    let (share, assignment) = (Faulty::sound(), Arc::new(assignment(1, None, 20)));
    let content = Lines::of(&assignment);
    let mut collector = Collector::new(&share, Arc::clone(&assignment), content.clone(), &trust);
    share_chunk(&share, &assignment, "honest", 0, false);
    share_chunk(&share, &assignment, "gone", 1, false);
    assert_eq!(collector.take().unwrap(), Taken::Items(content.items(0..3)));
    for object in share.list("fleet/games").unwrap() {
        if object.name.contains("gone") {
            share.delete(&object.name).unwrap();
        }
    }
    share_chunk(&share, &assignment, "honest", 1, false);
    assert_eq!(collector.take().unwrap(), Taken::Nothing);
    assert_eq!(collector.take().unwrap(), Taken::Items(content.items(3..6)));
}

/// The number of a generation says nothing about its games: a fork has other settings from there.
#[test]
fn chunks_belong_to_one_network_and_one_choice_of_settings() {
    let (share, assignment) = (Faulty::sound(), assignment(1, None, 20));
    let with_settings = Assignment {
        settings: "search.simulations = 8".to_owned(),
        ..assignment.clone()
    };
    let with_network = Assignment {
        work: Work::SelfPlay {
            network: "another".to_owned(),
        },
        ..assignment.clone()
    };
    share_chunk(&share, &assignment, "honest", 0, false);
    assert_eq!(assignment.finished(&share).unwrap().len(), 1);
    for other in [with_settings, with_network] {
        assert_eq!(other.finished(&share).unwrap(), []);
    }
    // A resumed trainer finds the same chunks.
    let mut resumed = assignment;
    resumed.skip(&(0..9).collect());
    assert_eq!(resumed.finished(&share).unwrap().len(), 1);
}

#[test]
fn when_two_disagree_the_trainer_decides() {
    let trust = Mutex::new(Trust::default());
    let (share, assignment) = (Faulty::sound(), Arc::new(assignment(1, None, 20)));
    let content = Lines::of(&assignment);
    let mut collector = Collector::new(&share, Arc::clone(&assignment), content.clone(), &trust);
    share_chunk(&share, &assignment, "honest", 0, false);
    share_chunk(&share, &assignment, LIAR, 0, true);
    assert_eq!(collector.wanted(), [0; 0]);
    assert_eq!(collector.take().unwrap(), Taken::Nothing);
    assert_eq!(collector.wanted(), [0]);
    collector.offer(0, content.items(0..3));
    assert_eq!(collector.take().unwrap(), Taken::Items(content.items(0..3)));
    let suspicions = collector.suspicions();
    let [suspicion] = &suspicions[..] else {
        panic!("{suspicions:?}");
    };
    // The first item that differs is named.
    assert!(suspicion.worker == LIAR && suspicion.reason.contains(&content.item(2)));
    let finding = Mismatch::read(&share, LIAR).unwrap().unwrap();
    assert_eq!(
        (finding.name, finding.reason),
        (suspicion.name.clone(), suspicion.reason.clone())
    );
    assert_eq!(Mismatch::read(&share, "honest").unwrap(), None);
    // A restarted trainer remembers.
    let mut later = Trust::new(1.0, 5);
    later.remember(&share).unwrap();
    assert!(later.mismatch(LIAR).is_some() && later.mismatch("honest").is_none());
}

/// Returns `true` if the trainer, repeating this fraction of chunks, detects a machine that alters
/// a bit in every tenth chunk on average, before it has taken more than a hundred of them.
fn finds_out(audits: f64, seed: u64) -> bool {
    const CHUNKS: u32 = 20;
    let trust = Mutex::new(Trust::new(audits, seed));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for generation in 1..=100 / CHUNKS {
        let share = Faulty::sound();
        let assignment = Arc::new(assignment(generation, None, 3 * CHUNKS));
        let content = Lines::of(&assignment);
        let mut collector =
            Collector::new(&share, Arc::clone(&assignment), content.clone(), &trust);
        for chunk in 0..CHUNKS {
            share_chunk(&share, &assignment, LIAR, chunk, rng.random_bool(0.1));
            if collector.take().unwrap() == Taken::Nothing {
                let [wanted] = collector.wanted()[..] else {
                    panic!("nothing is wanted, and nothing taken");
                };
                collector.offer(wanted, content.items(assignment.numbers(wanted)));
                let taken = collector.take().unwrap();
                if trust.lock().unwrap().mismatch(LIAR).is_some() {
                    let suspicion = &collector.suspicions()[0];
                    assert_eq!((suspicion.worker.as_str(), wanted), (LIAR, chunk));
                    // Chunks taken without proof in this generation are repeated.
                    let is_of_this = |name: &share::ChunkName| {
                        name.folder.starts_with(&format!("{generation:06}-")) && name.chunk < chunk
                    };
                    let again = suspicion.unproven.iter().any(is_of_this);
                    assert_eq!(taken == Taken::Again, again);
                    return true;
                }
            }
        }
    }
    false
}

#[test]
fn who_alters_a_bit_in_a_tenth_of_its_chunks_is_found_out() {
    let within_100 = |audits: f64| (0..200).filter(|&seed| finds_out(audits, seed)).count();
    // Expected: 1 - (1 - audits / 10)^100 of 200: 198.8, 126.8, 36.4.
    let found = [0.5, 0.1, 0.02].map(within_100);
    assert!(found[0] >= 197, "{found:?}");
    assert!((110..=145).contains(&found[1]), "{found:?}");
    assert!((22..=52).contains(&found[2]), "{found:?}");
}

#[test]
fn chunks_are_claimed_by_the_idle_until_they_are_finished() {
    let (share, assignment) = (Faulty::sound(), Arc::new(assignment(1, None, 9)));
    let claims = |name| Claims::new(&share, Arc::clone(&assignment), name);
    let (mut first, mut second) = (claims("first"), claims("second"));
    let mine = [
        first.next(Ready::ForUnclaimed, |_| true),
        second.next(Ready::ForAnything, |_| true),
        first.next(Ready::ForAnything, |_| true),
    ];
    let mut mine = mine.map(|chunk| chunk.unwrap().unwrap());
    let oldest = mine[0];
    share_chunk(&share, &assignment, "second", mine[1], false);
    // All are claimed: the second machine repeats the one that has waited longest, unless it is
    // still playing; the first has done all it can.
    assert_eq!(second.next(Ready::ForUnclaimed, |_| true).unwrap(), None);
    assert_eq!(
        second.next(Ready::ForAnything, |_| true).unwrap(),
        Some(oldest)
    );
    assert_eq!(first.next(Ready::ForAnything, |_| true).unwrap(), None);
    mine.sort_unstable();
    assert_eq!(mine, [0, 1, 2]);
}

/// A share in which the objects of one machine cannot be read.
#[derive(Debug)]
struct Unreadable<'a> {
    share: Faulty,
    worker: &'a str,
}

impl Share for Unreadable<'_> {
    fn place(&self) -> &str {
        self.share.place()
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        if name.contains(self.worker) {
            return Err(ObjectError {
                what: "read",
                name: name.to_owned(),
                place: self.place().to_owned(),
                reason: "permission denied".to_owned(),
            });
        }
        self.share.get(name)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        self.share.put(name, bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        self.share.list(folder)
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.share.delete(name)
    }
}

#[test]
fn the_trainer_plays_what_it_cannot_read() {
    let trust = Mutex::new(Trust::default());
    let share = Unreadable {
        share: Faulty::sound(),
        worker: "other",
    };
    let assignment = Arc::new(assignment(1, None, 9));
    let content = Lines::of(&assignment);
    for chunk in 0..3 {
        share_chunk(&share, &assignment, "other", chunk, false);
    }
    let mut collector = Collector::new(&share, Arc::clone(&assignment), content.clone(), &trust);
    for chunk in 0..3 {
        let numbers = assignment.numbers(chunk);
        assert!(collector.take().is_err());
        assert_eq!(collector.wanted(), [chunk]);
        collector.offer(chunk, content.items(numbers.clone()));
        let taken = collector.take().unwrap();
        assert_eq!(taken, Taken::Items(content.items(numbers)));
    }
    assert!(collector.is_complete());
}

/// After a restart it is unknown who played what. A chunk of the liar that was saved before, or a
/// part of it if the trainer was killed meanwhile, must not stay.
#[test]
fn a_restarted_trainer_believes_nothing_taken_before_of_a_liar() {
    let (share, whole) = (Faulty::sound(), assignment(1, None, 9));
    let content = Lines::of(&whole);
    let chunk = |number| content.items(whole.numbers(number));
    for saved in [0, 2, 3] {
        let mut rest = whole.clone();
        rest.skip(&(0..saved).collect());
        let first = rest.done.len() as u32;
        let trust = Mutex::new(Trust::new(1.0, 1));
        share_chunk(&share, &rest, LIAR, first, true);
        let mut collector =
            Collector::new(&share, Arc::new(rest), content.clone(), &trust).resumed(saved > 0);
        assert_eq!(collector.take().unwrap(), Taken::Nothing);
        collector.offer(first, chunk(first));
        let taken = collector.take().unwrap();
        assert!(trust.lock().unwrap().mismatch(LIAR).is_some());
        let expected = match saved {
            0 => Taken::Items(chunk(0)),
            _ => Taken::Again,
        };
        assert_eq!(taken, expected, "{saved} saved");
    }
}
