//! `crownhead distill`: from the games of a run to an evaluation for alpha-beta search.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use distill::{Collector, Config, Examples, Loss, Summary, Training};

use nnue::{BUCKETS, Manifest};
use pipeline::evaluations::{EVALUATION_FILE, MANIFEST_FILE};
use pipeline::settings;
use rules::{Game, Position, Variant};
use serde::Serialize;
use store::{AtomicFile, Games};

use super::data;
use crate::display::Display;
use crate::output::{Interrupted, Output, Usage};
use crate::train::parse_budget;

/// What training needs to be taken up again.
const STATE_FILE: &str = "training.safetensors";
/// Steps between two looks at the clock.
const STEPS_AT_ONCE: u64 = 20;
/// Steps whose time says how many there will be.
const MEASURED_STEPS: u64 = 60;
/// Time between two states on disk.
const SAVE_INTERVAL: Duration = Duration::from_secs(30);
/// Time when nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(600);

/// Learn an evaluation for alpha-beta search from the games of a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The evaluation is a small network of integers (NNUE) that the players ab:DIR use. It learns from the
quiet positions of all games: a mixture of the game's result and of the searched value. One game of
twenty is held out, and the error on those is shown: the mean square of the distance between what is
expected and what came, from 0 to 1. DIR also gets manifest.json, which says how other programs
compute the same scores.

--for decides how many steps are made, by measuring the first ones; --steps says it, and then the same
run gives the same evaluation to the bit. Called again, a distillation that was stopped goes on.

Examples:
  crownhead distill runs/english --to english-ab
  crownhead distill runs/english --to english-ab --for 3m
  crownhead distill runs/english --to english-ab --steps 20000 --value-share 0.5
  crownhead match ab:english-ab run:runs/english --time 0.1")]
pub(crate) struct DistillArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Where the evaluation goes
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// About how long to train, such as 90s, 10m or 1h [default: 10m]
    #[arg(long = "for", value_name = "TIME", value_parser = parse_budget, conflicts_with = "steps")]
    duration: Option<Duration>,
    /// Training steps, instead of a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Share of the searched value in what is learnt, from 0 to 1; the rest is the game's result
    #[arg(long, value_name = "SHARE", default_value_t = Config::DEFAULT.value_share)]
    value_share: f32,
    /// How far rare phases of the game are made up for: 0 not at all, 1 wholly
    #[arg(long, value_name = "POWER", default_value_t = Config::DEFAULT.phase_power)]
    phase_power: f32,
    /// Seed of the first weights and of the batches
    #[arg(long, value_name = "N", default_value_t = Config::DEFAULT.seed)]
    seed: u64,
    /// Threads to use, 0 for one per core; no influence on results
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// The result as JSON, and what the manifest says of training.
#[derive(Debug, Serialize)]
struct Report {
    variant: &'static str,
    examples: Summary,
    config: Config,
    held_out: Loss,
    file: String,
    bytes: usize,
}

