//! Many machines on a slow share: the fraction of their time spent on games that count.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use share::{
    Assignment, Claims, Listed, ObjectError, Objects, Ready, Share, Work, games_of_a_part,
};
use store::RunId;

/// Latency of each call in milliseconds.
const LATENCY: u64 = 50;

thread_local! {
    /// Milliseconds since the start, on the clock of the machine whose turn it is.
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// A share with slow calls, on a simulated clock.
#[derive(Debug)]
struct Slow {
    objects: Objects,
    written: Mutex<BTreeMap<String, SystemTime>>,
}

impl Slow {
    fn wait() -> SystemTime {
        let now = NOW.get() + LATENCY;
        NOW.set(now);
        SystemTime::UNIX_EPOCH + Duration::from_millis(now)
    }
}

impl Share for Slow {
    fn place(&self) -> &str {
        "memory"
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        Slow::wait();
        self.objects.get(name)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let now = Slow::wait();
        self.written.lock().unwrap().insert(name.to_owned(), now);
        self.objects.put(name, bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        Slow::wait();
        let mut listed = self.objects.list(folder)?;
        let written = self.written.lock().unwrap();
        for object in &mut listed {
            object.modified = written[&object.name];
        }
        Ok(listed)
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.objects.delete(name)
    }
}

/// Fraction of the machines' time in which they play games that are taken in the end. Together they
/// could play the generation in a minute; the slowest runs at half the usual speed, the fastest at
/// twice. Machines do not play during calls.
fn busy(machines: u32, total: u32, part: u32) -> f64 {
    let share = Slow {
        objects: Objects::in_memory().unwrap(),
        written: Mutex::default(),
    };
    let assignment = Arc::new(Assignment {
        run: RunId(1),
        generation: 1,
        work: Work::SelfPlay {
            network: String::new(),
        },
        total,
        chunk: part,
        done: Vec::new(),
        settings: String::new(),
        is_over: false,
    });
    let speeds = (0..machines).map(|machine| {
        let way = 2.0 * f64::from(machine) / f64::from(machines - 1) - 1.0;
        way.exp2()
    });
    let speeds: Vec<f64> = speeds.collect();
    let pace = f64::from(total) / speeds.iter().sum::<f64>() / 60_000.0;
    let mut claims: Vec<Claims<'_>> = (0..machines)
        .map(|machine| {
            Claims::new(
                &share,
                Arc::clone(&assignment),
                &format!("worker-{machine}"),
            )
        })
        .collect();
    // The machines by the time of their next turn, with the games they have played.
    let mut turns: BinaryHeap<_> = (0..machines)
        .map(|machine| Reverse((0_u64, machine, None)))
        .collect();
    let (mut finished, mut useful) = (BTreeSet::new(), 0.0);
    while let Some(Reverse((now, machine, played))) = turns.pop() {
        NOW.set(now);
        let duration = |chunk| {
            let games = assignment.numbers(chunk).len() as f64;
            games / pace / speeds[machine as usize]
        };
        if let Some(chunk) = played {
            let name = format!("worker-{machine}");
            assignment.deliver(&share, &name, chunk, vec![1]).unwrap();
            if finished.insert(chunk) {
                useful += duration(chunk);
            }
            if finished.len() == assignment.n_chunks() as usize {
                break;
            }
        }
        let chunk = claims[machine as usize]
            .next(Ready::ForAnything, |_| true)
            .unwrap();
        let time = chunk.map_or(1000.0, duration);
        turns.push(Reverse((NOW.get() + time as u64, machine, chunk)));
    }
    useful / (f64::from(machines) * NOW.get() as f64)
}

#[test]
fn machines_are_busy() {
    for (machines, total) in [(2, 1000), (8, 2000), (50, 20_000), (200, 80_000)] {
        let share = busy(machines, total, games_of_a_part(total));
        assert!(
            share > 0.9,
            "{machines} machines, {total} games: {share:.3}"
        );
    }
    // With fewer parts, all wait for the slow machines.
    assert!(busy(50, 20_000, 20_000 / 64) < 0.7);
}
