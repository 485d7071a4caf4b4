//! What a call of `train` ends with: rating table, curve, what to do next.

use std::io::Write as _;
use std::path::Path;

use pipeline::doctor::examine;
use pipeline::plot::{self, Axis, Curve};
use pipeline::{RatingPoint, Ratings, Run, Status};
use serde::Serialize;

use super::budget::show_duration;
use super::progress::direct_score;
use crate::commands::doctor;
use crate::output::Output;

#[derive(Serialize)]
struct Report<'a> {
    run: String,
    status: &'a Status,
    ratings: &'a Ratings,
}

/// Writes the report.
pub(crate) fn print(
    run: &Run,
    status: &Status,
    dir: &Path,
    output: &mut Output,
) -> anyhow::Result<()> {
    let ratings: Ratings = run.dir().ratings()?.unwrap_or_default();
    if output.is_json() {
        let run = dir.display().to_string();
        return Ok(output.json(&Report {
            run,
            status,
            ratings: &ratings,
        })?);
    }
    writeln!(output, "{}", table(&ratings))?;
    writeln!(output, "{}", curve(&ratings.points))?;
    doctor::notes(&examine(run.dir())?, output)?;
    let (dir, variant) = (dir.display(), run.variant());
    writeln!(
        output,
        "The champion is model {} of {dir}.",
        run.state().champion
    )?;
    writeln!(
        output,
        "\nResume training     crownhead train {variant} --run {dir}"
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
    let curve = Curve::of(String::new(), points, Axis::Time);
    curve.map_or_else(String::new, |curve| plot::draw(&curve.points))
}

/// The newest ratings, one a line, and what the intervals mean.
pub(crate) fn table(ratings: &Ratings) -> String {
    let points = &ratings.points;
    let mut text =
        String::from("   time  generation  champion   Elo above random   directly (expected)\n");
    for point in points.iter().skip(points.len().saturating_sub(12)) {
        let time = show_duration(std::time::Duration::from_secs_f64(point.seconds));
        let rating = format!("{:>6.0} ±{:.0}", point.elo, point.interval());
        let direct = point.direct.as_ref().map_or_else(String::new, |direct| {
            let (score, expected) = (direct_score(direct), 100.0 * direct.expected);
            format!("{score} in {} games ({expected:.0} %)", direct.games)
        });
        let line = format!(
            "{time:>7}  {:>10}  {:>8}   {rating:<16}   {direct}",
            point.generation, point.model,
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Some(last) = points.last().filter(|last| last.ci95_on_scale.is_some()) {
        text.push_str(&format!(
            "±: 95 % intervals of these games. All of them may be off together, since the baselines' own \
             ratings\nare uncertain: from random the last one is ±{:.0}. That part is the same in all \
             runs.\n",
            last.ci95
        ));
    }
    if let Some(fit) = &ratings.fit {
        text.push_str(&format!("Fit: {fit}.\n"));
    }
    text
}
