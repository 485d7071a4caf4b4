//! `crownhead rules`: explains the rules of a game.

use std::io::Write as _;

use page::CardView;
use rules::{Card, Variant};

use crate::options::GameArg;
use crate::output::Output;

/// Explain the rules of a game, with examples
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| {
        arg.required(false).help("The game or ruleset [default: a list of all]")
    }),
    after_help = "\
Examples:
  crownhead rules
  crownhead rules frisian
  crownhead rules thai --format json"
)]
pub(crate) struct RulesArgs {
    #[command(flatten)]
    game: GameArg,
}

impl RulesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match (self.game.asked(), output.is_json()) {
            (Some(variant), true) => output.json(&CardView::new(variant)),
            (Some(variant), false) => Ok(write!(output, "{}", Card(variant))?),
            (None, true) => output.json(&Variant::ALL.map(CardView::new)),
            (None, false) => {
                for variant in Variant::ALL {
                    writeln!(output, "{variant:<17} {}", variant.about().summary)?;
                }
                Ok(())
            }
        }
    }
}
