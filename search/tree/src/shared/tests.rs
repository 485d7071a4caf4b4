//! Many workers and a device driven by the test, so that nothing depends on timing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rules::{Position, Variant};
use types::Wdl;

use super::*;

/// Replies with numbers derived from the request alone; records the largest batch and the total
/// number of requests.
#[derive(Clone, Default)]
struct Figures {
    largest: Arc<AtomicUsize>,
    total: Arc<AtomicUsize>,
}

impl Evaluator for Figures {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        self.largest.fetch_max(batch.len(), Ordering::Relaxed);
        self.total.fetch_add(batch.len(), Ordering::Relaxed);
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let seen = request.repetitions as f32;
            *reply.value = Wdl {
                win: seen,
                ..Wdl::DRAW
            };
            for (logit, move_index) in reply.logits.iter_mut().zip(0u8..) {
                *logit = seen + f32::from(move_index) / 100.0;
            }
        }
        Ok(())
    }
}

fn ask(evaluator: &mut impl Evaluator, seed: u32) -> Result<Batch, EvaluatorError> {
    let mut batch = Batch::new();
    for variant in Variant::ALL {
        let start = Position::start(variant);
        let repetitions = seed * 10 + variant.index() as u32;
        batch.push(&start, repetitions, &start.legal_moves());
    }
    evaluator.evaluate(&mut batch)?;
    Ok(batch)
}

#[test]
fn everyone_gets_the_answers_to_what_they_asked() {
    // Some workers finish early.
    let n_rounds = [50, 3, 50, 20, 0, 35];
    for n_evaluators in [1, 2] {
        let figures = Figures::default();
        let shared = SharedEvaluator::start(vec![figures.clone(); n_evaluators], 20).unwrap();
        thread::scope(|scope| {
            for (worker, n_rounds) in n_rounds.into_iter().enumerate() {
                let mut shared = shared.clone();
                scope.spawn(move || {
                    for round in 0..n_rounds {
                        let seed = worker as u32 * 100 + round;
                        let batch = ask(&mut shared, seed).unwrap();
                        let expected = ask(&mut Figures::default(), seed).unwrap();
                        for index in 0..batch.len() {
                            assert_eq!(batch.wdl(index), expected.wdl(index));
                            assert_eq!(batch.logits(index), expected.logits(index));
                        }
                    }
                });
            }
        });
        let n_asked = n_rounds.iter().sum::<u32>() as usize * Variant::ALL.len();
        assert_eq!(figures.total.load(Ordering::Relaxed), n_asked);
        assert!(figures.largest.load(Ordering::Relaxed) <= 20);
    }
}

#[test]
fn a_failure_reaches_the_worker_in_words() {
    struct Broken;
    impl Evaluator for Broken {
        fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
            Err(EvaluatorError::Failed("out of memory".into()))
        }
    }
    let mut shared = SharedEvaluator::start(vec![Broken], 8).unwrap();
    let error = ask(&mut shared, 1).err().unwrap().to_string();
    assert!(error.contains("out of memory"), "{error}");
}

#[test]
fn a_thread_that_is_gone_is_a_failure_and_not_a_hang() {
    struct Panics;
    impl Evaluator for Panics {
        fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
            panic!("as a device driver might");
        }
    }
    let mut shared = SharedEvaluator::start(vec![Panics], 8).unwrap();
    for _ in 0..2 {
        let error = ask(&mut shared, 1).err().unwrap().to_string();
        assert!(error.contains("stopped unexpectedly"), "{error}");
    }
}

/// A device that reports each batch it starts and ends it as instructed.
struct Device {
    name: usize,
    begun: mpsc::Sender<Begun>,
    ending: mpsc::Receiver<Ending>,
}

#[derive(Debug, PartialEq)]
struct Begun {
    device: usize,
    n_positions: usize,
}

enum Ending {
    Answers,
    Fails,
    Dies,
}

