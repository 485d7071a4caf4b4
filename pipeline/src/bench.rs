//! How fast this machine is at each part of the work.

mod figures;
mod pace;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::TREE_MEMORY;
use model::cpu::peak_flops;
use model::{InstructionSet, ModelConfig, ModelWeights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant, perft};
use search::{Batch, Cached, Crew, Evaluator, EvaluatorError, Search, Uniform, search_all};
use selfplay::{Job, SelfplayStats};
use store::{GameId, Header, ReplayWindow};
use trainer::{Compute, Trainer};

use crate::config::RunConfig;
use crate::evaluators::{CACHE_MEMORY, Evaluators, InferenceNetwork};
use crate::models::ModelSource;
use crate::settings;
use crate::{PipelineError, Result};

pub use figures::{BenchReport, Figure, Part};
pub use pace::{Pace, Pacer};

/// Self-play games for each game that is played at the same time.
const GAMES_TO_PLAY_A_PLACE: usize = 8;
/// How long a round of evaluations takes: the best of many counts, or rounds of different work take turns, so that other
/// load on the machine hardly matters.
const ROUND: Duration = Duration::from_millis(100);

/// What all measurements need.
pub struct Bench {
    /// The game.
    pub variant: Variant,
    /// What is measured: network, search, batches.
    pub config: RunConfig,
    /// Threads where all are meant.
    pub threads: usize,
    shape: ModelConfig,
    weights: ModelWeights,
    compute: Compute,
    /// How long each measurement takes.
    time: Duration,
    /// Games to learn from, once some have been played.
    window: Option<ReplayWindow>,
    /// What was measured so far.
    pub figures: Vec<Figure>,
}

