//! `crownhead retrain`: trains a network of any shape on the recorded games of a run.

use run::Budget;
use run::origin::{recorded_generations, retrain};

use crate::options::{ConfigArgs, RunAtArg, ToArg};
use crate::output::Output;
use crate::train::follow;

/// Train a network of any shape on the recorded games of a run
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.help("The directory of the new run").value_name("RUN")),
    after_help = "\
The games are learned in their order, a generation at a time, with the settings
of their run and those that are given. Before each generation is learned the
network is measured on it (validation/fresh_policy and others in metrics.jsonl),
so that shapes can be compared without a match. Gates and ratings wait for the
last generation. The result is a run like any other: play, export or compare its
models, or continue it by crownhead train. Ctrl-C saves; the same command
resumes.

Examples:
  crownhead retrain runs/english --to runs/wide --set model.channels=96
  crownhead retrain runs/english@60 --to runs/head --set model.value_hidden=128
  crownhead match run:runs/wide run:runs/english --sims 64"
)]
pub(crate) struct RetrainArgs {
    #[command(flatten)]
    run: RunAtArg,
    #[command(flatten)]
    to: ToArg,
    #[command(flatten)]
    config: ConfigArgs,
}

impl RetrainArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut run = retrain(&self.run.from, &self.to.to, &self.config.sources())?;
        let last = recorded_generations(&run).unwrap_or_default();
        follow(&mut run, Budget::Generations(last), output)
    }
}
