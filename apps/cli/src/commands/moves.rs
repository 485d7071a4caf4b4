//! `crownhead moves`: lists the legal moves of positions.

use std::io;

use agent::view::Listing;
use rules::{LineRead, Position, Variant, read_line};

use crate::options::GameArg;
use crate::output::Output;

/// Maximum length of a line in bytes; the longest FEN has about 250.
const MAX_LINE: usize = 4096;

/// List the legal moves of positions
///
/// Of the start position, or of those that are given.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead moves frisian --fen 'W:W28:B29'
  crownhead moves english --format json
  crownhead moves thai --stdin < positions.fen")]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    game: GameArg,
    /// A position to list the moves of
    #[arg(long)]
    fen: Option<String>,
    /// Read positions from standard input, a FEN or the word start a line, of at most 4096 bytes
    #[arg(long, conflicts_with = "fen")]
    stdin: bool,
}

impl MovesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let variant = self.game.variant();
        if self.stdin {
            return list_lines(variant, output);
        }
        let position = super::position(variant, self.fen.as_deref())?;
        output.result(&Listing::from(&position))
    }
}

/// Answers each line as it arrives. An invalid line is reported on standard error, gets no answer,
/// and makes the command fail at the end.
fn list_lines(variant: Variant, output: &mut Output) -> anyhow::Result<()> {
    let (mut input, mut bytes) = (io::stdin().lock(), Vec::new());
    let mut n_bad = 0;
    for number in 1_u64.. {
        let line_read = read_line(&mut input, MAX_LINE, &mut bytes)?;
        let line = String::from_utf8_lossy(&bytes);
        let fen = line.trim();
        let position = match (line_read, fen) {
            (LineRead::End, _) => break,
            (LineRead::Line, "") => continue,
            // As in `analyse --stdin`.
            (LineRead::Line, "start") => Ok(Position::start(variant)),
            (LineRead::Line, fen) => Position::from_fen(variant, fen)
                .map_err(|error| format!("cannot read the FEN {fen:?}: {error}")),
            (LineRead::TooLong, _) => {
                Err(format!("it is longer than the limit of {MAX_LINE} bytes"))
            }
        };
        match position {
            Ok(position) => output.result(&Listing::from(&position))?,
            Err(fault) => {
                n_bad += 1;
                note!("line {number}: {fault}");
            }
        }
    }
    anyhow::ensure!(n_bad == 0, "invalid lines: {n_bad}");
    Ok(())
}
