//! `crownhead train`: the closed loop of self-play, training, gate and rating.

mod budget;
pub(crate) mod progress;
pub(crate) mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pipeline::{MetricsLog, Run, RunObserver, StatusFile, advance_until, measure_rating};
use rules::Variant;

use crate::config_args::ConfigArgs;
use crate::logs;
use crate::output::{Interrupted, Output};
use budget::{Budget, Stop};
use progress::ProgressLine;

pub(crate) use budget::{parse_budget, show_duration};

/// What a run is trained for when nothing else is said.
const USUAL_TIME: Duration = Duration::from_secs(30 * 60);

/// Train an agent: starts a run, or resumes it where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crownhead train english                    30 minutes in runs/english; again to resume
  crownhead train frisian --for 2h
  crownhead train thai --generations 50 --seed 7 --run runs/thai-7")]
pub(crate) struct TrainArgs {
    /// The game to learn.
    variant: Variant,
    /// Where the run is kept [default: runs/VARIANT].
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// How long to train in this call, as 90s, 45m or 1h30m [default: 30m].
    #[arg(long = "for", value_name = "TIME", value_parser = parse_budget)]
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
        let mut run = Run::resume_or_create(&dir, self.variant, asked)?;
        logs::start(&run.dir().logs_path());
        let stop = Stop::new(budget)?;
        announce(&run, &dir);

        let (mut metrics, mut status) = (MetricsLog::open(&run)?, StatusFile::open(&run)?);
        let mut line = ProgressLine::new(&stop, status.status().clone());
        let mut observers: [&mut dyn RunObserver; 3] = [&mut line, &mut status, &mut metrics];
        let outcome = train(&mut run, &stop, &mut observers);
        line.close();
        status.close(&run)?;
        outcome?;
        if stop.interrupted() {
            let dir = dir.display();
            return Err(Interrupted(format!(
                "Stopped; everything that is finished is in {dir}. The same command goes on."
            ))
            .into());
        }
        report::print(&run, status.status(), &dir, output)
    }
}

/// Spends the budget; then rates the champion once more, with half as many games again as usual.
fn train(run: &mut Run, stop: &Stop, observer: &mut dyn RunObserver) -> pipeline::Result<()> {
    advance_until(run, stop.last_generation(), stop.flag(), observer)?;
    if stop.interrupted() {
        return Ok(());
    }
    stop.reset();
    let usual = run.config().rating.pairs;
    measure_rating(run, usual + usual / 2, stop.flag(), observer)?;
    Ok(())
}

fn announce(run: &Run, dir: &Path) {
    let (variant, threads) = (run.variant(), run.threads());
    let how = if run.is_new() {
        "Training".to_owned()
    } else {
        format!("Resuming at generation {}:", run.state().generation)
    };
    let plural = if threads == 1 { "" } else { "s" };
    eprintln!(
        "{how} {variant}, network {}, {threads} thread{plural}, run directory {}. Ctrl-C saves.",
        run.config().model.preset,
        dir.display()
    );
    for damage in run.damage() {
        tracing::warn!(?damage, "left damaged games out");
        eprintln!("warning: left damaged games out: {damage:?}");
    }
    if eval::anchors::shipped(variant).is_none() {
        eprintln!(
            "There will be no ratings: the baselines of {variant} have not been measured for these \
             rules."
        );
    }
}
