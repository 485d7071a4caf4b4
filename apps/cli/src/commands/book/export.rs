//! `crownhead book export`.

use std::path::PathBuf;

use clap::ValueHint;
use study::books::export;

use crate::options::ToArg;
use crate::output::Output;

/// Write the lines of a book as PDN, the best first
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.value_name("FILE").help("The PDN file to write")),
    after_help = "\
Every line is a game without a result. A line ends where the book does, or where
it meets a line that came before. The comment of a move has its figures, in the
first line with this move.

Examples:
  crownhead book export english.book --to book.pdn
  crownhead match ab:english random --openings book.pdn,plies=6")]
pub(crate) struct ExportArgs {
    /// The book
    #[arg(value_name = "BOOK", value_hint = ValueHint::FilePath)]
    book: PathBuf,
    #[command(flatten)]
    to: ToArg,
}

impl ExportArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let book = store::read_book(&self.book)?;
        output.result(&export(&book, &self.to.to)?)
    }
}
