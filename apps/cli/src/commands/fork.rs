//! `crownhead fork`: creates a run that continues from a generation of another.

use run::origin::{ForkReport, fork};

use crate::options::{ConfigArgs, RunAtArg, ToArg};
use crate::output::Output;

/// Branch a run: continue one of its generations elsewhere
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.help("The directory of the new run").value_name("RUN")),
    after_help = "\
The new run has the other one's games, models, gates, ratings and curves up to
that generation, as hard links where the file system has them. The other run
stays as it is. The state of the optimizer is kept from a run's newest model;
from an earlier one the optimizer starts fresh. Settings that are given hold
from the next generation. If they ask for more channels or blocks the network
grows: it starts from the function of the smaller one.

Examples:
  crownhead fork runs/english@40 --to runs/slow --set train.learning_rate=0.0005
  crownhead fork runs/english --to runs/more-visits --set search.simulations=64
  crownhead fork runs/english --to runs/larger --set model.channels=64
  crownhead train english --run runs/slow --for 20m"
)]
pub(crate) struct ForkArgs {
    #[command(flatten)]
    run: RunAtArg,
    #[command(flatten)]
    to: ToArg,
    #[command(flatten)]
    config: ConfigArgs,
}

impl ForkArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let run = fork(&self.run.from, &self.to.to, &self.config.sources())?;
        output.result(&ForkReport::from(&run))
    }
}
