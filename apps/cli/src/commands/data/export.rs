//! `crownhead data export`: games for other programs.

use export::Dataset;
use lab::PositionTable;
use lab::games::{GamesFormat, export_games};

use crate::options::{RunArg, ToArg};
use crate::output::Output;

/// Write the games of a run for other programs
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| {
        arg.help("The file to write, a name that ends in .parquet or .pdn").value_name("FILE")
    }),
    after_help = "\
The ending of FILE decides. FILE.parquet is a table with one row a position,
FILE.pdn has the games. Damaged games are left out, with a warning. Values are
from the view of the side to move; unknown ones are null.

  generation, game, ply          the game of the run, and the plies before
  network                        the network that played
  fen, mover                     the position; black or white, the side to move
  legal_moves                    list: the legal moves
  policy                         list: the policy target of each legal move,
                                 after a full search
  move                           the move that was made
  search                         the choice: opening, forced, fast or full
  root_win, root_draw, root_loss the value after the search
  raw_win, raw_draw, raw_loss    the network's own value, with a full search
  surprise                       nats by which the target differs from the
                                 network's policy
  result                         1 won, 0 drawn, -1 lost by the mover; null: the
                                 game was cut off
  reason                         the rule that ended the game
  plies_left                     plies to the end of the game

JSON: {\"file\",\"games\",\"positions\"}.

Examples:
  crownhead data export runs/english --to positions.parquet
  python -c 'import polars; print(polars.read_parquet(\"positions.parquet\"))'
  python -c 'import duckdb; print(duckdb.read_parquet(\"positions.parquet\"))'
  crownhead data export runs/english --to games.pdn
  crownhead data export runs/english --to dataset/positions.parquet --card"
)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    run: RunArg,
    #[command(flatten)]
    to: ToArg,
    /// Also write README.md next to the file: a dataset card for the Hugging Face Hub
    #[arg(long)]
    card: bool,
    /// The license that the card names
    #[arg(long, value_name = "SPDX", requires = "card", default_value = env!("CARGO_PKG_LICENSE"))]
    license: String,
}

impl ExportArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let format = GamesFormat::of(&self.to.to)?;
        study::check_is_new(&self.to.to)?;
        let (run, file) = super::open(self.run.path())?;
        let games = run.games(file.variant);
        let exported = export_games(&games, &self.to.to, format)?;
        super::note_damage(&exported.damage);
        if self.card {
            let columns = match format {
                GamesFormat::Parquet => PositionTable::columns(),
                GamesFormat::Pdn => Vec::new(),
            };
            let dataset = Dataset {
                variant: file.variant.name(),
                games: exported.games,
                positions: exported.positions,
                columns: &columns,
                license: &self.license,
            };
            dataset.write_card(&self.to.to)?;
        }
        output.result(&exported)
    }
}
