//! Whatever a share loses, repeats, delays or cuts off, and whoever dies: every game is taken once, in order.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod support;

use std::collections::VecDeque;

use fleet::{ChunkName, Claims, Collector, Share, Task};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use store::{Header, Record};
use support::{Faulty, GENERATION, game, header, task};

const SEEDS: u64 = 300;
const MAX_STEPS: usize = 20_000;
const GAMES: u32 = 30;

/// Somebody who plays; dead ones are replaced.
struct Worker {
    name: String,
    /// The task that it has heard of, and its claims.
    playing: Option<(&'static Task, Claims<'static>)>,
    /// A chunk that it has played and not shared yet.
    holds: Option<u32>,
}

struct Trainer {
    task: &'static Task,
    collector: Collector<'static>,
    claims: Claims<'static>,
    holds: VecDeque<u32>,
}

struct Fleet {
    share: &'static Faulty,
    header: &'static Header,
    rng: ChaCha8Rng,
    /// What is on the trainer's disk.
    taken: Vec<Record>,
}

/// What is leaked are the few documents of a schedule.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn games(task: &Task, chunk: u32) -> Vec<Record> {
    task.numbers(chunk).map(game).collect()
}

impl Fleet {
    /// A trainer that goes on with what is on the disk, and tells the others if the share lets it.
    fn trainer(&self) -> Trainer {
        let mut task = task(GAMES);
        let n_taken = self.taken.len() as u32;
        let is_taken = |chunk: &u32| task.numbers(*chunk).end <= n_taken;
        task.done = (0..task.n_chunks()).filter(is_taken).collect();
        let task: &Task = leak(task);
        let _ = task.publish(self.share);
        Trainer {
            task,
            collector: Collector::new(self.share, task, self.header),
            claims: Claims::new(self.share, task, "trainer"),
            holds: VecDeque::new(),
        }
    }

    fn step_trainer(&mut self, trainer: &mut Trainer) {
        match self.rng.random_range(0..20) {
            0 => *trainer = self.trainer(),
            1 => drop(trainer.task.publish(self.share)),
            2..8 => {
                let next = trainer.claims.next(|name| trainer.collector.counts(name));
                trainer
                    .holds
                    .extend(next.unwrap_or_else(|_| trainer.claims.next_unheard()));
            }
            8..12 => {
                if let Some(chunk) = trainer.holds.pop_front() {
                    let games = games(trainer.task, chunk);
                    let _ = trainer.task.deliver(self.share, "trainer", chunk, &games);
                    trainer.collector.offer(chunk, games);
                }
            }
            _ => {
                while let Ok(Some(games)) = trainer.collector.take() {
                    // A chunk that was cut off by the trainer's death is there in part.
                    let n_taken = self.taken.len() as u32;
                    let new = |game: &Record| game.header.id.number >= n_taken;
                    self.taken.extend(games.into_iter().filter(new));
                    if self.rng.random_bool(0.02) {
                        self.taken.pop();
                        *trainer = self.trainer();
                    }
                }
            }
        }
    }

    fn step_worker(&mut self, worker: &mut Worker) {
        let Some((task, claims)) = &mut worker.playing else {
            if let Ok(Some(task)) = Task::read(self.share) {
                let (task, name): (_, &str) = (leak(task), leak(worker.name.clone()));
                worker.playing = Some((task, Claims::new(self.share, task, name)));
            }
            return;
        };
        match (worker.holds, self.rng.random_range(0..20)) {
            (_, 0) => {
                worker.name += "x";
                (worker.playing, worker.holds) = (None, None);
            }
            (_, 1) => worker.playing = None,
            (Some(chunk), 2) => self.vandalise(task, chunk),
            (Some(chunk), _) => {
                if task
                    .deliver(self.share, &worker.name, chunk, &games(task, chunk))
                    .is_ok()
                {
                    worker.holds = None;
                }
            }
            (None, _) => worker.holds = claims.next(|_| true).ok().flatten(),
        }
    }

