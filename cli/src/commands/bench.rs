//! `crownhead bench`: how fast this machine is at each part of the work.

use std::hint::black_box;
use std::io::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use model::cpu::peak_flops;
use model::{Instructions, ModelConfig, ModelError, Precision, Preset, Weights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant, perft};
use search::{Batch, Cached, Evaluator as _, Search, Uniform, search_all};
use selfplay::{Job, SelfplayStats};
use serde::Serialize;
use store::{GameId, Header, ReplayWindow};
use trainer::{Compute, Trainer};

use crate::config::{Config, ConfigArgs};
use crate::evaluators::{Evaluators, Network};
use crate::output::Output;
use crate::settings::{self, Purpose};

/// Self-play games for each game that is played at the same time.
const GAMES_A_PLACE: usize = 4;

/// Measure the speed of the rules, the search, the network, self-play and training
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead bench
  crownhead bench selfplay --variant frisian --preset small")]
pub(crate) struct BenchArgs {
    /// What to measure [default: everything]
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The game or ruleset
    #[arg(long, default_value = "english")]
    variant: Variant,
    /// Seconds for each measurement; self-play takes as long as its games do
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Move generation on one thread
    Rules,
    /// Tree search without a network on one thread
    Search,
    /// The network on one thread
    Inference,
    /// Games on all threads
    Selfplay,
    /// Optimiser steps on all threads
    Training,
}

/// One figure.
#[derive(Serialize)]
struct Figure {
    part: &'static str,
    what: String,
    value: f64,
    unit: &'static str,
}

#[derive(Serialize)]
struct Report<'a> {
    variant: &'static str,
    preset: &'a str,
    threads: usize,
    precision: Precision,
    instructions: &'static str,
    figures: Vec<Figure>,
}

/// What all measurements need.
struct Bench {
    variant: Variant,
    config: Config,
    threads: usize,
    shape: ModelConfig,
    weights: Weights,
    time: Duration,
    figures: Vec<Figure>,
}

impl BenchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let config = self.config.resolve(self.variant)?.config;
        let shape = config
            .model
            .preset
            .parse::<Preset>()?
            .for_variant(self.variant);
        let weights = Weights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(config.seed));
        let mut bench = Bench {
            variant: self.variant,
            threads: settings::threads(config.threads),
            shape,
            weights,
            time: Duration::try_from_secs_f64(self.seconds)?,
            config,
            figures: Vec::new(),
        };
        let wanted = |part: &Part| self.parts.is_empty() || self.parts.contains(part);
        for part in Part::value_variants().iter().filter(|part| wanted(part)) {
            let first = bench.figures.len();
            match part {
                Part::Rules => bench.rules(),
                Part::Search => bench.search()?,
                Part::Inference => bench.inference()?,
                Part::Selfplay => bench.selfplay()?,
                Part::Training => bench.training()?,
            }
            if !output.is_json() {
                for figure in &bench.figures[first..] {
                    let Figure {
                        part,
                        what,
                        value,
                        unit,
                    } = figure;
                    writeln!(output, "{part:10} {what:38} {value:>12.2} {unit}")?;
                }
                output.flush()?;
            }
        }
        if output.is_json() {
            output.json(&Report {
                variant: bench.variant.name(),
                preset: &bench.config.model.preset,
                threads: bench.threads,
                precision: bench.config.model.precision,
                instructions: Instructions::best().name(),
                figures: bench.figures,
            })?;
        }
        Ok(())
    }
}

impl Bench {
    fn compute(&self) -> Result<Compute, ModelError> {
        Compute::named(&self.config.device)
    }

    fn evaluators(&self, threads: usize, batch_size: usize) -> anyhow::Result<Evaluators> {
        let network = Network {
            variant: self.variant,
            config: &self.shape,
            weights: &self.weights,
            precision: self.config.model.precision,
        };
        Evaluators::new(network, &self.compute()?, threads, batch_size)
    }

    fn add(&mut self, part: &'static str, what: &str, value: f64, unit: &'static str) {
        self.figures.push(Figure {
            part,
            what: what.to_owned(),
            value,
            unit,
        });
    }

    /// Repeats `work`, which says how much it has done, and returns the rate of the best round.
    fn best_rate(&self, mut work: impl FnMut() -> u64) -> f64 {
        let started = Instant::now();
        let mut best: f64 = 0.0;
        while best == 0.0 || started.elapsed() < self.time {
            let round = Instant::now();
            let done = work() as f64;
            best = best.max(done / round.elapsed().as_secs_f64().max(1e-9));
        }
        best
    }

    fn rules(&mut self) {
        let start = Position::start(self.variant);
        let depth = (1..)
            .find(|&depth| perft(&start, depth) > 500_000)
            .unwrap_or(6);
        let rate = self.best_rate(|| black_box(perft(&start, depth)));
        self.add("rules", &format!("perft {depth}"), rate / 1e6, "M leaves/s");
    }

    fn search(&mut self) -> anyhow::Result<()> {
        let simulations = self.config.search.simulations;
        let config = settings::search(&self.config.search, Purpose::Explore);
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

    fn inference(&mut self) -> anyhow::Result<()> {
        let batch_size = self.config.selfplay.concurrent_games;
        let mut evaluator = self.evaluators(1, batch_size)?.forgetful();
        let mut batch = Batch::new();
        let mut position = Position::start(self.variant);
        for ply in 0..batch_size {
            let moves = position.legal_moves();
            batch.push(&position, 0, &moves);
            position = position.play(moves[ply % moves.len()]);
            if position.outcome().is_some() {
                position = Position::start(self.variant);
            }
        }
        let mut failure = None;
        let rate = self.best_rate(|| {
            failure = evaluator.evaluate(&mut batch).err();
            batch.len() as u64
        });
        failure.map_or(Ok(()), Err)?;
        let peak = self.best_rate(|| peak_flops(Instructions::best(), 100_000_000) as u64);
        let flops = rate * self.shape.flops() as f64;
        self.add("inference", "evaluations, one thread", rate / 1e3, "k/s");
        self.add(
            "inference",
            "floating-point work, one thread",
            flops / 1e9,
            "GFLOP/s",
        );
        self.add(
            "inference",
            "of this core's measured peak",
            100.0 * flops / peak,
            "%",
        );
        Ok(())
    }

    /// Plays a few games for each place at the workers' tables; the window gets them. The last figure
    /// is the share of evaluations that were remembered.
    fn play(&self, window: &mut ReplayWindow) -> anyhow::Result<(SelfplayStats, Duration, f64)> {
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
        let n_games = GAMES_A_PLACE * self.threads * config.concurrent_games;
        let numbers: Vec<u32> = (0..u32::try_from(n_games)?).collect();
        let job = Job {
            config: &config,
            header: &header,
            numbers: &numbers,
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

    fn selfplay(&mut self) -> anyhow::Result<()> {
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
        Ok(())
    }

    fn training(&mut self) -> anyhow::Result<()> {
        let mut window = ReplayWindow::new(self.config.window.clone());
        self.play(&mut window)?;
        let train = settings::train(&self.config);
        let seed = self.config.seed;
        let mut trainer = Trainer::new(self.shape.clone(), train, seed, self.compute()?)?;
        let mut failure = None;
        let batch_size = self.config.train.batch_size as u64;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()?;
        let rate = pool.install(|| {
            self.best_rate(|| {
                failure = trainer.step(&window, seed).err();
                batch_size
            })
        });
        failure.map_or(Ok(()), Err)?;
        self.add("training", "samples", rate / 1e3, "k/s");
        self.add("training", "step", 1e3 * batch_size as f64 / rate, "ms");
        Ok(())
    }
}