impl Bench {
    /// Measures for `time` each.
    ///
    /// # Errors
    /// When this build lacks the device.
    pub fn new(variant: Variant, config: RunConfig, time: Duration) -> Result<Self> {
        let shape = config.model.shape(variant)?;
        Ok(Self {
            variant,
            threads: settings::threads(config.threads),
            compute: Compute::named(&config.device)?,
            weights: ModelWeights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(config.seed)),
            shape,
            time,
            window: None,
            config,
            figures: Vec::new(),
        })
    }

    fn evaluators(&self, threads: usize, batch_size: usize) -> Result<Evaluators> {
        let network = InferenceNetwork {
            variant: self.variant,
            config: &self.shape,
            weights: &self.weights,
            precision: self.config.model.precision,
        };
        Evaluators::new(network, &self.compute, threads, batch_size)
    }

    fn add(&mut self, part: &'static str, what: &str, value: f64, unit: &'static str) {
        self.figures.push(Figure {
            part,
            what: what.to_owned(),
            value,
            unit,
        });
    }

    /// Repeats `work`, which says how much it has done, and returns the rate of the best round. The
    /// first one, in which a device makes its programs, does not count.
    fn best_rate(&self, mut work: impl FnMut() -> u64) -> f64 {
        work();
        let started = Instant::now();
        let mut best: f64 = 0.0;
        while best == 0.0 || started.elapsed() < self.time {
            let round = Instant::now();
            let done = work() as f64;
            best = best.max(done / round.elapsed().as_secs_f64().max(1e-9));
        }
        best
    }

    /// Measures a part of the work, and returns the new figures.
    ///
    /// # Errors
    /// When the network cannot be computed, or does not learn.
    pub fn measure(&mut self, part: Part) -> Result<&[Figure]> {
        let first = self.figures.len();
        match part {
            Part::Rules => self.rules(),
            Part::Search => self.search()?,
            Part::Inference => self.inference()?,
            Part::Engine => self.engine()?,
            Part::Selfplay => self.selfplay()?,
            Part::Training => self.training()?,
        }
        Ok(&self.figures[first..])
    }

    /// What was measured so far.
    #[must_use]
    pub fn report(&self) -> BenchReport<'_> {
        let instructions = InstructionSet::best();
        BenchReport {
            variant: self.variant.name(),
            preset: &self.config.model.preset,
            threads: self.threads,
            precision: self.config.model.precision.by(instructions),
            instructions: instructions.name(),
            figures: &self.figures,
        }
    }

    /// Move generation on one thread.
    fn rules(&mut self) {
        let start = Position::start(self.variant);
        let depth = (1..)
            .find(|&depth| perft(&start, depth) > 500_000)
            .unwrap_or(6);
        let rate = self.best_rate(|| black_box(perft(&start, depth)));
        self.add("rules", &format!("perft {depth}"), rate / 1e6, "M leaves/s");
    }

    /// Tree search without a network on one thread.
    ///
    /// # Errors
    /// None that is expected.
    fn search(&mut self) -> Result<()> {
        let simulations = self.config.search.simulations;
        let config = settings::search(&self.config.search);
        let game = Game::new(Position::start(self.variant));
        let mut searches: Vec<Search> = (0..self.config.selfplay.concurrent_games)
            .map(|_| Search::new(config, Search::memory_for(simulations)))
            .collect();
        let (mut rng, mut batch) = (ChaCha8Rng::seed_from_u64(1), Batch::new());
        let mut failure = None;
        let rate = self.best_rate(|| {
            for search in &mut searches {
                search.begin(&game, simulations, &mut rng);
            }
            failure = search_all(&mut searches, &mut Uniform, &mut batch).err();
            u64::from(simulations) * searches.len() as u64
        });
        failure.map_or(Ok(()), Err)?;
        self.add("search", "simulations without a network", rate / 1e6, "M/s");
        Ok(())
    }

    /// The network on one thread and on all, or on the device.
    ///
    /// # Errors
    /// When the network cannot be computed.
    fn inference(&mut self) -> Result<()> {
        let flops = self.shape.flops() as f64;
        match self.compute {
            Compute::Cpu => {
                let rate = self.evaluations(1)?;
                let peak =
                    self.best_rate(|| peak_flops(InstructionSet::best(), 10_000_000_000) as u64);
                self.add("inference", "evaluations, one thread", rate / 1e3, "k/s");
                let (what, work) = ("floating-point work, one thread", rate * flops / 1e9);
                self.add("inference", what, work, "GFLOP/s");
                let what = "of this core's peak in 32 bits";
                self.add("inference", what, 100.0 * rate * flops / peak, "%");
                if self.threads > 1 {
                    let rate = self.evaluations(self.threads)?;
                    let what = format!("evaluations, {} threads", self.threads);
                    self.add("inference", &what, rate / 1e3, "k/s");
                }
            }
            Compute::Device(_) => {
                let rate = self.evaluations(self.threads)?;
                self.add("inference", "evaluations on the device", rate / 1e3, "k/s");
                let what = "floating-point work";
                self.add("inference", what, rate * flops / 1e9, "GFLOP/s");
            }
        }
        Ok(())
    }

    /// Evaluations a second, when as many threads ask as self-play has with `threads`, each with batches of
    /// its own.
    fn evaluations(&self, threads: usize) -> Result<f64> {
        let evaluators = self.evaluators(threads, self.config.selfplay.concurrent_games)?;
        let mut askers = self.askers(&evaluators, threads);
        let mut failure = None;
        let rate = self.best_rate(|| {
            askers.ask().unwrap_or_else(|error| {
                failure = Some(error);
                1
            })
        });
        failure.map_or(Ok(rate), |error| Err(error.into()))
    }

    /// As many as self-play has with `threads`, each with a batch of its own.
    fn askers(&self, evaluators: &Evaluators, threads: usize) -> Askers {
        let askers = 0..evaluators.askers(threads);
        Askers(
            askers
                .map(|_| (evaluators.uncached(), self.positions()))
                .collect(),
        )
    }

    /// As many positions as a thread of self-play asks about.
    fn positions(&self) -> Batch {
        let mut batch = Batch::new();
        let mut position = Position::start(self.variant);
        for ply in 0..self.config.selfplay.concurrent_games {
            let moves = position.legal_moves();
            batch.push(&position, 0, &moves);
            position = position.play(moves[ply % moves.len()]);
            if position.outcome().is_some() {
                position = Position::start(self.variant);
            }
        }
        batch
    }

    /// One position, the start, on one thread and on all: a tree of 20,000 simulations built again and again,
    /// and one that grows all the time, in turns with the inference that its new positions are compared with: how fast
    /// a machine is may change by a third from one second to the next. The bundled network thinks, or an untrained one
    /// where there is none.
    ///
    /// # Errors
    /// When the network cannot be computed.
    fn engine(&mut self) -> Result<()> {
        const SMALL: u32 = 20_000;
        let play = settings::play(&self.config, u32::MAX);
        let game = Game::new(Position::start(self.variant));
        let mut search = Search::new(play.many, TREE_MEMORY);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for threads in BTreeSet::from([1, self.threads]) {
            let network = self.bundled_evaluators()?;
            let mut failure = None;
            let rate = self.best_rate(|| {
                search.begin(&game, SMALL, &mut rng);
                let done = crew(&network, threads, &Arc::default())
                    .and_then(|mut crew| crew.search(&mut search, &|_| false));
                failure = done.err();
                SMALL.into()
            });
            failure.map_or(Ok(()), Err)?;
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
                crew.search(&mut search, &|_| started.elapsed() >= ROUND)?;
                thought += started.elapsed();
                let started = Instant::now();
                answered += askers.ask()?;
                asked += started.elapsed();
            }
            let new = new.load(Ordering::Relaxed) as f64 / thought.as_secs_f64();
            let inference = answered as f64 / asked.as_secs_f64();
            let simulations = search.simulations() as f64 / thought.as_secs_f64();
            let what = format!("simulations, {of}");
            self.add("engine", &what, simulations / 1e3, "k/s");
            let what = format!("new positions evaluated, {of}");
            self.add("engine", &what, new / 1e3, "k/s");
            let what = format!("of what inference makes, {of}");
            self.add("engine", &what, 100.0 * new / inference, "%");
        }
        Ok(())
    }

    /// Evaluators of the game's bundled network, if it has one.
    fn bundled_evaluators(&self) -> Result<Evaluators> {
        let Ok(loaded) = ModelSource::Bundled(Some(self.variant)).load() else {
            return self.evaluators(1, 1);
        };
        let precision = self.config.model.precision;
        let network = InferenceNetwork::new(&loaded.model, precision);
        Evaluators::new(network, &Compute::Cpu, 1, 1)
    }

    /// Plays a few games for each place at the workers' tables, a generation at most; the window gets them. The last figure
    /// is the share of evaluations that were remembered.
    fn play(&self, window: &mut ReplayWindow) -> Result<(SelfplayStats, Duration, f64)> {
        let config = settings::selfplay(&self.config);
        let mut evaluators = self
            .evaluators(self.threads, config.concurrent_games)?
            .all(self.threads);
        let header = Header {
            variant: self.variant,
            rules_version: self.variant.rules_version(),
            seed: self.config.seed,
            id: GameId {
                generation: 1,
                number: 0,
            },
            network: "untrained".to_owned(),
            config_hash: 0,
        };
        let n_games = (GAMES_TO_PLAY_A_PLACE * self.threads * config.concurrent_games) as u32;
        let n_games = n_games.min(self.config.selfplay.games_per_generation);
        let numbers: Vec<u32> = (0..n_games).collect();
        let job = Job {
            config: &config,
            header: &header,
            numbers: &numbers,
            starts: &[],
            prover: None,
            adjudicator: None,
        };
        let started = Instant::now();
        let never = AtomicBool::new(false);
        let stats = selfplay::play_games(&job, &mut evaluators, &never, |record, _| {
            window.push(&record);
            Ok(())
        })?;
        let elapsed = started.elapsed();
        let hit_rates = evaluators.iter().map(Cached::hit_rate);
        let hit_rate = hit_rates.sum::<f64>() / evaluators.len() as f64;
        Ok((stats, elapsed, hit_rate))
    }

    /// Games on all threads.
    ///
    /// # Errors
    /// When the network cannot be computed.
    fn selfplay(&mut self) -> Result<()> {
        let mut window = ReplayWindow::new(self.config.window.clone());
        let (stats, elapsed, hit_rate) = self.play(&mut window)?;
        let seconds = elapsed.as_secs_f64();
        self.add("selfplay", "games", stats.games as f64 / seconds, "/s");
        self.add(
            "selfplay",
            "positions",
            stats.plies as f64 / seconds / 1e3,
            "k/s",
        );
        self.add(
            "selfplay",
            "evaluations",
            stats.evaluations as f64 / seconds / 1e3,
            "k/s",
        );
        self.add(
            "selfplay",
            "of the evaluations remembered",
            100.0 * hit_rate,
            "%",
        );
        self.add(
            "selfplay",
            "of the time in the network",
            100.0 * stats.evaluator_share(),
            "%",
        );
        self.window = Some(window);
        Ok(())
    }

    /// Optimiser steps on all threads.
    ///
    /// # Errors
    /// When training fails.
    fn training(&mut self) -> Result<()> {
        let window = match self.window.take() {
            Some(window) => window,
            None => {
                let mut window = ReplayWindow::new(self.config.window.clone());
                self.play(&mut window)?;
                window
            }
        };
        let rate = self.learnt_a_second(&window)?;
        let batch_size = self.config.train.batch_size as f64;
        self.add("training", "samples", rate / 1e3, "k/s");
        self.add("training", "step", 1e3 * batch_size / rate, "ms");
        Ok(())
    }

    /// Samples that optimiser steps on all threads learn from in a second.
    fn learnt_a_second(&self, window: &ReplayWindow) -> Result<f64> {
        let (train, seed) = (self.config.train.clone(), self.config.seed);
        let n_horizons = self.config.window.horizons.len();
        let compute = Compute::named(train.device_beside(&self.config.device))?;
        let mut trainer = Trainer::new(&self.shape, train, n_horizons, seed, &compute)?;
        let mut failure = None;
        let batch_size = self.config.train.batch_size as u64;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| PipelineError::Threads {
                source: error.into(),
            })?;
        let rate = pool.install(|| {
            self.best_rate(|| {
                // A device makes its steps later: they are done when it says what they did.
                let mut n_samples = 0;
                loop {
                    n_samples += batch_size;
                    match trainer.step(window, seed) {
                        Ok(None) => {}
                        Ok(Some(_)) => return n_samples,
                        Err(error) => {
                            failure = Some(error);
                            return n_samples;
                        }
                    }
                }
            })
        });
        failure.map_or(Ok(rate), |error| Err(error.into()))
    }
}

