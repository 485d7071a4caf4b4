//! `crownhead rate`: rates players from the results in PDN and PGN files.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use lab::results::Results;
use ratings::{DrawModel, RatingOptions, RatingReport, USUAL_PRIOR};

use crate::options::{EncodingOption, GameOption, number_in, one_of};
use crate::output::{Format, Output};

/// Rate players by the results in PDN or PGN files
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| {
        arg.help("The game of files that do not name it: decides which side's win 1-0 is")
    }),
    after_help = "\
Ratings, the advantage of the first move and the frequency of draws are fitted
together by maximum likelihood. Ratings are relative Elo: 0 is the mean of the
component (the players connected by games), or the anchor. They compare the
players of one table. They are not Elo above random, the scale of crownhead
status and strength, even if the anchor is random: here draws are part of the
model. Intervals hold 95 % and rest on the joint covariance; they are relative
to the same 0. Players that no games connect get separate tables.

A `Winner \"White\"` tag counts most, then the `Result` tag, then the result after
the moves. 1-0 is the win of the side that begins in the variant: Black in
English draughts, White in chess. 2-0 is always White's.

JSON: {\"players\":[{\"name\",\"elo\",\"ci95\",\"games\",\"score\",\"draws\",\"los_next\"}],
\"advantage\",\"draw_elo\",\"components\":[{\"players\",\"bounded\"}],\"zero\",..}. zero
says in words what 0 is. score and draws are shares of the games; los_next is
the probability of being stronger than the next player of the component, null
for its last; bounded is false where the games bound no distance: then only the
prior keeps the numbers finite, and probabilities are of the default prior even
with --prior 0.

Examples:
  crownhead rate games.pdn
  crownhead rate *.pgn --prior 0 --format json
  crownhead rate old.pdn --variant english --anchor random --format csv
  zcat games.pgn.gz | crownhead rate -"
)]
pub(crate) struct RateArgs {
    /// Files of games, - for standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Virtual draws per player, 0 for plain maximum likelihood
    #[arg(long, value_name = "X", default_value_t = USUAL_PRIOR, allow_negative_numbers = true, value_parser = number_in(0.0, 1e6))]
    prior: f64,
    /// The model of draws
    #[arg(long, default_value = "bayeselo", value_parser = one_of([
        ("bayeselo", "R. Coulom's: each side wins as if the other were stronger by the draw Elo", DrawModel::BayesElo),
        ("davidson", "R. R. Davidson's (1970): draws go with the root of the odds of win and loss", DrawModel::Davidson),
    ]))]
    model: DrawModel,
    /// The player whose rating is 0, instead of the mean
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    #[command(flatten)]
    encoding: EncodingOption,
    #[command(flatten)]
    game: GameOption,
}

impl RateArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut results = Results::default();
        for path in &self.files {
            let (variant, encoding) = (self.game.variant, self.encoding.encoding);
            let read = match path == Path::new("-") {
                true => results.read_from(io::stdin().lock(), path, variant, encoding)?,
                false => results.read(path, variant, encoding)?,
            };
            let (notice, summary) = (read.notice.iter(), read.summary.to_string());
            for line in notice.map(String::as_str).chain(summary.lines()) {
                note!("{}: {line}", path.display());
            }
        }
        let rated = results.rate(&RatingOptions {
            prior: self.prior,
            anchor: self.anchor,
            draw_model: self.model,
        })?;
        match output.is_json() {
            true => output.json(&rated),
            false => write_ratings(output, &rated.ratings),
        }
    }
}

/// Writes the ratings in the requested format.
pub(super) fn write_ratings(output: &mut Output, ratings: &RatingReport) -> anyhow::Result<()> {
    match output.format() {
        Format::Csv => Ok(write!(output, "{}", ratings.to_csv())?),
        Format::Json | Format::Text => output.result(ratings),
    }
}
