//! `crownhead data`: the games of a run.

mod check;
mod export;
mod stats;

use std::path::Path;

use store::{Damage, RunDir};

use run::config::RunFile;

use crate::output::Output;

/// Check, describe and export the games of a run
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  crownhead data check runs/english
  crownhead data stats runs/english --format json
  crownhead data export runs/english --to positions.parquet")]
pub(crate) enum DataCommand {
    Check(check::CheckArgs),
    Stats(stats::StatsArgs),
    Export(export::ExportArgs),
}

impl DataCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self {
            DataCommand::Check(args) => args.run(output),
            DataCommand::Stats(args) => args.run(output),
            DataCommand::Export(args) => args.run(output),
        }
    }
}

/// Opens a run and its `run.toml`.
pub(super) fn open(dir: &Path) -> anyhow::Result<(RunDir, RunFile)> {
    let run = RunDir::open(dir)?;
    let file = RunFile::read(&run)?;
    Ok((run, file))
}

/// Names damaged games that were left out.
pub(super) fn note_damage(damage: &[Damage]) {
    for damage in damage {
        note!("warning: skipped damaged games: {damage}");
    }
}
