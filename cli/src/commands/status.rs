//! `crownhead status`: where a run stands, how fast it is, what looks wrong.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use lab::Overview;
use lab::plot::{self, Axis};

use crate::conditions::one_of;
use crate::output::Output;

/// Show where a run stands, its ratings, its speed, and what looks wrong.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crownhead status runs/english
  crownhead status runs/english --plot english.svg
  crownhead status runs/a runs/b --plot compared.svg --axis games")]
pub(crate) struct StatusArgs {
    /// The run's directory; several for a picture that compares them.
    #[arg(required = true, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// Draw the ratings, with their 95 % intervals, as a picture: FILE.svg.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// The picture's horizontal axis.
    #[arg(long, default_value = "time", requires = "plot", value_parser = one_of([
        ("time", "Minutes of training", Axis::Time),
        ("games", "Games of self-play", Axis::Games),
    ]))]
    axis: Axis,
}

impl StatusArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if let Some(path) = &self.plot {
            plot::draw_runs(&self.runs, self.axis, path)?;
        }
        for (number, path) in self.runs.iter().enumerate() {
            if number > 0 && !output.is_json() {
                writeln!(output)?;
            }
            if self.runs.len() > 1 && !output.is_json() {
                writeln!(output, "run         {}", path.display())?;
            }
            output.result(&Overview::read(path)?)?;
        }
        Ok(())
    }
}
