//! Options for games between players: effort, openings, adjudication.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::ValueHint;
use encoding::TextEncoding;
use engine::TimeControl;
use eval::{Adjudication, Arena, ClockKind, ClockTerms, DrawAgreement, Resign};
use lab::openings::OpeningsSource;
use roster::Effort;
use types::{MAX_SIMULATIONS, Seed, parse_duration};

use super::{ThreadsArg, number_in, one_of};

/// Seed of a command, with its default.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct SeedArg<const DEFAULT: u64> {
    /// Seed of the openings and of the players' random choices
    #[arg(long, value_name = "N", default_value_t = DEFAULT)]
    pub(crate) seed: u64,
}

/// Simulations per move, with a default.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct SimsArg<const DEFAULT: u32> {
    /// Simulations per move for networks without their own number
    #[arg(
        long = "sims",
        alias = "simulations",
        value_name = "N",
        default_value_t = DEFAULT,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SIMULATIONS))
    )]
    pub(crate) simulations: u32,
}

/// The effort of players without options of their own.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct EffortArgs {
    #[command(flatten)]
    sims: SimsArg<{ Effort::USUAL.simulations }>,
    /// Time limit for players without their own: 5, 40/300 or 60+1
    #[arg(long, value_name = "LIMIT", conflicts_with = "simulations")]
    time: Option<TimeControl>,
}

impl EffortArgs {
    /// Converts to the players' type.
    pub(crate) fn effort(self) -> Effort {
        Effort {
            simulations: self.sims.simulations,
            time: self.time,
        }
    }
}

/// Seed and threads of games between players.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ArenaArgs {
    #[command(flatten)]
    pub(crate) seed: SeedArg<1>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArg,
}

impl ArenaArgs {
    /// The arena of the games, which are played until `stop`.
    pub(crate) fn arena(self, adjudication: Adjudication, stop: &AtomicBool) -> Arena<'_> {
        Arena {
            adjudication,
            ..Arena::new(Seed::new(self.seed.seed), self.threads.count(), stop)
        }
    }
}

/// Reads a duration that may be 0.
fn margin(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| format!("{text:?} is not a duration: write 10ms or 0s"))
}

/// Warns if fewer cores are free than players with clocks need.
pub(crate) fn warn_of_load(cores: Option<usize>) {
    let Some(needed) = cores else { return };
    let Some(free) = lab::usage::free_cores().filter(|free| free + 0.5 < needed as f64) else {
        return;
    };
    note!(
        "warning: games with a clock need {needed} free cores here, and {free:.1} are free: moves will be late.\n\
         --clock cpu measures processor time instead; --threads N plays fewer games at a time."
    );
}

/// Options that `match` and `tournament` share.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Conditions {
    /// Start from the openings in this file instead of the variant's own: games in PDN, or a FEN or
    /// the moves of an opening a line. `drawn` is the list of drawn openings that comes with the
    /// program. The seed decides the order; FILE,order=file keeps that of the file, and
    /// FILE,plies=8 takes the first moves of each
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    openings: Option<OpeningsSource>,
    /// The encoding of the file of openings, such as windows-1251 [default: found out]
    #[arg(long, value_name = "NAME", requires = "openings")]
    encoding: Option<TextEncoding>,
    /// Add every game to this file; a comment after a move is what its side expects then, from -1
    /// for its loss to +1 for its win
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) pdn: Option<PathBuf>,
    /// Time that a move may take beyond its limit before the game is lost, as 10ms
    /// [default: 0]
    #[arg(long, value_name = "TIME", value_parser = margin)]
    time_margin: Option<Duration>,
    /// Kind of time that clocks measure. Results by cpu are valid on a busy machine too
    #[arg(long, default_value = "wall", value_parser = one_of([
        ("wall", "The time that passes", ClockKind::Wall),
        ("cpu", "The processor time of the side to move, all of its threads together; of programs on Linux", ClockKind::Cpu),
    ]))]
    clock: ClockKind,
    /// A side resigns if it expects at most this result, from -1 for a certain loss to 0 [default:
    /// never]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = number_in(-1_f32, 0.0))]
    resign: Option<f32>,
    /// Number of its consecutive turns with that expectation before a side resigns
    #[arg(long, value_name = "N", default_value_t = 3, requires = "resign", value_parser = clap::value_parser!(u32).range(1..=1000))]
    resign_turns: u32,
    /// Fraction of resigned games that are played to their end, to check whether resigning was
    /// right
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, requires = "resign", value_parser = number_in(0_f64, 1.0))]
    resign_audit: f64,
    /// Both sides agree to a draw after both expect one for this many consecutive plies [default:
    /// never]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=1000))]
    agree_draw: Option<u32>,
    /// Maximum distance of an expectation from 0 that counts as a draw
    #[arg(
        long,
        value_name = "VALUE",
        default_value_t = 0.05,
        requires = "agree_draw",
        value_parser = number_in(0_f32, 1.0)
    )]
    draw_within: f32,
    /// Plies before a draw can be agreed
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 60,
        requires = "agree_draw"
    )]
    draw_after: u32,
}

impl Conditions {
    /// Rules for clocks.
    pub(crate) fn clock(&self) -> ClockTerms {
        ClockTerms {
            kind: self.clock,
            margin: self.time_margin.unwrap_or_default(),
        }
    }

    /// The file of openings.
    pub(crate) fn openings(&self) -> Option<OpeningsSource> {
        let source = self.openings.clone()?;
        let encoding = self.encoding;
        Some(OpeningsSource { encoding, ..source })
    }

    /// Prints the findings about files before the games begin.
    pub(crate) fn announce(&self, notices: &[String]) {
        let appends = self.pdn.as_deref().and_then(lab::pdn::appends_to);
        for notice in notices.iter().chain(&appends) {
            note!("{notice}");
        }
    }

    /// The adjudication rules.
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
