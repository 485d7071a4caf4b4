//! `crownhead endgame`: databases of exact values for positions with few pieces.

mod build;
mod measure;
mod probe;

use clap::Subcommand;

use crate::output::Output;

/// Build endgame databases, probe them, and test networks on them
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A database has the result with best play of every position with few pieces.
Counters are left out of its values; probe says which of them hold all the same.

Examples:
  crownhead endgame build english --pieces 4 --verify
  crownhead endgame probe english --fen 'W:WK14,K15:BK1'
  crownhead endgame measure run:runs/english run:runs/english@10
  crownhead match run:runs/english,endgames=endgames run:runs/english")]
pub(crate) struct EndgameCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Build(build::BuildArgs),
    Probe(probe::ProbeArgs),
    Measure(measure::MeasureArgs),
}

impl EndgameCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self.action {
            Action::Build(args) => args.run(output),
            Action::Probe(args) => args.run(output),
            Action::Measure(args) => args.run(output),
        }
    }
}
