//! `crownhead endgame build`.

use anyhow::Context as _;
use endgame::MAX_PIECES;
use lab::endgames::{BuildEvent, build};

use crate::display::Display;
use crate::options::{GameArg, ThreadsArg, ToArg};
use crate::output::Output;

/// Build the database of a game, unless one as large is there
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| {
        let arg = arg.help("The folder of endgame databases, a file for each game").alias("dir");
        arg.required(false).default_value("endgames")
    }),
    after_help = "\
Three pieces take less than a second, four 2 to 20 seconds, in frisian a minute,
five minutes and some memory. A smaller database, a damaged one and one of other
rules are replaced; a larger one is kept. --verify checks that every value
follows from the values of the positions after it, by the rules alone; that
takes about ten times as long as building.

Examples:
  crownhead endgame build english --pieces 4
  crownhead endgame build thai --pieces 3 --verify --format json"
)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    game: GameArg,
    /// The most pieces of both sides, 2 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MAX_PIECES as i64))]
    pieces: u8,
    #[command(flatten)]
    to: ToArg,
    /// Check every value
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl BuildArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.count())
            .build_global()
            .context("failed to start the threads")?;
        let mut display = Display::new();
        let (variant, n_pieces) = (self.game.variant(), self.pieces.into());
        let built = build(
            &self.to.to,
            variant,
            n_pieces,
            self.verify,
            &mut |event| match event {
                BuildEvent::Progress(stage) => display.show(&stage),
                BuildEvent::Note(note) => {
                    display.close();
                    note!("{note}");
                }
            },
        )?;
        display.close();
        output.result(&built)
    }
}
