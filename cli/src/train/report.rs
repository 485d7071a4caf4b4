//! What a call of `train` ends with: rating table, curve, what to do next.

use std::io::Write as _;
use std::path::Path;

use pipeline::doctor::examine;
use pipeline::{Ratings, Run, Status, plot};

use crate::commands::doctor;
use crate::output::Output;

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
        return json_line!(output, run: run, status: status, ratings: ratings);
    }
    writeln!(output, "{ratings}\n{}", plot::chart(&ratings.points))?;
    doctor::notes(&examine(run.dir())?, output)?;
    let (dir, variant) = (dir.display(), run.variant());
    let champion = run.state().champion;
    Ok(writeln!(
        output,
        "The champion is model {champion} of {dir}.\n
Resume training     crownhead train {variant} --run {dir}
Test it             crownhead match run:{dir} alphabeta:depth=6 --pairs 100 --sims 64
See its curves      tensorboard --logdir {dir}/tensorboard"
    )?)
}
