//! Benchmark of a long search of one position.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{SearchPlayerConfig, TREE_MEMORY};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position};
use search::{Batch, Cached, Crew, Evaluator, EvaluatorError, Search, Uniform};
use trainer::Compute;

use super::Bench;
use engine::defaults::CACHE_MEMORY;

use crate::Result;
use roster::ModelSource;
use run::evaluators::Evaluators;

/// Duration of the search before it is inference's turn: after only 0.1 s inference is slower,
/// because its tree has left the caches.
const TURN: Duration = Duration::from_millis(500);

impl Bench {
    /// Searches the initial position, on one thread and on all. The memory has been used before, as
    /// from the second move of a game on. One search rebuilds a tree of 20,000 simulations again
    /// and again, another lets its tree grow. The latter alternates with the inference that its new
    /// positions are compared with, because the speed of a machine may change by a third within
    /// seconds. Uses the bundled network, or an untrained one if the game has none.
    ///
    /// # Errors
    /// If the network cannot be computed.
    pub(super) fn engine(&mut self) -> Result<()> {
        const SMALL: u32 = 20_000;
        /// Simulations that fill the tree's memory.
        const FILL: u32 = 1_000_000;
        let play = SearchPlayerConfig::new(self.config.search.without_noise(), u32::MAX);
        let game = Game::new(Position::start(self.variant));
        let mut search = Search::new(play.many, TREE_MEMORY);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // Only the first search of a game waits for the operating system to allocate its memory.
        search.begin(&game, FILL, &mut rng);
        Crew::new(Uniform).search(&mut search, &|_| false)?;
        for threads in BTreeSet::from([1, self.threads]) {
            let network = self.bundled_evaluators()?;
            let rate = self.best_rate(|| {
                search.begin(&game, SMALL, &mut rng);
                crew(&network, threads, &Arc::default())?.search(&mut search, &|_| false)?;
                Ok::<_, EvaluatorError>(SMALL.into())
            })?;
            let of = match threads {
                1 => "one thread".to_owned(),
                threads => format!("{threads} threads"),
            };
            let what = format!("20,000 simulations, {of}");
            self.add("engine", &what, rate / 1e3, "k/s");
            let new = Arc::new(AtomicU64::new(0));
            let mut crew = crew(&network, threads, &new)?;
            let mut askers = self.askers(&network, threads);
            search.begin(&game, u32::MAX, &mut rng);
            let (mut thought, mut asked, mut answered) = (Duration::ZERO, Duration::ZERO, 0);
            while thought < self.time {
                let started = Instant::now();
                crew.search(&mut search, &|_| started.elapsed() >= TURN)?;
                thought += started.elapsed();
                while asked < thought {
                    let started = Instant::now();
                    answered += askers.ask()?;
                    asked += started.elapsed();
                }
            }
            let new = new.load(Ordering::Relaxed) as f64 / thought.as_secs_f64();
            let inference = answered as f64 / asked.as_secs_f64();
            let simulations = search.simulations() as f64 / thought.as_secs_f64();
            let what = format!("simulations, {of}");
            self.add("engine", &what, simulations / 1e3, "k/s");
            let what = format!("new positions evaluated, {of}");
            self.add("engine", &what, new / 1e3, "k/s");
            let what = format!("of the rate of inference alone, {of}");
            self.add("engine", &what, 100.0 * new / inference, "%");
        }
        Ok(())
    }

    /// Evaluators of the game's bundled network, if it has one.
    fn bundled_evaluators(&self) -> Result<Evaluators> {
        let precision = self.config.model.precision;
        let Ok(loaded) = ModelSource::Bundled(Some(self.variant)).load() else {
            return self.evaluators(precision, 1, 1);
        };
        Evaluators::new(&loaded.model, precision, &Compute::Cpu, 1, 1)
    }
}

/// An evaluator that counts the requested positions.
struct Counted(Box<dyn Evaluator + Send>, Arc<AtomicU64>);

impl Evaluator for Counted {
    fn evaluate(&mut self, batch: &mut Batch) -> std::result::Result<(), EvaluatorError> {
        self.1.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.0.evaluate(batch)
    }
}

/// Threads that search one position, and a counter of the positions new to them.
fn crew(
    network: &Evaluators,
    threads: usize,
    new: &Arc<AtomicU64>,
) -> std::result::Result<Crew<Cached<Counted>>, EvaluatorError> {
    let evaluator = || {
        let counted = Counted(network.uncached(), Arc::clone(new));
        Cached::new(counted, CACHE_MEMORY)
    };
    Crew::new(evaluator()).with_helpers((1..threads).map(|_| evaluator()))
}