impl DistillArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let config = self.config()?;
        let stop = super::stop_on_ctrl_c()?;
        rayon::ThreadPoolBuilder::new()
            .num_threads(settings::threads(self.threads))
            .build_global()
            .context("failed to start the threads")?;
        let mut display = Display::new();
        let examples = self.gather(&config, &mut display)?;
        fs::create_dir_all(&self.to)
            .with_context(|| format!("failed to create {}", self.to.display()))?;
        let mut training = self.begin(examples.variant, config)?;
        self.train(&mut training, &examples, (&mut display, &stop))?;
        let report = self.export(&training, &examples)?;
        match output.is_json() {
            true => output.json(&report)?,
            false => report.write(output)?,
        }
        Ok(())
    }

    fn config(&self) -> Result<Config, Usage> {
        let between = |name: &str, value: f32| match (0.0..=1.0).contains(&value) {
            true => Ok(value),
            false => Err(Usage(format!(
                "--{name} must be between 0 and 1, not {value}"
            ))),
        };
        Ok(Config {
            seed: self.seed,
            value_share: between("value-share", self.value_share)?,
            phase_power: between("phase-power", self.phase_power)?,
            steps: self.steps.unwrap_or(Config::DEFAULT.steps),
            ..Config::DEFAULT
        })
    }

    /// The positions of all games of the run.
    fn gather(&self, config: &Config, display: &mut Display) -> anyhow::Result<Examples> {
        let (run, file) = data::open(&self.run)?;
        let games = Games::new(&run.games_path(), file.variant);
        let generations = games.generations()?;
        display.stage("Reading games", generations.len() as u64);
        let mut collector = Collector::new(file.variant, config);
        for (done, generation) in (1..).zip(generations) {
            for record in games.read(generation)?.records {
                collector.add(&record);
            }
            display.at(done, || format!("{} positions", collector.n_positions()));
        }
        let examples = collector.finish(config);
        if examples.training.is_empty() || examples.held_out.is_empty() {
            let run = self.run.display();
            anyhow::bail!(
                "the run {run} has too few finished games to learn from: train it longer"
            );
        }
        Ok(examples)
    }

    fn state_path(&self) -> PathBuf {
        self.to.join(STATE_FILE)
    }

    /// Training as it was left, or from the beginning.
    fn begin(&self, variant: Variant, config: Config) -> anyhow::Result<Training> {
        let path = self.state_path();
        if !path.exists() {
            return Ok(Training::new(variant, config));
        }
        let name = path.display();
        let bytes = fs::read(&path).with_context(|| format!("failed to read {name}"))?;
        let training =
            Training::from_bytes(&bytes).with_context(|| format!("failed to read {name}"))?;
        let steps = self.steps.unwrap_or(training.config().steps);
        let asked = Config { steps, ..config };
        if training.variant() != variant || *training.config() != asked {
            let to = self.to.display();
            return Err(Usage(format!(
                "{to} holds a distillation with other settings ({}, {:?}): give the same ones or another \
                 directory",
                training.variant(),
                training.config()
            ))
            .into());
        }
        Ok(training)
    }

    fn train(
        &self,
        training: &mut Training,
        examples: &Examples,
        (display, stop): (&mut Display, &AtomicBool),
    ) -> anyhow::Result<()> {
        if training.step() == 0 && self.steps.is_none() {
            let steps = self.affordable_steps(training, examples);
            training.set_steps(steps);
        }
        display.stage("Training", training.config().steps);
        let mut saved = Instant::now();
        let mut shown = None;
        while !training.is_finished() {
            let left = training.config().steps - training.step();
            let loss = training.advance(examples, left.min(STEPS_AT_ONCE));
            let mean = shown.map_or(loss, |mean: f64| 0.95 * mean + 0.05 * loss);
            shown = Some(mean);
            display.at(training.step(), || format!("error {mean:.4}"));
            if stop.load(Ordering::Relaxed) {
                self.save(training)?;
                display.close();
                let again = "the same command goes on from here".to_owned();
                return Err(Interrupted(again).into());
            }
            if saved.elapsed() >= SAVE_INTERVAL {
                self.save(training)?;
                saved = Instant::now();
            }
        }
        self.save(training)?;
        display.close();
        Ok(())
    }

    /// How many steps fit into the time, judged by some that do not count.
    fn affordable_steps(&self, training: &Training, examples: &Examples) -> u64 {
        let mut trial = training.clone();
        let started = Instant::now();
        trial.advance(examples, MEASURED_STEPS);
        let a_step = started.elapsed().as_secs_f64() / MEASURED_STEPS as f64;
        let time = self.duration.unwrap_or(USUAL_TIME).as_secs_f64();
        ((time / a_step) as u64).max(MEASURED_STEPS)
    }

    fn save(&self, training: &Training) -> anyhow::Result<()> {
        write(&self.state_path(), &training.to_bytes()?)
    }

    /// Writes the evaluation and its manifest.
    fn export(&self, training: &Training, examples: &Examples) -> anyhow::Result<Report> {
        let network = training
            .network()
            .context("training has gone wrong: try another seed")?;
        let bytes = network.to_bytes()?;
        let path = self.to.join(EVALUATION_FILE);
        write(&path, &bytes)?;
        let report = Report {
            variant: examples.variant.name(),
            examples: examples.summary,
            config: *training.config(),
            held_out: training.loss(&examples.held_out),
            file: path.display().to_string(),
            bytes: bytes.len(),
        };
        let training = serde_json::to_value(&report)?;
        let manifest = Manifest::new(&network, training, &golden_positions(examples.variant));
        write(&self.to.join(MANIFEST_FILE), manifest.to_json()?.as_bytes())?;
        Ok(report)
    }
}

/// Positions along a game in which the last legal move is always made: quiet or not, they have scores.
fn golden_positions(variant: Variant) -> Vec<Position> {
    let mut game = Game::new(Position::start(variant));
    let mut positions = Vec::new();
    while game.outcome().is_none() && positions.len() < 40 {
        positions.push(*game.position());
        let moves = game.legal_moves();
        game.play(moves[moves.len() - 1]);
    }
    positions
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)
        .with_context(|| format!("failed to write {}", path.display()))?;
    Ok(file.finish()?)
}

impl Report {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Summary {
            games,
            positions,
            training,
            held_out,
            by_bucket,
            value_bias,
        } = self.examples;
        writeln!(
            out,
            "{}: {games} games, {positions} quiet positions; {training} different ones learnt from, \
             {held_out} held out",
            self.variant
        )?;
        let Loss {
            target,
            result,
            result_by_bucket,
        } = self.held_out;
        writeln!(
            out,
            "Error on the held-out games: {target:.5} by the target, {result:.5} by the result"
        )?;
        for bucket in (0..BUCKETS).rev() {
            writeln!(
                out,
                "  quarter {} of the pieces: {:.5} by the result; {} positions, searched values {:+.3} too \
                 high",
                bucket + 1,
                result_by_bucket[bucket],
                by_bucket[bucket],
                value_bias[bucket]
            )?;
        }
        writeln!(
            out,
            "{} steps, {} bytes in {}",
            self.config.steps, self.bytes, self.file
        )
    }
}
