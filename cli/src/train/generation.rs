//! The stages of one generation. Each starts from what the run directory holds, writes its outcome
//! there, and can be repeated from its start with the same outcome.

use std::time::Instant;

use anyhow::Context;
use model::{Model, ModelConfig};
use rules::Variant;
use selfplay::Job;
use store::{
    GameId, Games, Header, LoopState, Metrics, ModelId, Phase, Point, ReplayWindow, RunWriter,
    Scalar,
};
use trainer::{Compute, Losses, Trainer};

use super::budget::{Stop, show_duration};
use super::endgames::Truth;
use super::status::{SelfplayStatus, Status, TrainingStatus};
use crate::config::{RunFile, SelfplayNetwork};
use crate::display::Display;
use crate::evaluators::{Evaluators, Network};
use crate::settings;

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Its outcome is in the run directory.
    Complete,
    /// It was told to stop; the next call repeats or continues it.
    Stopped,
}

/// A run that this process is training.
pub(crate) struct Training {
    pub(crate) variant: Variant,
    pub(crate) file: RunFile,
    pub(crate) threads: usize,
    pub(crate) run: RunWriter,
    pub(crate) state: LoopState,
    pub(crate) window: ReplayWindow,
    pub(crate) truth: Option<Truth>,
    /// The shape of the network.
    pub(crate) model: ModelConfig,
    pub(crate) trainer: Trainer,
    pub(crate) compute: Compute,
    pub(crate) metrics: Metrics,
    pub(crate) status: Status,
    pub(crate) display: Display,
    pub(crate) stop: Stop,
}

impl Training {
    /// Runs stages until the budget is spent or Ctrl-C is pressed.
    pub(crate) fn run(&mut self) -> anyhow::Result<()> {
        while !self.done() {
            self.write_status(true)?;
            let started = Instant::now();
            let stage = self.state.next;
            let ended = match stage {
                Phase::SelfPlay => self.self_play(),
                Phase::Train => self.train(),
                Phase::Gate => self.gate(),
                Phase::Rate => self.rate(),
            }?;
            self.state.seconds += started.elapsed().as_secs_f64();
            if ended == Ended::Complete {
                self.state.advance();
                self.run.commit(&self.state)?;
            }
            if stage == Phase::Rate && ended == Ended::Complete {
                let left = self
                    .stop
                    .time_left()
                    .map(|left| format!("  {} left", show_duration(left)));
                let line = self.status.generation_line() + &left.unwrap_or_default();
                self.display.line(&line);
            }
        }
        self.run.commit(&self.state)?;
        self.write_status(false)
    }

    fn done(&self) -> bool {
        let enough = |last| self.state.generation > last;
        self.stop.now() || self.stop.last_generation().is_some_and(enough)
    }

    pub(crate) fn write_status(&mut self, running: bool) -> anyhow::Result<()> {
        self.status.running = running;
        self.status.follow(&self.state);
        Ok(self.run.write_status(&self.status)?)
    }

    pub(crate) fn load(&self, model: ModelId) -> anyhow::Result<Model> {
        let dir = self.run.model(model)?;
        let loaded = Model::load(&dir)?;
        loaded.expect_variant(self.variant)?;
        Ok(loaded)
    }

    fn self_play(&mut self) -> anyhow::Result<Ended> {
        let generation = self.state.generation;
        let config = settings::selfplay(&self.file.resolved.config);
        let model = self.load(match self.file.resolved.config.selfplay.network {
            SelfplayNetwork::Newest => self.state.newest,
            SelfplayNetwork::Champion => self.state.champion,
        })?;
        let header = Header {
            variant: self.variant,
            rules_version: self.variant.rules_version(),
            seed: self.file.resolved.config.seed,
            id: GameId {
                generation,
                number: 0,
            },
            network: model.net_id(),
            config_hash: self.file.hash(),
        };
        let games = Games::new(&self.run.games_path(), self.variant);
        let mut writer = games.writer(generation)?;
        let total = self.file.resolved.config.selfplay.games_per_generation;
        let numbers: Vec<u32> = (0..total)
            .filter(|n| !writer.numbers().contains(n))
            .collect();
        let precision = self.file.resolved.config.model.precision;
        let mut evaluators = Evaluators::new(
            Network::new(&model, precision),
            &self.compute,
            self.threads,
            config.concurrent_games,
        )?
        .all(self.threads);
        self.display.stage(
            format!("generation {generation}: self-play"),
            u64::from(total),
        );
        let started = Instant::now();
        let before = u64::from(total) - numbers.len() as u64;
        let display = &mut self.display;
        let endgame = &self.file.resolved.config.endgame;
        let prover = self.truth.as_ref().map(|truth| &truth.prover);
        let job = Job {
            config: &config,
            header: &header,
            numbers: &numbers,
            prover: prover.filter(|_| endgame.prove),
            adjudicator: prover
                .filter(|_| endgame.adjudicate)
                .map(|prover| &**prover),
        };
        let stats =
            selfplay::play_games(&job, &mut evaluators, self.stop.flag(), |record, stats| {
                writer.append(&record)?;
                display.at(before + stats.games, || {
                    SelfplayStatus::new(stats, started.elapsed()).line()
                });
                Ok(())
            })?;
        writer.sync()?;
        if before + stats.games < u64::from(total) {
            return Ok(Ended::Stopped);
        }
        let selfplay = SelfplayStatus::new(&stats, started.elapsed());
        self.status.selfplay = Some(selfplay);
        self.learn_of_games(&games)?;
        self.write_metrics(&selfplay.scalars())?;
        Ok(Ended::Complete)
    }

