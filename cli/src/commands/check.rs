//! `crownhead check` and `crownhead repair`: what is wrong with the files of a run, and mending it.

use std::io::Write as _;
use std::path::PathBuf;

use pipeline::integrity::{self, RunFault};

use crate::output::Output;

/// Look for damaged, foreign and missing files in a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every file is looked at: settings, progress, models, training states, gates, ratings, games, curves,
status, endgame database. Nothing is changed, and the run may be training.

Exit status: 0 all is well, 1 something is wrong.
JSON: {\"faults\":[{\"file\",\"what\",\"found\",\"expected\",\"mend\"}]}.

Examples:
  crownhead check runs/english
  crownhead check runs/english --replay 20")]
pub(crate) struct CheckArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Play so many games again, by the networks that played them, and compare them bit for bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    replay: usize,
}

/// Mend a run: set aside what is bad, make anew what can be made
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Nothing is deleted: what is bad moves to RUN/set-aside/DATE/, with the reasons. The run must not be training.

run.toml comes from its copy, the champion from the gates, ratings from their games. A damaged model or
training state is made again from the training state before it, with the same outcome; where there is none,
training goes on from the newest model with an optimiser that begins fresh.

Exit status: 0 the run goes on, 1 something is still wrong.
JSON as of crownhead check; \"mend\" says what was done.

Examples:
  crownhead repair runs/english")]
pub(crate) struct RepairArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

impl CheckArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let faults = integrity::check(&self.run, self.replay)?;
        print(&faults, output)?;
        anyhow::ensure!(faults.is_empty(), "faults found: {}", faults.len());
        Ok(())
    }
}

impl RepairArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let faults = integrity::repair(&self.run)?;
        print(&faults, output)?;
        let left = integrity::check(&self.run, 0)?;
        anyhow::ensure!(left.is_empty(), "faults that are left: {}", left.len());
        Ok(())
    }
}

fn print(faults: &[RunFault], output: &mut Output) -> anyhow::Result<()> {
    if output.is_json() {
        json_line!(output, faults: faults)?;
        return Ok(output.flush()?);
    }
    if faults.is_empty() {
        writeln!(output, "All is well.")?;
    }
    for fault in faults {
        writeln!(output, "{fault}")?;
    }
    Ok(output.flush()?)
}
