//! `crownhead status`: where a run stands, how fast it is, what looks wrong.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use store::RunDir;

use crate::output::Output;
use crate::train::{Ratings, Status, endgames, report, show_duration};

/// Shows where a run stands, its ratings, its speed, and what looks wrong.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  crownhead status runs/english")]
pub(crate) struct StatusArgs {
    /// The run's directory.
    #[arg(value_name = "DIR")]
    run: PathBuf,
}

#[derive(Serialize)]
struct Document<'a> {
    run: String,
    status: &'a Status,
    ratings: &'a Ratings,
    warnings: Vec<String>,
}

impl StatusArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let run = RunDir::open(&self.run)?;
        let status: Status = run.status()?.with_context(|| {
            format!(
                "{} has no status yet: its training has not begun",
                self.run.display()
            )
        })?;
        let ratings: Ratings = run.ratings()?.unwrap_or_default();
        let warnings = status.warnings();
        if output.is_json() {
            let run = self.run.display().to_string();
            let document = Document {
                run,
                status: &status,
                ratings: &ratings,
                warnings,
            };
            return Ok(output.json(&document)?);
        }
        write!(output, "{}", overview(&status))?;
        if !ratings.points.is_empty() {
            writeln!(output, "\n{}", report::table(&ratings.points))?;
            writeln!(output, "{}", report::curve(&ratings.points))?;
        }
        for warning in warnings {
            writeln!(output, "Note: {warning}.")?;
        }
        Ok(())
    }
}

fn overview(status: &Status) -> String {
    let time = show_duration(Duration::from_secs_f64(status.seconds));
    let mut lines = vec![
        format!("variant     {}", status.variant),
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
        lines.push(format!("self-play   {}", selfplay.line()));
        lines.push(format!(
            "            {:.0} % of the workers' time in the network",
            100.0 * selfplay.network_share
        ));
    }
    if let Some(training) = &status.training {
        lines.push(format!("training    {}", training.line()));
    }
    if let Some(score) = &status.endgame {
        lines.push(format!("endings     {}", endgames::line(score)));
    }
    if let Some(gate) = &status.gate {
        lines.push(format!("last gate   {gate}"));
    }
    lines.join("\n") + "\n"
}
