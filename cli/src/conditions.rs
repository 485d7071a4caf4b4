//! Options of matches and tournaments: how hard players think, where games start, when they end early.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context as _;
use engine::TimeControl;
use eval::{Adjudication, DrawAgreement, Opening, Resign, openings};
use pipeline::players::Effort;
use rules::Variant;

use crate::output::Usage;

/// How hard players think that have no options of their own.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct EffortArgs {
    /// Simulations a move of networks without a number of their own
    #[arg(long = "sims", value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    simulations: u32,
    /// Time limit of players without one of their own: 5, 40/300 or 60+1
    #[arg(long, value_name = "LIMIT", conflicts_with = "simulations")]
    time: Option<TimeControl>,
}

impl EffortArgs {
    /// The same, as players take it.
    pub(crate) fn effort(self) -> Effort {
        Effort {
            simulations: self.simulations,
            time: self.time,
        }
    }
}

/// Options that `match` and `tournament` share.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Conditions {
    /// Start from the openings in this file, games in PDN or a FEN a line, instead of the variant's
    /// own; in an order that the seed decides, and each with both colours
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// A side resigns when it expects at most this, from -1 for a loss to 1 for a win [default: never]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    resign: Option<f32>,
    /// Turns of its own in a row after which it resigns
    #[arg(long, value_name = "N", default_value_t = 3, requires = "resign", value_parser = clap::value_parser!(u32).range(1..=1000))]
    resign_turns: u32,
    /// Share of games that are played on to see whether resigning was right
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, requires = "resign")]
    resign_audit: f64,
    /// Both sides agree to a draw after this many plies in a row that both hold for even
    /// [default: never]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=1000))]
    agree_draw: Option<u32>,
    /// How far from 0 an expectation may be to count as even
    #[arg(
        long,
        value_name = "VALUE",
        default_value_t = 0.05,
        requires = "agree_draw"
    )]
    draw_within: f32,
    /// Plies before which nobody agrees to a draw
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 60,
        requires = "agree_draw"
    )]
    draw_after: u32,
}

impl Conditions {
    /// The file's openings, if one is named.
    pub(crate) fn openings(&self, variant: Variant) -> anyhow::Result<Option<Vec<Opening>>> {
        let Some(path) = &self.openings else {
            return Ok(None);
        };
        let context = || format!("failed to read {}", path.display());
        let file = File::open(path).with_context(context)?;
        let openings = openings::read(variant, BufReader::new(file)).with_context(context)?;
        Ok(Some(openings))
    }

    /// How many pairs are to be played: as many as were asked for, else the usual number or a smaller
    /// one of openings.
    pub(crate) fn pairs(
        &self,
        asked: Option<u32>,
        usual: usize,
        openings: Option<&[Opening]>,
    ) -> Result<usize, Usage> {
        let asked = asked.map(|pairs| pairs as usize);
        let Some(openings) = openings else {
            return Ok(asked.unwrap_or(usual));
        };
        match asked {
            Some(pairs) if pairs > openings.len() => Err(Usage(format!(
                "--pairs {pairs}: the file has {} different openings, and the same one again would be \
                 no new evidence: ask for at most as many",
                openings.len()
            ))),
            Some(pairs) => Ok(pairs),
            None => Ok(usual.min(openings.len())),
        }
    }

    /// When games end early.
    pub(crate) fn adjudication(&self) -> Result<Adjudication, Usage> {
        let between = |name: &str, value: f64, low: f64, high: f64| {
            let problem = || {
                Usage(format!(
                    "--{name} must be between {low} and {high}, not {value}"
                ))
            };
            (low..=high)
                .contains(&value)
                .then_some(())
                .ok_or_else(problem)
        };
        if let Some(at_most) = self.resign {
            between("resign", at_most.into(), -1.0, 0.0)?;
        }
        between("resign-audit", self.resign_audit, 0.0, 1.0)?;
        between("draw-within", self.draw_within.into(), 0.0, 1.0)?;
        Ok(Adjudication {
            resign: self.resign.map(|at_most| Resign {
                at_most,
                turns: self.resign_turns,
                audit: self.resign_audit,
            }),
            draw: self.agree_draw.map(|plies| DrawAgreement {
                within: self.draw_within,
                plies,
                after_ply: self.draw_after,
            }),
        })
    }
}
