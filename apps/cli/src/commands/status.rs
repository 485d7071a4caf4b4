//! `crownhead status`: progress of a run, its speed, its problems.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use lab::Overview;
use lab::plot::{self, Axis};

use crate::options::{RunsArg, one_of};
use crate::output::Output;
use crate::paint::Paint;

/// Show a run's progress, its ratings, its speed and its problems
#[derive(Debug, Args)]
#[command(after_help = "\
In the table, `games` and `score (expected), against` are the champion's games
against the nearest baseline, its score, and the score that the ratings predict.
Several runs are compared in one picture.

Examples:
  crownhead status runs/english
  crownhead status runs/english --plot english.svg
  crownhead status runs/a runs/b --plot compared.svg --axis games")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    runs: RunsArg,
    /// Draw the ratings, with their 95 % intervals, as a picture: FILE.svg
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    plot: Option<PathBuf>,
    /// The picture's horizontal axis
    #[arg(long, default_value = "time", requires = "plot", value_parser = one_of([
        ("time", "Minutes of training", Axis::Time),
        ("games", "Games of self-play", Axis::Games),
    ]))]
    axis: Axis,
}

impl StatusArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let runs = self.runs.paths();
        if let Some(path) = &self.plot {
            plot::draw_runs(&runs, self.axis, path)?;
        }
        for (number, path) in runs.iter().enumerate() {
            if number > 0 && !output.is_json() {
                writeln!(output)?;
            }
            if runs.len() > 1 && !output.is_json() {
                writeln!(output, "run         {}", path.display())?;
            }
            let overview = Overview::read(path)?;
            output.painted(&overview)?;
            let points = overview.ratings.points.iter();
            let ratings: Vec<f64> = points.map(|point| point.elo).collect();
            if let Some(curve) = Paint::stdout()
                .curve(&ratings)
                .filter(|_| !output.is_json())
            {
                writeln!(output, "ratings     {curve}")?;
            }
        }
        Ok(())
    }
}
