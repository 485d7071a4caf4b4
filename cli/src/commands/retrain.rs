//! `crownhead retrain`: a network of any shape, learnt from the recorded games of a run.

use std::path::PathBuf;

use pipeline::Budget;
use pipeline::origin::{recorded_generations, retrain};

use crate::config_args::ConfigArgs;
use crate::output::Output;
use crate::train::follow;

/// Learn a network of any shape from the recorded games of a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The games are learnt in their order, a generation at a time, with the settings of their run but for those
that are given; before each generation is learnt the network is measured on it (validation/fresh_policy
and others in metrics.jsonl), so that shapes can be compared without a match. Gates and ratings wait for
the last generation. What comes out is a run like any other: play, export or compare its models, or let it
go on with games of its own by crownhead train. Ctrl-C saves; the same command goes on.

Examples:
  crownhead retrain runs/english --to runs/wide --set model.channels=96 --set model.blocks=2
  crownhead retrain runs/english@60 --to runs/head --set model.value_hidden=128
  crownhead match run:runs/wide run:runs/english --sims 64")]
pub(crate) struct RetrainArgs {
    /// The run with the games, and until which generation: DIR@N, or DIR for all
    #[arg(value_name = "RUN@N")]
    from: String,
    /// Where the new run is kept
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

impl RetrainArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut run = retrain(&self.from, &self.to, &self.config.sources())?;
        let last = recorded_generations(&run).unwrap_or_default();
        follow(&mut run, Budget::Generations(last), output)
    }
}
