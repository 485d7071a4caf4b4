//! `crownhead endgame measure`.

use std::io::Write as _;

use endgame::MAX_PIECES;
use lab::endgames::{EndgameExam, EndgameFigures, EndgameTest};
use roster::ModelSource;

use crate::complete;
use crate::options::{SimsArg, ThreadsArg};
use crate::output::Output;

/// Measure networks and their search on positions whose truth is known
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("simulations", |arg| arg.help("Simulations of the search")),
    after_help = "\
The value error is the mean distance of the value (win - loss) from the truth
(-1, 0 or 1). A blunder is a move that throws away a win or a draw; its share is
among the positions where there is one. The positions are quiet, equally many
for each number of pieces, among these equally many won, drawn and lost ones,
and the same in every call. The databases are built for it and not kept.

Examples:
  crownhead endgame measure run:runs/english
  crownhead endgame measure run:runs/thai@10 run:runs/thai@40 --pieces 4"
)]
pub(crate) struct MeasureArgs {
    /// The networks: run:DIR, run:DIR@42 or model:DIR
    #[arg(required = true, value_name = "MODEL", add = complete::runs())]
    models: Vec<ModelSource>,
    /// The most pieces, 2 to 5
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=MAX_PIECES as i64))]
    pieces: u8,
    /// Positions to ask about
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    #[command(flatten)]
    sims: SimsArg<16>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl MeasureArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if !output.is_json() {
            write!(output, "{}", EndgameFigures::HEAD)?;
        }
        let test = EndgameTest {
            pieces: self.pieces.into(),
            positions: self.positions as usize,
            simulations: self.sims.simulations,
            threads: self.threads.count(),
        };
        let mut exam = EndgameExam::new(test);
        for source in &self.models {
            output.result(&exam.measure(&source.load()?)?)?;
        }
        Ok(())
    }
}
