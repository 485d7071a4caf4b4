//! Options of games between players: how hard these think, where games start, when they end early.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser, TypedValueParser};
use engine::TimeControl;
use eval::{Adjudication, Arena, DrawAgreement, Resign};
use pipeline::config;
use roster::{Effort, PAIRS_AT_ONCE};
use types::{MAX_SIMULATIONS, Seed};

/// Threads at most, as in `threads` of the settings.
pub(crate) const MAX_THREADS: usize = 1024;

/// Threads of a command whose results do not depend on them.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ThreadsArg {
    /// Threads to use, 0 for one per core; no influence on results
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number_in(0, MAX_THREADS))]
    threads: usize,
}

impl ThreadsArg {
    /// How many there are to be.
    pub(crate) fn count(self) -> usize {
        config::threads(self.threads)
    }
}

/// What games of players depend on beside the players.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ArenaArgs {
    /// Seed of the openings and of what players leave to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl ArenaArgs {
    /// Threads to play on.
    pub(crate) fn threads(self) -> usize {
        self.threads.count()
    }

    /// Where the games are played, until `stop`.
    pub(crate) fn arena(self, adjudication: Adjudication, stop: &AtomicBool) -> Arena<'_> {
        Arena {
            seed: Seed::new(self.seed),
            threads: self.threads.count(),
            pairs_at_once: PAIRS_AT_ONCE,
            first_pair: 0,
            adjudication,
            stop,
        }
    }
}

/// Reads numbers of a range.
pub(crate) fn number_in<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.parse::<T>().ok();
        number
            .filter(|number| least <= *number && *number <= most)
            .ok_or_else(|| format!("write a number from {least} to {most}"))
    }
}

/// Reads a number of simulations of one search.
pub(crate) fn simulations() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_SIMULATIONS))
}

/// Reads one of several names, each with what it is and what it stands for.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = values.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(move |asked| {
        let found = values.iter().find(|(name, ..)| *name == asked);
        found.map(|(.., value)| *value).ok_or("it has no meaning")
    })
}

/// How hard players think that have no options of their own.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct EffortArgs {
    /// Simulations a move of networks without a number of their own
    #[arg(long = "sims", value_name = "N", default_value_t = Effort::USUAL.simulations, value_parser = simulations())]
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
    pub(crate) openings: Option<PathBuf>,
    /// A side resigns when it expects at most this, from -1 for a certain loss to 0 [default: never]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = number_in(-1_f32, 0.0))]
    resign: Option<f32>,
    /// Turns of its own in a row after which it resigns
    #[arg(long, value_name = "N", default_value_t = 3, requires = "resign", value_parser = clap::value_parser!(u32).range(1..=1000))]
    resign_turns: u32,
    /// Share of games that are played on to see whether resigning was right
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, requires = "resign", value_parser = number_in(0_f64, 1.0))]
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
        requires = "agree_draw",
        value_parser = number_in(0_f32, 1.0)
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
    /// When games end early.
    pub(crate) fn adjudication(&self) -> Adjudication {
        Adjudication {
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
        }
    }
}