    /// Shares what is no chunk: bytes, games of another chunk, games of another generation.
    fn vandalise(&mut self, task: &Task, chunk: u32) {
        let mut games = games(task, (chunk + 1) % task.n_chunks());
        if self.rng.random_bool(0.5) {
            games = task.numbers(chunk).map(game).collect();
            games
                .iter_mut()
                .for_each(|game| game.header.id.generation += 1);
        }
        if self.rng.random_bool(0.7) {
            let _ = task.deliver(self.share, "vandal", chunk, &games);
            return;
        }
        let name = ChunkName {
            generation: GENERATION,
            chunk,
            hash: self.rng.random(),
            worker: "vandal".to_owned(),
        };
        let _ = self.share.put(&name.to_string(), vec![7; 99]);
    }
}

fn follow(seed: u64) {
    let mut fleet = Fleet {
        share: leak(Faulty::new(seed)),
        header: leak(header()),
        rng: ChaCha8Rng::seed_from_u64(seed),
        taken: Vec::new(),
    };
    let mut trainer = fleet.trainer();
    let mut workers: Vec<Worker> = (0..seed % 5)
        .map(|n| Worker {
            name: format!("worker{n}"),
            playing: None,
            holds: None,
        })
        .collect();
    for _ in 0..MAX_STEPS {
        if trainer.collector.is_complete() {
            let expected: Vec<Record> = (0..GAMES).map(game).collect();
            assert!(
                fleet.taken == expected,
                "seed {seed}: {} games",
                fleet.taken.len()
            );
            return;
        }
        match fleet.rng.random_range(0..=workers.len()) {
            0 => fleet.step_trainer(&mut trainer),
            n => fleet.step_worker(&mut workers[n - 1]),
        }
    }
    panic!("seed {seed}: not over after {MAX_STEPS} steps");
}

#[test]
fn every_game_is_taken_once_and_in_order() {
    (0..SEEDS).for_each(follow);
}

#[test]
fn the_trainer_plays_alone_when_nothing_answers() {
    let (share, task, header) = (Faulty::silent(), task(GAMES), header());
    let mut collector = Collector::new(&share, &task, &header);
    let mut claims = Claims::new(&share, &task, "trainer");
    let mut taken = Vec::new();
    while !collector.is_complete() {
        assert!(claims.next(|_| true).is_err());
        let chunk = claims.next_unheard().unwrap();
        collector.offer(chunk, games(&task, chunk));
        taken.extend(collector.take().unwrap().unwrap());
    }
    assert_eq!(taken.len(), GAMES as usize);
}

#[test]
fn who_plays_other_games_is_named() {
    let (share, task, header) = (Faulty::sound(), task(GAMES), header());
    let mut collector = Collector::new(&share, &task, &header);
    let honest = task.deliver(&share, "honest", 0, &games(&task, 0)).unwrap();
    let mut altered = games(&task, 0);
    altered[1].plies.pop();
    task.deliver(&share, "liar", 0, &altered).unwrap();
    // Two copies that differ: neither is believed.
    assert_eq!(collector.take().unwrap(), None);
    assert!(!collector.counts(&honest));
    assert_eq!(collector.suspicions().len(), 2);
    // The trainer's own games decide.
    collector.offer(0, games(&task, 0));
    assert_eq!(collector.take().unwrap(), Some(games(&task, 0)));
    let suspicions = collector.suspicions();
    let workers: Vec<&str> = suspicions.iter().map(|s| s.worker.as_str()).collect();
    assert_eq!(workers, ["liar"]);
}

#[test]
fn chunks_are_claimed_by_the_idle_until_they_are_finished() {
    let (share, task) = (Faulty::sound(), task(12));
    let mut first = Claims::new(&share, &task, "first");
    let mut second = Claims::new(&share, &task, "second");
    let mine = [
        first.next(|_| true),
        second.next(|_| true),
        first.next(|_| true),
    ];
    let mut mine = mine.map(|chunk| chunk.unwrap().unwrap());
    let oldest = mine[0];
    task.deliver(&share, "second", mine[1], &games(&task, mine[1]))
        .unwrap();
    // All are claimed: the second repeats what has been waited for longest, the first has done all it can.
    assert_eq!(second.next(|_| true).unwrap(), Some(oldest));
    assert_eq!(first.next(|_| true).unwrap(), None);
    mine.sort_unstable();
    assert_eq!(mine, [0, 1, 2]);
}
