//! `crownhead check` and `crownhead repair`: find and repair damaged files of a run.

use std::io::Write as _;

use run::integrity::{self, Replay, RunFault};

use crate::options::RunArg;
use crate::output::Output;

/// Find damaged, foreign and missing files in a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every file is checked: settings, progress, models, training states, gates,
ratings, games, curves, status, endgame database. Nothing is changed, and the
run may be training.

Exit status: 0 no fault was found, 1 there are faults.
JSON: {\"faults\":[{\"file\",\"what\",\"found\",\"expected\",\"mend\"}],
\"replayed\"}, the latter the number of games replayed.

Examples:
  crownhead check runs/english
  crownhead check runs/english --replay 20")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    run: RunArg,
    /// Replay this many games with the networks that played them, and compare them bit for bit,
    /// if no file is faulty
    #[arg(long, value_name = "N", default_value_t = 0)]
    replay: usize,
}

/// Repair the damaged files of a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Nothing is deleted: bad files move to RUN/set-aside/DATE/, with the reasons. The
run must not be training.

run.toml is restored from its copy, the champion from the gates, ratings from
their games. A damaged model or training state is computed again from the
training state before it, with the same outcome; where there is none, training
continues from the newest model with a fresh optimizer. A repair that would set
aside most of the run is refused unless --yes is given.

Exit status: 0 the run can continue, 1 there are faults left.
JSON: {\"faults\"} as from crownhead check; \"mend\" says what was done.

Examples:
  crownhead repair runs/english")]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    run: RunArg,
    /// Repair even if most of the run is set aside
    #[arg(long)]
    yes: bool,
}

impl CheckArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut faults = integrity::check(self.run.path())?;
        let mut replayed = Replay::default();
        if faults.is_empty() && self.replay > 0 {
            replayed = integrity::replay(self.run.path(), self.replay)?;
            faults.append(&mut replayed.faults);
        }
        let n_replayed = replayed.n_replayed;
        if output.is_json() {
            json_line!(output, faults: &faults, replayed: n_replayed)?;
        } else {
            print(&faults, output)?;
            if self.replay > 0 {
                writeln!(output, "Games replayed: {n_replayed}.")?;
            }
            if replayed.n_unrepeatable > 0 {
                writeln!(
                    output,
                    "Games that cannot be replayed, because their network is missing or an earlier \
                     version played them in another way: {}.",
                    replayed.n_unrepeatable
                )?;
            }
        }
        anyhow::ensure!(faults.is_empty(), "faults found: {}", faults.len());
        Ok(())
    }
}

impl RepairArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let faults = integrity::repair(self.run.path(), self.yes)?;
        print(&faults, output)?;
        let left = integrity::check(self.run.path())?;
        anyhow::ensure!(left.is_empty(), "faults left: {}", left.len());
        Ok(())
    }
}

fn print(faults: &[RunFault], output: &mut Output) -> anyhow::Result<()> {
    if output.is_json() {
        return json_line!(output, faults: faults);
    }
    if faults.is_empty() {
        writeln!(output, "All is well.")?;
    }
    for fault in faults {
        writeln!(output, "{fault}")?;
    }
    Ok(())
}
