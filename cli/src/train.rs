//! `crownhead train`: the closed loop of self-play, training, gate and rating.

mod progress;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use fleet::{Objects, Trust};
use lab::TrainingReport;
use pipeline::origin::resume_or_init;
use pipeline::{Budget, MetricsLog, Run, RunObserver, Spending, StatusFile, spend};
use roster::ModelSource;
use rules::Variant;
use types::parse_limit;

use crate::commands::fleet::variables;
use crate::commands::on_ctrl_c;
use crate::conditions::number_in;
use crate::config_args::ConfigArgs;
use crate::logs;
use crate::output::{Interrupted, Output};
use progress::ProgressLine;

/// What a run is trained for when nothing else is said.
const USUAL_TIME: Duration = Duration::from_secs(30 * 60);

/// Train an agent: starts a run, or resumes it where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crownhead train english                    30 minutes in runs/english; again to resume
  crownhead train frisian --for 2h
  crownhead train thai --generations 50 --seed 7 --run runs/thai-7
  crownhead train ringboard --init run:runs/frisian@40   begins with trained weights
  crownhead train english --set train.learning_rate=0.0005   changes a run from its next generation on
  crownhead train english --fleet /shared/english   other machines: crownhead worker --join /shared/english

Settings may change in a run where crownhead config explain says so. The change holds from the next
generation that begins, and the run notes it: crownhead status shows it.")]
pub(crate) struct TrainArgs {
    /// The game to learn.
    variant: Variant,
    /// Where the run is kept [default: runs/VARIANT].
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// How long to train in this call, as 90s, 45m or 1h30m [default: 30m].
    #[arg(long = "for", value_name = "TIME", value_parser = parse_limit)]
    duration: Option<Duration>,
    /// Train until the run has this many generations, counted from its beginning.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    generations: Option<u32>,
    /// Begin with the weights of a model, also of another game: run:DIR, run:DIR@N, bundled,
    /// bundled:VARIANT or a directory; optimiser, averages and games are new.
    #[arg(long, value_name = "MODEL")]
    init: Option<String>,
    /// Share the games with machines that join by crownhead worker: a directory that all of them see, or a folder
    /// of a bucket, as s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER. The run is kept in the
    /// directory too unless --run says otherwise; with a bucket it stays here, in --run.
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// The share of what other machines play that is played again here, from 0 to 1. A machine of which a game
    /// comes out different is believed nothing any more
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = number_in(0_f64, 1.0), requires = "fleet")]
    audit: f64,
    #[command(flatten)]
    config: ConfigArgs,
}

impl TrainArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let share = self.fleet.as_deref();
        let share = share
            .map(|url| Objects::make(url, &variables()))
            .transpose()?;
        let shared = self.fleet.as_deref().and_then(fleet::directory);
        let dir = self
            .run
            .clone()
            .or_else(|| shared.map(Path::to_owned))
            .unwrap_or_else(|| Path::new("runs").join(self.variant.name()));
        let budget = match self.generations {
            Some(last) => Budget::Generations(last),
            None => Budget::Time(self.duration.unwrap_or(USUAL_TIME)),
        };
        let asked = self.config.resolve(self.variant)?;
        let mut run = match self.init.as_deref().map(ModelSource::of_path) {
            Some(source) => resume_or_init(&dir, self.variant, asked, &source)?,
            None => Run::resume_or_create(&dir, self.variant, asked)?,
        };
        let (Some(share), Some(url)) = (share, self.fleet) else {
            return follow(&mut run, budget, output);
        };
        run.lead_fleet(Arc::new(share), Trust::secretly(self.audit))?;
        note!("Machines join by crownhead worker --join {url}");
        follow(&mut run, budget, output)?;
        if let Err(error) = run.dismiss_fleet() {
            note!(
                "warning: {error}. Workers wait until they are told that this training has ended."
            );
        }
        Ok(())
    }
}

/// Trains a run, shows how it goes, and writes a report.
pub(crate) fn follow(run: &mut Run, budget: Budget, output: &mut Output) -> anyhow::Result<()> {
    let dir = run.dir().path().to_owned();
    logs::start(&run.dir().logs_path());
    let spending = Spending::new(budget);
    on_ctrl_c({
        let spending = spending.clone();
        move || spending.interrupt()
    })?;
    for line in run.notices() {
        note!("{line}");
    }

    let (mut metrics, mut status) = (MetricsLog::open(run), StatusFile::open(run));
    let mut line = ProgressLine::new(&spending, status.status().clone());
    let mut observers: [&mut dyn RunObserver; 3] = [&mut line, &mut status, &mut metrics];
    let outcome = spend(run, &spending, &mut observers);
    line.close();
    status.close(run);
    outcome?;
    let dir = dir.display();
    if spending.is_interrupted() {
        anyhow::bail!(Interrupted(format!(
            "Stopped; everything that is finished is in {dir}. The same command goes on."
        )));
    }
    TrainingReport::new(run, status.status())
        .map_err(anyhow::Error::from)
        .and_then(|report| output.result(&report))
        .and_then(|()| Ok(output.flush()?))
        .with_context(|| {
            format!("the training is complete and saved in {dir}, but its report failed")
        })
}
