//! `crownhead status`: where a run stands, how fast it is, what looks wrong.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use fleet::FleetStatus;
use pipeline::doctor::examine;
use pipeline::plot::{self, Axis};
use pipeline::{Ratings, Status};

use crate::commands::doctor;
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
            show(path, output)?;
        }
        Ok(())
    }
}

fn show(path: &Path, output: &mut Output) -> anyhow::Result<()> {
    let (run, file) = super::data::open(path)?;
    let status: Status = run.status()?.with_context(|| {
        format!(
            "{} has no status yet: its training has not begun",
            path.display()
        )
    })?;
    let ratings: Ratings = run.ratings()?.unwrap_or_default();
    let symptoms = examine(&run)?;
    if output.is_json() {
        return json_line!(output, run: path.display().to_string(), status: status, ratings: ratings,
            origin: file.origin, changes: file.changes, symptoms: symptoms);
    }
    write!(output, "{status}")?;
    if let Some(line) = FleetStatus::of_run(path).and_then(|fleet| fleet.line()) {
        writeln!(output, "fleet       {line}")?;
    }
    if let Some(origin) = &file.origin {
        writeln!(output, "began with  {origin}")?;
    }
    for change in &file.changes {
        writeln!(output, "setting     {change}")?;
    }
    if !ratings.points.is_empty() {
        writeln!(output, "\n{ratings}\n{}", plot::chart(&ratings.points))?;
    }
    doctor::notes(&symptoms, output)
}
