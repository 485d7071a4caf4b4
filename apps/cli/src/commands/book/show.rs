//! `crownhead book show`.

use std::path::PathBuf;

use clap::ValueHint;
use study::books::{BookSummary, position};

use crate::output::Output;

/// Show a book, and its moves of a position
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The best move comes first: a player without variety plays it. The score is that
of the side that moves, in the games of the book; the value is the score that
the searches expect.

JSON: {\"file\",\"variant\",\"positions\",\"searched\",\"analyst\",\"bytes\"}, then
{\"fen\",\"moves\":[{\"move\",\"games\",\"wins\",\"draws\",\"losses\",\"score\",\"value\"}]}.

Examples:
  crownhead book show english.book
  crownhead book show english.book --moves '11-15 23-19'
  crownhead book show english.book --fen 'W:W21-32:B1-10,12,15' --format json")]
pub(crate) struct ShowArgs {
    /// The book
    #[arg(value_name = "BOOK", value_hint = ValueHint::FilePath)]
    book: PathBuf,
    /// The position [default: the start]
    #[arg(long)]
    fen: Option<String>,
    /// Moves from there
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    moves: String,
}

impl ShowArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let book = store::read_book(&self.book)?;
        let mut at = crate::commands::position(book.variant(), self.fen.as_deref())?;
        for text in self.moves.split_whitespace() {
            let mv = at.parse_move(text);
            let mv = mv.map_err(|error| run::RequestError(format!("--moves: {error}")))?;
            at = at.play(mv);
        }
        output.result(&BookSummary::new(&self.book, &book))?;
        output.result(&position(&book, &at))
    }
}
