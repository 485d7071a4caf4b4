//! Benchmarks of this machine, one for each part of the work.

mod devices;
mod engine;
mod figures;
mod inference;
mod pace;
mod score;

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use model::device::DeviceWork;
use model::{InstructionSet, Model, ModelMeta, ModelWeights, Precision};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant, perft};
use search::{Batch, Cached, EvaluatorError, Search, Uniform, search_all};
use selfplay::{Job, SelfplayStats};
use store::{EndgameSamples, Header, ReplayWindow};
use trainer::{Compute, TrainError, Trainer};

use crate::Result;
use run::config;
use run::config::RunConfig;
use run::evaluators::Evaluators;
use run::thread_pool;

pub use devices::{DeviceRate, choose_device};
pub use figures::{BenchReport, Figure, Part};
pub use pace::{Pace, Pacer};
pub use score::Score;

/// Self-play games to play per concurrent game.
const GAMES_TO_PLAY_A_PLACE: usize = 8;
/// Duration of one round of evaluations. Rounds are short because the best of many counts, or
/// because they alternate with other work, so that other load on the machine has little effect.
const ROUND: Duration = Duration::from_millis(100);

/// State shared by all measurements.
pub struct Bench {
    /// The game.
    pub variant: Variant,
    /// The settings to measure: network, search, batches.
    pub config: RunConfig,
    /// Threads of the multithreaded measurements.
    pub threads: usize,
    /// An untrained network.
    model: Model,
    compute: Compute,
    /// Duration of each measurement.
    time: Duration,
    /// Games to train on, once some have been played.
    window: Option<ReplayWindow>,
    /// The figures measured so far.
    pub figures: Vec<Figure>,
}

/// Games played by the benchmark.
struct Played {
    window: ReplayWindow,
    stats: SelfplayStats,
    elapsed: Duration,
    /// The cache hit rate of evaluations, 0 to 1.
    hit_rate: f64,
    /// The work of the device, unless that is the processor.
    device: Option<DeviceWork>,
}

