//! `crownhead plan`: estimates the result of a training run of a given duration.

use std::path::Path;

use lab::bench::Pace;
use lab::plan::{Choices, Evidence, PlanRequest, plan};
use run::RequestError;
use store::RunDir;

use crate::complete;
use crate::options::{ForArg, GameArg, RunPlace, ThreadsArg, number_in};
use crate::output::Output;

/// Hours of the shortest and the longest training that can be planned.
const LEAST_HOURS: f64 = 0.01;
const MOST_HOURS: f64 = 100_000.0;

/// Estimate a training run and propose settings for it
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("duration", |arg| {
        arg.help("How long to train, as 24h or 1h30m").required_unless_present("hours")
    }),
    after_help = "\
Games and generations follow from the speed of this machine, which is given or
measured in 10 to 20 seconds with untrained networks (other work on the machine
shows in it). Ratings follow from recorded runs: most of RESULTS.md, those in
runs/ and those given with --run. docs/explanation/plan.md has the model.

JSON: {\"variant\",\"hours\",\"machines\",\"outlooks\":[{\"preset\",\"simulations\",
\"fast_simulations\",\"games_per_generation\",\"samples_per_position\",\"options\",
\"pace\":{\"positions_per_s\",\"samples_per_s\"},\"generations\",\"games\",\"samples\",
\"learning_share\",\"course\":[{\"hours\",\"games\",\"elo\",\"ci95\"}],\"unknown\",
\"gain\":{\"elo\",\"ci95\"}}],\"proposed\",\"commands\",\"notes\"}.

Examples:
  crownhead plan english --for 24h
  crownhead plan thai --for 8h --machines 8
  crownhead plan english --for 8h --run runs/english-small
  crownhead plan frisian --for 1h --positions-per-s 15000 --samples-per-s 16000"
)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    game: GameArg,
    #[command(flatten)]
    time: ForArg,
    /// Hours of training
    #[arg(long, hide = true, value_name = "N", conflicts_with = "duration", value_parser = number_in(LEAST_HOURS, MOST_HOURS))]
    hours: Option<f64>,
    /// Machines like this one, the trainer among them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    machines: u32,
    /// A run that is evidence too; may be repeated
    #[arg(long, alias = "from", value_name = "RUN", add = complete::runs())]
    run: Vec<RunPlace>,
    /// Instead of measuring: positions a second in self-play with nano (crownhead bench selfplay)
    #[arg(long, value_name = "N", requires = "samples_per_s", value_parser = number_in(1_f64, 1e9))]
    positions_per_s: Option<f64>,
    /// Instead of measuring: samples a second in training with nano (crownhead bench training)
    #[arg(long, value_name = "N", requires = "positions_per_s", value_parser = number_in(1_f64, 1e9))]
    samples_per_s: Option<f64>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl PlanArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (variant, hours) = (self.game.variant(), self.hours()?);
        let mut evidence = Evidence::recorded()?;
        evidence.add_all(Path::new(complete::RUNS));
        for run in &self.run {
            evidence.add(&RunDir::open(&run.0)?)?;
        }
        let given = self.positions_per_s.zip(self.samples_per_s);
        let choices = match given {
            Some((positions_per_s, samples_per_s)) => {
                let pace = Pace {
                    positions_per_s,
                    samples_per_s,
                };
                Choices::given(variant, pace, &evidence)?
            }
            None => Choices::measured(variant, self.threads.threads, &evidence, &mut |preset| {
                note!("Measuring {preset} on this machine.");
            })?,
        };
        let request = PlanRequest {
            variant,
            hours,
            machines: self.machines,
            positions_per_game: choices.positions_per_game,
        };
        output.result(&plan(&evidence, &request, &choices.all))
    }

    /// Training time in hours.
    fn hours(&self) -> Result<f64, RequestError> {
        let duration = self.time.duration.unwrap_or_default();
        let hours = self.hours.unwrap_or(duration.as_secs_f64() / 3600.0);
        match (LEAST_HOURS..=MOST_HOURS).contains(&hours) {
            true => Ok(hours),
            false => Err(RequestError(format!(
                "--for {duration:?} cannot be planned: write 36s to {MOST_HOURS}h"
            ))),
        }
    }
}
