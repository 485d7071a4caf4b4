//! `crownhead book build`.

use std::path::PathBuf;

use clap::ValueHint;
use study::books::{BookSources, build};

use crate::display::showing;
use crate::options::{EncodingOption, GameOption, ToArg, number_in};
use crate::output::Output;

/// Build a book from the games of runs and of PDN files, and from other books
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.value_name("BOOK").help("The book to write")),
    mut_arg("variant", |arg| arg.help("The game, if the sources do not say which one it is")),
    after_help = "\
Every move is counted with the result of its game. A position that is reached in
several ways, or with colors swapped, is counted once. Games of other kinds and
from other positions than the usual start are left out; of a game with a fault
the moves before it count.

Examples:
  crownhead book build runs/english --to english.book
  crownhead book build tinsley.pdn club.pdn --to english.book --min-games 1
  crownhead book build old.book new.pdn --to merged.book")]
pub(crate) struct BuildArgs {
    /// Runs, PDN files and books; - for standard input
    #[arg(required = true, value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    to: ToArg,
    /// Plies of each game to count
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = number_in(1_usize, 200))]
    plies: usize,
    /// Leave out moves that were played in fewer games
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_games: u32,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    encoding: EncodingOption,
}

impl BuildArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let sources = BookSources {
            sources: self.sources,
            variant: self.game.variant,
            encoding: self.encoding.encoding,
            plies: self.plies,
            min_games: self.min_games,
        };
        let (summary, notices) = showing(|progress| build(&sources, &self.to.to, progress))?;
        for notice in notices {
            note!("{notice}");
        }
        output.result(&summary)
    }
}