    /// Takes this generation's games into the window, as the next call would after a stop.
    fn learn_of_games(&mut self, games: &Games) -> anyhow::Result<()> {
        let generation = games.read(self.state.generation)?;
        for record in &generation.records {
            self.window.push(record);
            self.state.positions += record.plies.len() as u64;
        }
        self.state.games += generation.records.len() as u64;
        self.state.samples = self.window.n_seen();
        Ok(())
    }

    fn train(&mut self) -> anyhow::Result<Ended> {
        let generation = self.state.generation;
        let section = &self.file.resolved.config.train;
        let drawn = self.state.samples as f64 * section.samples_per_position;
        let last = (drawn / section.batch_size as f64) as u64;
        let total = last.saturating_sub(self.state.step);
        let seed = self.file.resolved.config.seed;
        self.display
            .stage(format!("generation {generation}: training"), total);
        let started = Instant::now();
        let mut sum = Sum::default();
        while self.trainer.n_steps() < last {
            if self.stop.now() {
                return Ok(Ended::Stopped);
            }
            let report = self.trainer.step(&self.window, seed)?;
            sum.add(&report.losses, report.gradient_norm);
            let status = sum.status(section.batch_size, started.elapsed());
            self.display.at(sum.n, || status.line());
        }
        let training = sum.status(section.batch_size, started.elapsed());
        self.status.training = Some(training);
        self.save_candidate()?;
        self.write_metrics(&training.scalars())?;
        self.measure_endgames()?;
        Ok(Ended::Complete)
    }

    /// Writes model `generation` and the state that training goes on from.
    fn save_candidate(&mut self) -> anyhow::Result<()> {
        let id = ModelId(self.state.generation);
        let parent = self.load(self.state.newest)?.net_id();
        let model = self.new_model(Some(parent))?;
        self.run.save_model(id, |dir| model.save(dir))?;
        let trainer = &self.trainer;
        self.state.train = Some(self.run.save_train(|dir| trainer.save(dir))?);
        self.state.newest = id;
        self.state.step = self.trainer.n_steps();
        Ok(())
    }

    pub(crate) fn write_metrics(&mut self, values: &[(Scalar, f64)]) -> anyhow::Result<()> {
        let point = Point {
            step: self.state.step,
            generation: self.state.generation,
            values,
        };
        self.metrics
            .write(&point)
            .context("failed to write metrics")
    }
}

/// Means over the steps of a training stage.
#[derive(Default)]
struct Sum {
    n: u64,
    policy: f64,
    divergence: f64,
    value: f64,
    accuracy: f64,
    norm: f64,
}

impl Sum {
    fn add(&mut self, losses: &Losses, gradient_norm: f64) {
        self.n += 1;
        self.policy += losses.policy;
        self.divergence += losses.policy_divergence;
        self.value += losses.value;
        self.accuracy += losses.value_accuracy;
        self.norm += gradient_norm;
    }

    fn status(&self, batch_size: usize, elapsed: std::time::Duration) -> TrainingStatus {
        let n = self.n.max(1) as f64;
        TrainingStatus {
            steps: self.n,
            policy: self.policy / n,
            policy_divergence: self.divergence / n,
            value: self.value / n,
            value_accuracy: self.accuracy / n,
            gradient_norm: self.norm / n,
            samples_per_s: self.n as f64 * batch_size as f64 / elapsed.as_secs_f64().max(1e-9),
        }
    }
}
