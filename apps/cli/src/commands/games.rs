//! `crownhead games`: lists, filters, merges and checks files of games.

use std::path::PathBuf;

use clap::ValueHint;
use rules::pdn::PdnResult;
use rules::{Color, Variant};
use study::collection::{CollectionRequest, GameFilter, list};

use crate::complete;
use crate::options::{EncodingOption, GameOption, one_of};
use crate::output::Output;

/// List, filter, merge, convert and check files of games
///
/// Without options every game has a line. Options that choose games can be
/// combined: a game is listed if it fits all of them.
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| arg.help("The game of those that do not say which one they are")),
    after_help = "\
--to writes the chosen games of all files to one, with comments, marks and
variations, each in the standard notation of its game. --check plays every move;
the exit status is 1 if anything is wrong.

JSON: {\"file\",\"game\",\"line\",\"white\",\"black\",\"result\",\"plies\",\"event\",\"date\",
\"faults\":[{\"what\"}]}, a line a game.

Examples:
  crownhead games tinsley.pdn
  crownhead games *.pdn --player tinsley --result draw --min-plies 80
  crownhead games *.pdn --opening '11-15 23-19' --to old-fourteenth.pdn
  crownhead games *.pdn --fen 'W:W21,25:B13,14' --swapped --format json
  crownhead games a.pdn b.pdn --distinct --to merged.pdn
  crownhead games download.pdn --check"
)]
pub(crate) struct GamesArgs {
    /// Files of games, PDN; - for standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Games of a player whose name contains this, in any case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Games with this result
    #[arg(long, value_parser = one_of([
        ("white", "White won", PdnResult::Won(Color::White)),
        ("black", "Black won", PdnResult::Won(Color::Black)),
        ("draw", "A draw", PdnResult::Drawn),
        ("ongoing", "Unfinished, or not known", PdnResult::Open),
    ]))]
    result: Option<PdnResult>,
    /// Games of this kind, such as english
    #[arg(long, value_name = "VARIANT", add = complete::variants())]
    kind: Option<Variant>,
    /// Games that begin with these moves
    #[arg(long, value_name = "MOVES")]
    opening: Option<String>,
    /// Games that reach this position
    #[arg(long)]
    fen: Option<String>,
    /// Find the position of --fen with colors swapped too
    #[arg(long, requires = "fen")]
    swapped: bool,
    /// Games with this many plies or more
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_plies: usize,
    /// Games with this many plies or fewer
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_plies: usize,
    /// Leave out games that repeat the moves of an earlier one
    #[arg(long)]
    distinct: bool,
    /// Check every move
    #[arg(long)]
    check: bool,
    /// Write the games to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    to: Option<PathBuf>,
    #[command(flatten)]
    encoding: EncodingOption,
    #[command(flatten)]
    game: GameOption,
}

impl GamesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let request = CollectionRequest {
            files: self.files,
            encoding: self.encoding.encoding,
            usual: self.game.variant,
            filter: GameFilter {
                player: self.player,
                result: self.result,
                variant: self.kind,
                opening: self.opening.iter().flat_map(|text| words(text)).collect(),
                fen: self.fen,
                is_swapped: self.swapped,
                plies: self.min_plies..=self.max_plies,
            },
            is_distinct: self.distinct,
            is_checked: self.check,
            to: self.to.clone(),
        };
        let only_faults = self.check && !output.is_json();
        let summary = list(
            &request,
            &mut |game| match only_faults && game.faults.is_empty() {
                true => Ok(()),
                false => super::shown(output.result(game), self.to.is_some()),
            },
        )?;
        for notice in &summary.notices {
            note!("{notice}");
        }
        match output.is_json() {
            false if self.check => output.result(&summary)?,
            _ => note!("{}", summary.to_string().trim_end()),
        }
        let (unreadable, shortened) = (summary.unreadable, summary.shortened);
        if let Some(to) = self.to
            && unreadable + shortened > 0
        {
            anyhow::bail!(
                "{} lacks what cannot be read: {unreadable} games, and the rest of {shortened}",
                to.display()
            );
        }
        let faulty = summary.faulty;
        anyhow::ensure!(!self.check || faulty == 0, "games with faults: {faulty}");
        Ok(())
    }
}

/// The moves of a text, without their numbers.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_whitespace().map(|word| {
        let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
        number
            .strip_prefix('.')
            .map_or(word, |rest| rest.trim_start_matches('.'))
    });
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}
