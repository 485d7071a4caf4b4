//! `crownhead puzzles`: finds puzzles in the games of a run.

use std::path::PathBuf;

use clap::ValueHint;
use study::puzzles::{PuzzleRequest, mine};

use crate::display::showing;
use crate::options::{RunArg, ThreadsArg};
use crate::output::Output;

/// Find puzzles in the games of a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A puzzle is a position where exactly one move wins, or exactly one keeps the
draw. The strongest player of the game verifies it by a search of --nodes. The
grade is the number of simulations from which on the run's network finds the
move. `crownhead serve --puzzles FILE` lets people solve them on the page.
Ctrl-C ends the search and writes the puzzles found by then.

The file is JSON: {\"format\",\"variant\",\"puzzles\":[{\"fen\",\"goal\",\"solution\",
\"simulations\",\"source\"}]}; source is generation, game and ply.

Examples:
  crownhead puzzles runs/english --to puzzles.json
  crownhead puzzles runs/frisian --to hard.json --games 2000 --nodes 1000000")]
pub(crate) struct PuzzlesArgs {
    #[command(flatten)]
    run: RunArg,
    /// The file to write, JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    to: PathBuf,
    /// Games to look at, the newest first
    #[arg(long, value_name = "N", default_value_t = 500)]
    games: usize,
    /// Puzzles to find at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    most: usize,
    /// Nodes of the search that verifies a puzzle
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl PuzzlesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let request = PuzzleRequest {
            run: self.run.path().to_owned(),
            to: self.to,
            games: self.games,
            most: self.most,
            nodes: self.nodes,
            threads: self.threads.count(),
        };
        let stop = super::stop_on_ctrl_c()?;
        output.result(&showing(|progress| mine(&request, progress, &stop))?)
    }
}
