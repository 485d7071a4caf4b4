//! What a call of `train` ends with: rating table, curve, what to do next.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

use super::budget::show_duration;
use super::chart;
use super::generation::Training;
use super::plot::Plotted;
use super::rating::{RatingPoint, Ratings};
use super::status::Status;
use crate::output::Output;

#[derive(Serialize)]
struct Report<'a> {
    run: String,
    status: &'a Status,
    ratings: &'a Ratings,
}

/// Rates the champion once more, with half as many games again as usual, and writes the report.
pub(crate) fn print(
    training: &mut Training,
    dir: &Path,
    output: &mut Output,
) -> anyhow::Result<()> {
    training.stop.reset();
    let usual = training.file.resolved.config.rating.pairs;
    training.measure(usual + usual / 2)?;
    training.write_status(false)?;
    training.display.close();
    let ratings: Ratings = training.run.ratings()?.unwrap_or_default();
    if output.is_json() {
        let run = dir.display().to_string();
        return Ok(output.json(&Report {
            run,
            status: &training.status,
            ratings: &ratings,
        })?);
    }
    writeln!(output, "{}", table(&ratings.points))?;
    writeln!(output, "{}", curve(&ratings.points))?;
    for warning in training.status.warnings() {
        writeln!(output, "Note: {warning}.")?;
    }
    let (dir, variant) = (dir.display(), training.variant);
    writeln!(
        output,
        "The champion is model {} of {dir}.",
        training.state.champion
    )?;
    writeln!(
        output,
        "\nGo on training      crownhead train {variant} --run {dir}"
    )?;
    writeln!(
        output,
        "Test it             crownhead match run:{dir} alphabeta:depth=6 --pairs 100 --sims 64"
    )?;
    writeln!(
        output,
        "See its curves      tensorboard --logdir {dir}/tensorboard"
    )?;
    Ok(())
}

/// The chart of these ratings.
pub(crate) fn curve(points: &[RatingPoint]) -> String {
    let rated: Vec<Plotted> = points
        .iter()
        .map(|point| Plotted {
            x: point.seconds / 60.0,
            elo: point.elo,
            ci95: point.interval(),
        })
        .collect();
    chart::draw(&rated)
}

/// The newest ratings, one a line, and what the intervals mean.
pub(crate) fn table(points: &[RatingPoint]) -> String {
    let mut text = String::from("   time  generation  champion   Elo above random\n");
    for point in points.iter().skip(points.len().saturating_sub(12)) {
        let time = show_duration(std::time::Duration::from_secs_f64(point.seconds));
        text.push_str(&format!(
            "{time:>7}  {:>10}  {:>8}   {:>6.0} ±{:.0}\n",
            point.generation,
            point.model,
            point.elo,
            point.interval()
        ));
    }
    if let Some(last) = points.last().filter(|last| last.ci95_on_scale.is_some()) {
        text.push_str(&format!(
            "±: 95 % intervals of these games. All of them may be off together, since the baselines' own \
             ratings\nare uncertain: from random the last one is ±{:.0}. That part is the same in all \
             runs.\n",
            last.ci95
        ));
    }
    text
}
