//! `crownhead status`: where a run stands, how fast it is, what looks wrong.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use pipeline::config::{RunOrigin, SettingChange};
use pipeline::doctor::{Symptom, examine};
use pipeline::plot::{self, Axis, Curve};
use pipeline::{Ratings, Status};
use serde::Serialize;
use store::RunDir;

use crate::commands::{doctor, fleet};
use crate::output::{Output, Usage};
use crate::train::{progress, report, show_duration};

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
    #[arg(long, value_enum, default_value = "time", requires = "plot")]
    axis: AxisArg,
}

/// What the horizontal axis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum AxisArg {
    /// Minutes of training.
    Time,
    /// Games of self-play.
    Games,
}

impl From<AxisArg> for Axis {
    fn from(axis: AxisArg) -> Axis {
        match axis {
            AxisArg::Time => Axis::Time,
            AxisArg::Games => Axis::Games,
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    run: String,
    status: &'a Status,
    ratings: &'a Ratings,
    /// What the run began from; nothing for an untrained network and no games.
    origin: &'a Option<RunOrigin>,
    /// Settings that have changed since.
    changes: &'a [SettingChange],
    symptoms: Vec<Symptom>,
}

impl StatusArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if let Some(path) = &self.plot {
            self.draw(path)?;
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

    /// Writes the picture.
    fn draw(&self, path: &Path) -> anyhow::Result<()> {
        if path.extension().is_none_or(|extension| extension != "svg") {
            let message = format!(
                "--plot {}: pictures are SVG: give a name that ends in .svg",
                path.display()
            );
            return Err(Usage(message).into());
        }
        let curves: Vec<Curve> = self
            .runs
            .iter()
            .map(|run| curve(run, self.axis.into()))
            .collect::<anyhow::Result<_>>()?;
        fs::write(path, plot::svg(&curves, self.axis.into()))
            .with_context(|| format!("failed to write {}", path.display()))
    }
}

/// The ratings of a run as a curve.
fn curve(path: &Path, axis: Axis) -> anyhow::Result<Curve> {
    let ratings: Ratings = RunDir::open(path)?.ratings()?.unwrap_or_default();
    anyhow::ensure!(
        !ratings.points.is_empty(),
        "{} has no rating yet: train on until it has one",
        path.display()
    );
    let name = path.display().to_string();
    Curve::of(name, &ratings.points, axis).with_context(|| {
        format!(
            "{} was rated by a version that did not note the games of self-play: leave out --axis games",
            path.display()
        )
    })
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
        let run = path.display().to_string();
        let document = Document {
            run,
            status: &status,
            ratings: &ratings,
            origin: &file.origin,
            changes: &file.changes,
            symptoms,
        };
        return Ok(output.json(&document)?);
    }
    write!(output, "{}", overview(&status))?;
    if let Some(line) = fleet::line(path) {
        writeln!(output, "fleet       {line}")?;
    }
    if let Some(origin) = &file.origin {
        writeln!(output, "began with  {origin}")?;
    }
    for change in &file.changes {
        writeln!(output, "setting     {change}")?;
    }
    if !ratings.points.is_empty() {
        writeln!(output, "\n{}", report::table(&ratings))?;
        writeln!(output, "{}", report::curve(&ratings.points))?;
    }
    doctor::notes(&symptoms, output)
}

fn overview(status: &Status) -> String {
    let time = show_duration(Duration::from_secs_f64(status.seconds));
    let state = match (status.running, status.interrupted) {
        (true, _) => "training",
        (_, true) => "interrupted: the same command goes on",
        _ => "not running",
    };
    let mut lines = vec![
        format!("variant     {}", status.variant),
        format!("process     {state}"),
        format!(
            "trained     {time}, {} games, {} steps",
            status.games, status.steps
        ),
        format!(
            "next        {} of generation {}",
            status.stage, status.generation
        ),
        format!(
            "champion    model {} (newest: {})",
            status.champion, status.newest
        ),
    ];
    if let Some(selfplay) = &status.selfplay {
        lines.push(format!("self-play   {}", progress::selfplay_line(selfplay)));
        lines.push(format!(
            "            {:.0} % of the workers' time in the network",
            100.0 * selfplay.network_share
        ));
    }
    if let Some(training) = &status.training {
        lines.push(format!("training    {}", progress::training_line(training)));
    }
    if let Some(score) = &status.endgame {
        lines.push(format!("endings     {}", progress::endgame_line(score)));
    }
    if let Some(gate) = &status.gate {
        lines.push(format!("last gate   {gate}"));
    }
    lines.join("\n") + "\n"
}
