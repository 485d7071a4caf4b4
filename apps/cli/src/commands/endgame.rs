//! `crownhead endgame`: databases of exact values for positions with few pieces.

mod build;
mod measure;
mod probe;

use crate::output::Output;

/// Build endgame databases, probe them, and test networks on them
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
A database has the result with best play of every position with few pieces.
Counters are left out of its values; probe says which of them hold all the same.

Examples:
  crownhead endgame build english --pieces 4 --verify
  crownhead endgame probe english --fen 'W:WK14,K15:BK1'
  crownhead endgame measure run:runs/english run:runs/english@10
  crownhead match run:runs/english,endgames=endgames run:runs/english")]
pub(crate) enum EndgameCommand {
    Build(build::BuildArgs),
    Probe(probe::ProbeArgs),
    Measure(measure::MeasureArgs),
}

impl EndgameCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self {
            EndgameCommand::Build(args) => args.run(output),
            EndgameCommand::Probe(args) => args.run(output),
            EndgameCommand::Measure(args) => args.run(output),
        }
    }
}