impl Evaluator for Device {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let begun = Begun {
            device: self.name,
            n_positions: batch.len(),
        };
        self.begun.send(begun).unwrap();
        match self.ending.recv().unwrap() {
            Ending::Answers => Figures::default().evaluate(batch),
            Ending::Fails => Err(EvaluatorError::Failed("out of memory".into())),
            Ending::Dies => panic!("as a device driver might"),
        }
    }
}

/// Devices that share the orders, with the channels that drive them.
struct Simulation {
    shared: SharedEvaluator,
    begun: mpsc::Receiver<Begun>,
    endings: Vec<mpsc::Sender<Ending>>,
}

/// A pending answer to an order for these repetitions.
struct Ticket {
    asked: Vec<u32>,
    ordered: Ordered,
}

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(20);

impl Simulation {
    fn start(n_devices: usize, max_positions: usize) -> Self {
        let (begin, begun) = mpsc::channel();
        let (devices, endings) = (0..n_devices)
            .map(|name| {
                let (end, ending) = mpsc::channel();
                let begun = begin.clone();
                (
                    Device {
                        name,
                        begun,
                        ending,
                    },
                    end,
                )
            })
            .unzip::<_, _, Vec<_>, _>();
        Self {
            shared: SharedEvaluator::start(devices, max_positions).unwrap(),
            begun,
            endings,
        }
    }

    /// Submits as a worker does, without waiting for the answer.
    fn ask(&self, asked: &[u32]) -> Ticket {
        let start = Position::start(Variant::English);
        let mut batch = Batch::new();
        for &repetitions in asked {
            batch.push(&start, repetitions, &start.legal_moves());
        }
        Ticket {
            asked: asked.to_vec(),
            ordered: self.shared.order(batch).unwrap(),
        }
    }

    fn next(&self) -> Begun {
        self.begun.recv_timeout(PATIENCE).expect("a device is free")
    }

    fn end(&self, begun: &Begun, ending: Ending) {
        self.endings[begun.device].send(ending).unwrap();
    }
}

impl Ticket {
    fn expect_answers(self) {
        let batch = self.ordered.wait(PATIENCE).expect("in time").unwrap();
        let found: Vec<_> = (0..batch.len()).map(|index| batch.wdl(index).win).collect();
        let expected: Vec<_> = self.asked.iter().map(|&asked| asked as f32).collect();
        assert_eq!(found, expected);
    }

    fn expect_failure(self, expected: &str) {
        let answer = self.ordered.wait(PATIENCE).expect("in time");
        let message = answer.err().expect("a failure").to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn what_gathers_while_a_device_computes_is_computed_together() {
    let simulation = Simulation::start(1, 5);
    let alone = simulation.ask(&[1]);
    let begun = simulation.next();
    assert_eq!(begun.n_positions, 1);
    let together = [simulation.ask(&[2, 3]), simulation.ask(&[4, 5])];
    let too_many = simulation.ask(&[6, 7]);
    let behind = simulation.ask(&[8]);
    simulation.end(&begun, Ending::Answers);
    alone.expect_answers();
    let begun = simulation.next();
    assert_eq!(begun.n_positions, 4);
    simulation.end(&begun, Ending::Answers);
    together.into_iter().for_each(Ticket::expect_answers);
    let begun = simulation.next();
    assert_eq!(begun.n_positions, 3);
    simulation.end(&begun, Ending::Answers);
    too_many.expect_answers();
    behind.expect_answers();
}

/// The number of orders that an evaluator (one of `n_evaluators`) takes if it may wait for an hour,
/// when `before` of `n_workers` workers have submitted and possibly another one does so a little
/// `later`.
fn taken(n_evaluators: usize, n_workers: usize, before: usize, later: bool) -> usize {
    let (orders, receiver) = mpsc::channel();
    let mut waiting = Waiting {
        orders: receiver,
        left_over: None,
        workers: Arc::new(n_workers.into()),
        n_evaluators,
    };
    let order = || Order {
        batch: Batch::new(),
        answer: mpsc::sync_channel(1).0,
    };
    (0..before).for_each(|_| orders.send(order()).unwrap());
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut taken = Vec::new();
        assert!(waiting.gather(100, Duration::from_secs(3600), &mut taken));
        tell.send(taken.len()).unwrap();
    });
    if later {
        thread::sleep(Duration::from_millis(30));
        orders.send(order()).unwrap();
    }
    told.recv_timeout(PATIENCE).expect("it waits for too many")
}

