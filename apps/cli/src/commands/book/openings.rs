//! `crownhead book openings`.

use std::io::Write as _;

use eval::openings;

use crate::options::{GameArg, number_in};
use crate::output::Output;

/// List the balanced openings from which matches start
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A line an opening, as --openings reads them. The list has every sequence of
moves that reaches another position, but not those that lose a man within five
plies, nor those known as lost. With three plies of english it has the 156
three-move ballots that are played.

Examples:
  crownhead book openings english > ballots.txt
  crownhead book openings frisian --plies 4 > frisian.txt
  crownhead match ab:english random --openings ballots.txt,order=file")]
pub(super) struct OpeningsArgs {
    #[command(flatten)]
    game: GameArg,
    /// Plies of an opening
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(1_usize, 5))]
    plies: usize,
}

impl OpeningsArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        for opening in openings::balanced(self.game.variant(), self.plies) {
            let moves = opening.moves_text();
            match output.is_json() {
                true => json_line!(output, moves: moves)?,
                false => writeln!(output, "{moves}")?,
            }
        }
        Ok(())
    }
}