impl Bench {
    /// Creates a benchmark whose measurements take `time` each.
    ///
    /// # Errors
    /// If this build lacks the device.
    pub fn new(variant: Variant, config: RunConfig, time: Duration) -> Result<Self> {
        let shape = config.model.shape(variant)?;
        let weights = ModelWeights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(config.seed));
        Ok(Self {
            variant,
            threads: config::threads(config.threads),
            compute: Compute::named(&config.device)?,
            model: Model::new(variant, shape, ModelMeta::default(), weights)?,
            time,
            window: None,
            config,
            figures: Vec::new(),
        })
    }

    fn evaluators(
        &self,
        precision: Precision,
        threads: usize,
        batch_size: usize,
    ) -> Result<Evaluators> {
        Evaluators::new(&self.model, precision, &self.compute, threads, batch_size)
    }

    fn add(&mut self, part: &'static str, what: &str, value: f64, unit: &'static str) {
        self.figures.push(Figure {
            part,
            what: what.to_owned(),
            value,
            unit,
        });
    }

    /// Repeats `work`, which returns the amount of work done, and returns the rate of the best
    /// round. The first round, in which a device compiles its kernels, does not count.
    ///
    /// # Errors
    /// The first error of `work`.
    fn best_rate<E>(&self, mut work: impl FnMut() -> Result<u64, E>) -> Result<f64, E> {
        work()?;
        let started = Instant::now();
        let mut best: f64 = 0.0;
        while best == 0.0 || started.elapsed() < self.time {
            let round = Instant::now();
            let done = work()? as f64;
            best = best.max(done / round.elapsed().as_secs_f64().max(1e-9));
        }
        Ok(best)
    }

    /// Measures a part of the work, and returns the new figures.
    ///
    /// # Errors
    /// If the network cannot be computed or trained.
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

    /// The figures measured so far.
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
        let Ok(rate) = self.best_rate(|| Ok::<_, Infallible>(black_box(perft(&start, depth))));
        self.add("rules", &format!("perft {depth}"), rate / 1e6, "M leaves/s");
    }

    /// Tree search without a network on one thread.
    ///
    /// # Errors
    /// None is expected.
    fn search(&mut self) -> Result<()> {
        let simulations = self.config.search.simulations;
        let config = self.config.search;
        let game = Game::new(Position::start(self.variant));
        let mut searches: Vec<Search> = (0..self.config.selfplay.concurrent_games)
            .map(|_| Search::new(config, Search::memory_for(simulations)))
            .collect();
        let (mut rng, mut batch) = (ChaCha8Rng::seed_from_u64(1), Batch::new());
        let rate = self.best_rate(|| {
            for search in &mut searches {
                search.begin(&game, simulations, &mut rng);
            }
            search_all(&mut searches, &mut Uniform, &mut batch)?;
            Ok::<_, EvaluatorError>(u64::from(simulations) * searches.len() as u64)
        })?;
        self.add("search", "simulations without a network", rate / 1e6, "M/s");
        Ok(())
    }

    /// Plays a few games per concurrent game of the workers, at most one generation.
    fn play(&self) -> Result<Played> {
        let mut window = ReplayWindow::new(self.config.window.clone());
        let (config, precision) = (self.config.self_play(), self.config.model.precision);
        let device = self.evaluators(precision, self.threads, config.concurrent_games)?;
        let mut evaluators = device.all(self.threads);
        let header = Header::new(self.variant, self.config.seed, 1, "untrained");
        let n_games = (GAMES_TO_PLAY_A_PLACE * self.threads * config.concurrent_games) as u32;
        let n_games = n_games.min(self.config.selfplay.games_per_generation);
        let numbers: Vec<u32> = (0..n_games).collect();
        let job = Job {
            search: &self.config.search,
            config: &config,
            header: &header,
            numbers: &numbers,
        };
        let started = Instant::now();
        let never = AtomicBool::new(false);
        let stats = selfplay::play_games(&job, &mut evaluators, &never, |record, _| {
            window.push(&record);
            Ok(())
        })?;
        let elapsed = started.elapsed();
        let hit_rates = evaluators.iter().map(Cached::hit_rate);
        Ok(Played {
            window,
            elapsed,
            hit_rate: hit_rates.sum::<f64>() / evaluators.len() as f64,
            device: device.device_work(),
            stats,
        })
    }

    /// Games on all threads.
    ///
    /// # Errors
    /// If the network cannot be computed.
    fn selfplay(&mut self) -> Result<()> {
        let played = self.play()?;
        let (stats, seconds) = (&played.stats, played.elapsed.as_secs_f64());
        let a_second = |n: u64| n as f64 / seconds;
        for (what, value, unit) in [
            ("games", a_second(stats.games), "/s"),
            ("positions", a_second(stats.plies) / 1e3, "k/s"),
            ("evaluations", a_second(stats.evaluations) / 1e3, "k/s"),
            (
                "of the evaluations from the cache",
                100.0 * played.hit_rate,
                "%",
            ),
            (
                "of the time in the network",
                100.0 * stats.evaluator_share(),
                "%",
            ),
        ] {
            self.add("selfplay", what, value, unit);
        }
        if let Some(device) = played.device {
            let share = 100.0 * device.busy.as_secs_f64() / seconds;
            let what = "of the time with a batch on the device";
            self.add("selfplay", what, share, "%");
            let mean = device.positions as f64 / device.batches.max(1) as f64;
            self.add("selfplay", "mean batch of the device", mean, "positions");
        }
        self.window = Some(played.window);
        Ok(())
    }

    /// Optimizer steps on all threads.
    ///
    /// # Errors
    /// If training fails.
    fn training(&mut self) -> Result<()> {
        let window = match self.window.take() {
            Some(window) => window,
            None => self.play()?.window,
        };
        let rate = self.learned_a_second(&window)?;
        let batch_size = self.config.train.batch_size as f64;
        self.add("training", "samples", rate / 1e3, "k/s");
        self.add("training", "step", 1e3 * batch_size / rate, "ms");
        Ok(())
    }

    /// Training samples per second of optimizer steps on all threads.
    fn learned_a_second(&self, window: &ReplayWindow) -> Result<f64> {
        let (train, seed) = (self.config.train.clone(), self.config.seed);
        let compute = Compute::named(train.device_beside(&self.config.device))?;
        let mut trainer = Trainer::new(&self.model.config, train, seed, &compute)?;
        let batch_size = self.config.train.batch_size as u64;
        let pool = thread_pool(self.threads)?;
        let rate = pool.install(|| {
            self.best_rate(|| {
                // A device executes steps asynchronously: they are done when it reports their
                // results.
                let mut n_samples = 0;
                loop {
                    n_samples += batch_size;
                    let report = trainer.step(window, &EndgameSamples::default(), seed)?;
                    if report.is_some() {
                        return Ok::<_, TrainError>(n_samples);
                    }
                }
            })
        });
        Ok(rate?)
    }
}
