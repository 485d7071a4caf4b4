//! `crownhead train`: the closed loop of self-play, training, gate and rating.

mod budget;
mod chart;
pub(crate) mod endgames;
mod gate;
mod generation;
pub(crate) mod plot;
mod rating;
pub(crate) mod report;
mod status;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use model::{Model, ModelMeta, Preset};
use rules::Variant;
use store::{Games, LoopState, Metrics, ModelId, Phase, ReplayWindow, RunDir, RunWriter};
use trainer::{Compute, Trainer};

use crate::config::{ConfigArgs, RunFile};
use crate::display::Display;
use crate::output::{Interrupted, Output};
use crate::settings;
use budget::{Budget, Stop};
use endgames::Truth;
use generation::Training;

pub(crate) use budget::show_duration;
pub(crate) use rating::Ratings;
pub(crate) use status::Status;

/// What a run is trained for when nothing else is said.
const USUAL_TIME: Duration = Duration::from_secs(30 * 60);

/// Train an agent: starts a run, or goes on where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crownhead train english                    30 minutes in runs/english; again to go on
  crownhead train frisian --for 2h
  crownhead train thai --generations 50 --seed 7 --run runs/thai-7")]
pub(crate) struct TrainArgs {
    /// The game to learn.
    variant: Variant,
    /// Where the run is kept [default: runs/VARIANT].
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// How long to train in this call, as 90s, 45m or 1h30m [default: 30m].
    #[arg(long = "for", value_name = "TIME", value_parser = budget::parse_duration)]
    duration: Option<Duration>,
    /// Train until the run has this many generations, counted from its beginning.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    generations: Option<u32>,
    #[command(flatten)]
    config: ConfigArgs,
}

impl TrainArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let dir = self
            .run
            .clone()
            .unwrap_or_else(|| Path::new("runs").join(self.variant.name()));
        let budget = match self.generations {
            Some(last) => Budget::Generations(last),
            None => Budget::Time(self.duration.unwrap_or(USUAL_TIME)),
        };
        let asked = self.config.resolve(self.variant)?;
        let (run, file) = open(&dir, self.variant, asked)?;
        let stop = Stop::new(budget)?;
        rayon::ThreadPoolBuilder::new()
            .num_threads(settings::threads(file.resolved.config.threads))
            .build_global()
            .context("failed to start the threads")?;
        let mut training = prepare(run, file, stop, Display::new())?;
        training.announce(&dir);
        let outcome = training.run();
        training.display.close();
        outcome?;
        if training.stop.interrupted() {
            let dir = dir.display();
            return Err(Interrupted(format!(
                "Stopped; everything that is finished is in {dir}. The same command goes on."
            ))
            .into());
        }
        report::print(&mut training, &dir, output)
    }
}

/// Opens the run in `dir`, or begins it.
fn open(
    dir: &Path,
    variant: Variant,
    asked: crate::config::Resolved,
) -> anyhow::Result<(RunWriter, RunFile)> {
    if !RunDir::is_run(dir) {
        // A device that this build lacks should not leave an empty run behind.
        Compute::named(&asked.config.device)?;
        let file = RunFile::new(variant, asked);
        let run = RunWriter::create(dir, &file.render())?;
        return Ok((run, file));
    }
    let run = RunWriter::open(dir)?;
    let path = dir.join("run.toml");
    let mut file = RunFile::parse(&path.display().to_string(), &run.config()?)?;
    file.resolved = file
        .go_on(variant, &asked)
        .with_context(|| format!("failed to go on with the run in {}", dir.display()))?;
    Ok((run, file))
}

/// Begins a run in `dir` and trains it for so many generations, without a word.
pub(crate) fn in_silence(dir: &Path, file: RunFile, generations: u32) -> anyhow::Result<()> {
    let run = RunWriter::create(dir, &file.render())?;
    let stop = Stop::unattended(Budget::Generations(generations));
    prepare(run, file, stop, Display::silent())?.run()
}

/// Brings everything into memory that the stages need.
fn prepare(
    run: RunWriter,
    file: RunFile,
    stop: Stop,
    display: Display,
) -> anyhow::Result<Training> {
    let variant = file.variant;
    let config = &file.resolved.config;
    let threads = settings::threads(config.threads);
    let state = run.state()?.unwrap_or_else(LoopState::start);
    let shape = config.model.preset.parse::<Preset>()?.for_variant(variant);
    let train = settings::train(config);
    let compute = Compute::named(&config.device)?;
    let trainer = match state.train {
        Some(id) => Trainer::resume(shape.clone(), train, &run.train_path(id), compute.clone())?,
        None => Trainer::new(shape.clone(), train, config.seed, compute.clone())?,
    };
    let games = Games::new(&run.games_path(), variant);
    let played = state.generation - u32::from(state.next == Phase::SelfPlay);
    let truth = Truth::open(&run, variant, config)?;
    let (window, damage) =
        ReplayWindow::load(config.window.clone(), &games, played, state.samples)?;
    let relabel = truth.as_ref().filter(|_| config.endgame.relabel);
    let window = window.relabelled_by(relabel.map(|truth| Arc::clone(&truth.database)));
    for damage in damage {
        eprintln!("warning: {damage:?}");
    }
    let metrics = Metrics::open(&run, state.step)?;
    let status = run.status()?.unwrap_or_else(|| Status {
        variant: variant.name().to_owned(),
        ..Status::default()
    });
    let training = Training {
        variant,
        file,
        threads,
        run,
        state,
        window,
        truth,
        model: shape,
        trainer,
        compute,
        metrics,
        status,
        display,
        stop,
    };
    if !training.run.models()?.contains(&ModelId(0)) {
        let model = training.new_model(None)?;
        training.run.save_model(ModelId(0), |dir| model.save(dir))?;
        training.run.commit(&training.state)?;
    }
    Ok(training)
}

impl Training {
    /// The trainer's averaged weights as a model whose parent is `parent`.
    pub(crate) fn new_model(&self, parent: Option<String>) -> anyhow::Result<Model> {
        let meta = ModelMeta {
            parent,
            train_step: self.trainer.n_steps(),
            games: self.state.games,
            made_by: "crownhead train".to_owned(),
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let weights = self.trainer.averaged_weights();
        Ok(Model::new(self.variant, self.model.clone(), meta, weights)?)
    }

    fn announce(&self, dir: &Path) {
        let Training {
            state,
            variant,
            threads,
            ..
        } = self;
        let shape = &self.file.resolved.config.model.preset;
        let how = if state.generation == 1 && state.next == Phase::SelfPlay {
            "Training".to_owned()
        } else {
            format!("Going on at generation {} with", state.generation)
        };
        let plural = if *threads == 1 { "" } else { "s" };
        eprintln!(
            "{how} {variant}, network {shape}, {threads} thread{plural}, run directory {}. Ctrl-C \
             saves.",
            dir.display()
        );
        if eval::anchors::shipped(*variant).is_none() {
            eprintln!(
                "There will be no ratings: the baselines of {variant} have not been measured for \
                 these rules."
            );
        }
    }
}
