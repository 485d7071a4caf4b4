//! `crownhead book expand`.

use std::path::PathBuf;

use clap::ValueHint;
use roster::PlayerSpec;
use study::books::{Expansion, expand};

use crate::complete;
use crate::display::showing;
use crate::options::{GameOption, ThreadsArg};
use crate::output::{Interrupted, Output};

/// Expand a book by searching the positions where players leave it first
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| arg.help("The game of a new book, if the player has several")),
    after_help = "\
Drop-out expansion: of the positions outside the book those are searched that
few plies and small losses lead to, counted from the start. All moves of a
position get values, ten at most, which are backed up to the start. So the best
lines become long, and answers to worse moves are known too.

BOOK may be new, or have games. Positions are searched on all cores, one thread
each. Ctrl-C saves, and the same command continues; the finished book does not
depend on interruptions nor on the number of threads.

Examples:
  crownhead book expand english.book --variant english --positions 2000
  crownhead book expand frisian.book --player ab:frisian --positions 500")]
pub(crate) struct ExpandArgs {
    /// The book
    #[arg(value_name = "BOOK", value_hint = ValueHint::FilePath)]
    book: PathBuf,
    /// The player that searches [default: the strongest of the game]
    #[arg(long, value_name = "PLAYER", add = complete::players())]
    player: Option<PlayerSpec>,
    /// Nodes or simulations for each position
    /// [default: 100000 nodes, or 64 simulations of a network]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Searched positions of the finished book
    #[arg(long, value_name = "N")]
    positions: usize,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl ExpandArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let request = Expansion {
            file: self.book,
            variant: self.game.variant,
            player: self.player,
            nodes: self.nodes,
            positions: self.positions,
            threads: self.threads.count(),
        };
        let stop = crate::commands::stop_on_ctrl_c()?;
        let (summary, is_complete) = showing(|progress| expand(&request, progress, &stop))?;
        output.result(&summary)?;
        let n = summary.searched;
        let stopped = format!("Stopped after {n} positions: the same command continues.");
        anyhow::ensure!(is_complete, Interrupted(stopped));
        Ok(())
    }
}
