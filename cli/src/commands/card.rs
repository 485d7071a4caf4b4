//! `crownhead rules`: what is special about a game.

use std::io::Write as _;

use page::CardView;
use rules::{Card, Variant};

use crate::output::Output;

/// Explain a game: what is special about it, with examples, and when it is drawn
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead rules
  crownhead rules frisian
  crownhead rules thai --format json")]
pub(crate) struct RulesArgs {
    /// The game or ruleset; all are listed without it
    variant: Option<Variant>,
}

impl RulesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match (self.variant, output.is_json()) {
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
