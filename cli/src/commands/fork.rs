//! `crownhead fork`: a run that goes on from a generation of another.

use std::path::PathBuf;

use pipeline::origin::{ForkReport, fork};

use crate::config_args::ConfigArgs;
use crate::output::Output;

/// Begin a run that goes on from a generation of another, with other settings if you like
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The new run has the other one's games, models, gates, ratings and curves until then, as hard links where
the file system has them; the other run stays as it is. The optimiser's state is kept from a run's newest
model; from an earlier one the optimiser begins fresh. Settings that are given hold from the next generation
on. If they ask for more channels or blocks the run grows: the larger network begins with what the smaller one
has learnt.

Examples:
  crownhead fork runs/english@40 --to runs/slower --set train.learning_rate=0.0005
  crownhead fork runs/english --to runs/more-visits --set search.simulations=64
  crownhead fork runs/english --to runs/larger --set model.channels=64
  crownhead train english --run runs/slower --for 20m")]
pub(crate) struct ForkArgs {
    /// The other run, and after which generation: DIR@N, or DIR for its newest
    #[arg(value_name = "RUN@N")]
    from: String,
    /// Where the new run is kept
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

impl ForkArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let run = fork(&self.from, &self.to, &self.config.sources())?;
        output.result(&ForkReport::from(&run))
    }
}