/// An evaluator that counts what it is asked.
struct Counted(Box<dyn Evaluator + Send>, Arc<AtomicU64>);

impl Evaluator for Counted {
    fn evaluate(&mut self, batch: &mut Batch) -> std::result::Result<(), EvaluatorError> {
        self.1.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.0.evaluate(batch)
    }
}

/// So many threads that search one position, and count the positions that are new to them.
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

/// Evaluators, each of which is asked by a thread of its own.
struct Askers(Vec<(Box<dyn Evaluator + Send>, Batch)>);

impl Askers {
    /// Asks about the same positions for the time of a round, and returns how many answers came.
    fn ask(&mut self) -> std::result::Result<u64, EvaluatorError> {
        thread::scope(|scope| {
            let askers: Vec<_> = self
                .0
                .iter_mut()
                .map(|(evaluator, batch)| scope.spawn(|| ask(evaluator, batch)))
                .collect();
            let done = askers.into_iter().map(|asker| {
                let done = asker.join();
                done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            done.sum()
        })
    }
}

/// Asks about the same positions for the time of a round, and returns how many answers came.
fn ask(
    evaluator: &mut impl Evaluator,
    batch: &mut Batch,
) -> std::result::Result<u64, EvaluatorError> {
    let (started, mut done) = (Instant::now(), 0);
    while done == 0 || started.elapsed() < ROUND {
        evaluator.evaluate(batch)?;
        done += batch.len() as u64;
    }
    Ok(done)
}
