//! `crownhead book openings`.

use std::io::Write as _;

use eval::openings;
use roster::PlayerSpec;
use rules::Variant;
use run::RequestError;
use study::openings::{EvenOpenings, even};

use crate::complete;
use crate::display::showing;
use crate::options::{GameArg, ThreadsArg, number_in};
use crate::output::Output;

/// List the balanced openings from which matches start
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A line an opening, as --openings reads them. The list has every sequence of
moves that reaches another position, but not those that lose a man within five
plies, nor those known as lost. With three plies of english it has the 156
three-move ballots that are played.

With --within a player searches each of them, on all cores, and the list has
those that it finds even. With --drawn it is the list that comes with the
program: --openings drawn.

Examples:
  crownhead book openings english > ballots.txt
  crownhead book openings frisian --plies 4 > frisian.txt
  crownhead book openings frisian --within 5 --nodes 200000 > even.txt
  crownhead match ab:english random --openings ballots.txt,order=file
  crownhead match ab:thai random --openings drawn")]
pub(crate) struct OpeningsArgs {
    #[command(flatten)]
    game: GameArg,
    /// Plies of an opening
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(1_usize, 5))]
    plies: usize,
    /// Only openings whose score a search finds this near to even, as a percentage of a point
    #[arg(long, value_name = "PERCENT", value_parser = number_in(0_f32, 50.0))]
    within: Option<f32>,
    /// The player that searches [default: the strongest of the game]
    #[arg(long, value_name = "PLAYER", requires = "within", add = complete::players())]
    player: Option<PlayerSpec>,
    /// Nodes or simulations for each opening
    /// [default: 100000 nodes, or 64 simulations of a network]
    #[arg(long, value_name = "N", requires = "within", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// The drawn openings that come with the program
    #[arg(long, conflicts_with_all = ["plies", "within"])]
    drawn: bool,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl OpeningsArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        for opening in self.list()? {
            let moves = opening.moves_text();
            result_line!(output, { moves: moves }, "{moves}")?;
        }
        Ok(())
    }

    fn list(self) -> anyhow::Result<Vec<eval::Opening>> {
        let variant = self.game.variant();
        let Some(within) = self.within else {
            return Ok(match self.drawn {
                true => drawn(variant)?,
                false => openings::balanced(variant, self.plies),
            });
        };
        let request = EvenOpenings {
            variant,
            plies: self.plies,
            player: self.player,
            nodes: self.nodes,
            within,
            threads: self.threads.count(),
        };
        let stop = crate::commands::stop_on_ctrl_c()?;
        Ok(showing(|progress| even(&request, progress, &stop))?)
    }
}

/// The list that comes with the program.
fn drawn(variant: Variant) -> Result<Vec<eval::Opening>, RequestError> {
    match openings::drawn(variant) {
        none if none.is_empty() => Err(RequestError(format!(
            "no list of drawn openings of {variant} comes with the program: `crownhead book \
             openings {variant} --within 5` searches for even ones"
        ))),
        list => Ok(list),
    }
}
