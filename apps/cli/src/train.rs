//! `crownhead train`: the loop of self-play, training, gate and rating.

mod progress;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use fleet::lead;
use lab::TrainingReport;
use lab::usage::Usage;
use roster::ModelSource;
use run::origin::resume_or_init;
use run::{Budget, MetricsLog, Run, RunObserver, StatusFile, TrainingBudget, train_for};
use share::{Objects, Trust, variables};
use store::RunDir;

use crate::commands::on_ctrl_c;
use crate::complete;
use crate::logs;
use crate::options::{ConfigArgs, FleetArgs, ForArg, GameArg, RunPlace, choose_device};
use crate::output::{Interrupted, Output};
use progress::ProgressLine;

/// Default duration of a training call.
const USUAL_TIME: Duration = Duration::from_secs(30 * 60);

/// Train an agent by self-play, or resume a run where it stopped
#[derive(Debug, Args)]
#[command(
    mut_arg("duration", |arg| {
        arg.help("How long to train in this call, as 90s, 45m or 1h30m [default: 30m]")
    }),
    after_help = "\
Settings may change in a run where crownhead config explain says so. The change
holds from the next generation that begins, and crownhead status shows it.

With --fleet the run is kept in the shared directory too, unless --run says
otherwise; with a bucket it stays here, in --run.

Examples:
  crownhead train english                30 minutes in runs/english, or resumes
  crownhead train frisian --for 2h
  crownhead train thai --generations 50 --seed 7 --run runs/thai-7
  crownhead train ringboard --init run:runs/frisian@40   with trained weights
  crownhead train english --set train.learning_rate=0.0005
  crownhead train english --fleet /shared/english
  crownhead worker --join /shared/english                on other machines"
)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    game: GameArg,
    /// The directory of the run [default: runs/VARIANT]
    #[arg(long, value_name = "RUN", add = complete::runs())]
    run: Option<RunPlace>,
    #[command(flatten)]
    time: ForArg,
    /// Train until the run has this many generations, counted from its beginning
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    generations: Option<u32>,
    /// Start from the weights of a model, also of another game: run:DIR, run:DIR@N, bundled,
    /// bundled:VARIANT or a directory. The optimizer's state and the games are new
    #[arg(long, value_name = "MODEL", add = complete::runs())]
    init: Option<String>,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

impl TrainArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let variant = self.game.variant();
        let share = self.fleet.url.as_deref();
        let share = share
            .map(|url| Objects::make(url, &variables()))
            .transpose()?;
        let shared = self.fleet.url.as_deref().and_then(share::directory);
        let dir = self.run.map(|run| run.0);
        let dir = dir
            .or_else(|| shared.map(Path::to_owned))
            .unwrap_or_else(|| Path::new(complete::RUNS).join(variant.name()));
        let budget = match self.generations {
            Some(last) => Budget::Generations(last),
            None => Budget::Time(self.time.duration.unwrap_or(USUAL_TIME)),
        };
        let mut asked = self.config.sources().resolve(variant)?;
        // A run that exists keeps the device that it has chosen.
        if RunDir::open(&dir).is_err() {
            choose_device(variant, &mut asked)?;
        }
        let mut run = match self.init.as_deref().map(ModelSource::of_path) {
            Some(source) => resume_or_init(&dir, variant, asked, &source)?,
            None => Run::resume_or_create(&dir, variant, asked)?,
        };
        let finished = run.state().generation - 1;
        if let Budget::Generations(last) = budget
            && finished >= last
        {
            note!(
                "Generation {finished} is finished already, so --generations {last} trains \
                 nothing more. Give a larger number, or --for with a duration."
            );
        }
        let (Some(share), Some(url)) = (share, self.fleet.url) else {
            return follow(&mut run, budget, output);
        };
        lead(&mut run, Arc::new(share), Trust::secretly(self.fleet.audit))?;
        let url = types::shell_word(&url);
        note!("Machines join by crownhead worker --join {url}");
        follow(&mut run, budget, output)?;
        if let Err(error) = run.dismiss_fleet() {
            note!("warning: {error}. Workers were not told that this training has ended.");
        }
        Ok(())
    }
}

/// Trains a run, shows its progress, and writes a report.
pub(crate) fn follow(run: &mut Run, budget: Budget, output: &mut Output) -> anyhow::Result<()> {
    let dir = run.dir().path().to_owned();
    logs::start(&run.dir().logs_path());
    let (training_budget, usage) = (TrainingBudget::new(budget), Usage::start());
    on_ctrl_c({
        let training_budget = training_budget.clone();
        move || training_budget.interrupt()
    })?;
    for line in run.notices() {
        note!("{line}");
    }

    let (mut metrics, mut status) = (MetricsLog::open(run), StatusFile::open(run));
    let mut line = ProgressLine::new(run, &training_budget, status.status().clone());
    let mut observers: [&mut dyn RunObserver; 3] = [&mut line, &mut status, &mut metrics];
    let outcome = train_for(run, &training_budget, &mut observers);
    line.close();
    status.close(run);
    outcome?;
    let dir = dir.display();
    if training_budget.is_interrupted() {
        anyhow::bail!(Interrupted(format!(
            "Stopped; all finished work is saved in {dir}. The same command resumes."
        )));
    }
    TrainingReport::new(run, status.status(), &usage)
        .map_err(anyhow::Error::from)
        .and_then(|report| output.painted(&report))
        .with_context(|| {
            format!("the training is complete and saved in {dir}, but its report failed")
        })
}
