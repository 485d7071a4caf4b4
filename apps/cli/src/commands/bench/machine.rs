//! `crownhead bench machine`: one score for each part of the work.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use lab::bench::{Bench, Score};
use rules::Variant;
use run::config::ConfigSources;

use super::USUAL_TIME;
use crate::options::ForArg;
use crate::output::Output;

/// Measure this machine: one score for each part of the work
///
/// All machines measure the same: english, with the network and the settings
/// that training has by default, on all cores. Nothing else should run.
#[derive(Args, Debug)]
#[command(
    mut_arg("duration", |arg| arg.help("Time of each measurement [default: 3s]")),
    after_help = "\
The last lines are a row of the table of machines in BENCHMARKS.md.
CONTRIBUTING.md says how to add it. The disk is that of the current folder.

Examples:
  crownhead bench machine
  crownhead bench machine --for 10s"
)]
pub(super) struct MachineArgs {
    #[command(flatten)]
    time: ForArg,
}

impl MachineArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let time: Duration = self.time.duration.unwrap_or(USUAL_TIME);
        let variant = Variant::GAMES[0];
        let config = ConfigSources::default().resolve(variant)?.config;
        let mut bench = Bench::new(variant, config, time)?;
        let folder = tempfile::tempdir_in(".").context("failed to create a folder to write to")?;
        let mut row = format!("| {} | {} |", lab::usage::processor(), bench.threads);
        for score in Score::ALL {
            let figure = bench.score(score, folder.path())?;
            if !output.is_json() {
                writeln!(output, "{figure}")?;
            }
            row += &format!(" {:.1} |", figure.value);
        }
        if output.is_json() {
            return output.json(&bench.report());
        }
        writeln!(output, "\n{row} {} |", env!("CROWNHEAD_VERSION"))?;
        Ok(())
    }
}