#[test]
fn an_evaluator_waits_for_its_share_of_the_workers() {
    assert_eq!(taken(1, 3, 2, true), 3);
    assert_eq!(taken(2, 6, 2, true), 3);
    assert_eq!(taken(2, 4, 2, false), 2);
    assert_eq!(taken(2, 1, 1, false), 1);
}

#[test]
fn workers_are_those_who_have_asked_and_are_still_there() {
    let shared = SharedEvaluator::start(vec![Figures::default()], 8).unwrap();
    let workers = || shared.workers.load(Ordering::Relaxed);
    let mut first = shared.clone();
    assert_eq!(workers(), 0);
    ask(&mut first, 1).unwrap();
    ask(&mut first, 2).unwrap();
    let mut second = first.clone();
    assert_eq!(workers(), 1);
    ask(&mut second, 1).unwrap();
    assert_eq!(workers(), 2);
    drop(first);
    assert_eq!(workers(), 1);
}

#[test]
fn one_evaluator_computes_while_the_other_copies_answers_back() {
    let simulation = Simulation::start(2, 8);
    let slow = simulation.ask(&[1]);
    let copying = simulation.next();
    for round in 2..5 {
        let quick = simulation.ask(&[round]);
        let computing = simulation.next();
        assert_ne!(computing.device, copying.device);
        let waiting = simulation.ask(&[10 * round]);
        assert!(simulation.begun.try_recv().is_err(), "both are busy");
        simulation.end(&computing, Ending::Answers);
        quick.expect_answers();
        assert_eq!(simulation.next(), computing);
        simulation.end(&computing, Ending::Answers);
        waiting.expect_answers();
    }
    simulation.end(&copying, Ending::Answers);
    slow.expect_answers();
}

#[test]
fn a_failure_reaches_everyone_who_asked_and_nobody_else() {
    let simulation = Simulation::start(1, 8);
    let before = simulation.ask(&[1]);
    let begun = simulation.next();
    let together = [simulation.ask(&[2]), simulation.ask(&[3, 4])];
    simulation.end(&begun, Ending::Answers);
    before.expect_answers();
    let begun = simulation.next();
    assert_eq!(begun.n_positions, 3);
    simulation.end(&begun, Ending::Fails);
    for ticket in together {
        ticket.expect_failure("out of memory");
    }
    let after = simulation.ask(&[5]);
    simulation.end(&simulation.next(), Ending::Answers);
    after.expect_answers();
}

#[test]
fn a_device_that_dies_takes_only_what_it_held() {
    let simulation = Simulation::start(2, 8);
    let lost = simulation.ask(&[1]);
    let dying = simulation.next();
    let kept = simulation.ask(&[2]);
    let other = simulation.next();
    simulation.end(&dying, Ending::Dies);
    lost.expect_failure("stopped unexpectedly");
    simulation.end(&other, Ending::Answers);
    kept.expect_answers();
    let after = simulation.ask(&[3]);
    assert_eq!(simulation.next().device, other.device);
    simulation.end(&other, Ending::Answers);
    after.expect_answers();
}

#[test]
fn workers_that_leave_stall_nobody() {
    let simulation = Simulation::start(1, 8);
    drop(simulation.ask(&[1]));
    let begun = simulation.next();
    drop(simulation.ask(&[2, 3]));
    let stays = simulation.ask(&[4]);
    simulation.end(&begun, Ending::Answers);
    let begun = simulation.next();
    assert_eq!(begun.n_positions, 3);
    simulation.end(&begun, Ending::Answers);
    stays.expect_answers();
    let Simulation { shared, begun, .. } = simulation;
    drop(shared);
    let disconnected = Err(mpsc::RecvTimeoutError::Disconnected);
    assert_eq!(
        begun.recv_timeout(PATIENCE),
        disconnected,
        "the thread has ended"
    );
}
