//! `crownhead strength`: the Elo above random of any players.

use std::io::Write as _;

use eval::Adjudication;
use eval::anchors::ScaleLine;
use lab::strength::rate;
use ratings::ZERO;
use roster::{Effort, PlayerSpec, load_factories};
use rules::Variant;

use crate::conditions::{ArenaArgs, simulations};
use crate::output::{Interrupted, Output};

/// Rate players in Elo above random, as runs are rated: by games against the baselines
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every player meets each baseline as often, and has the rating of whom the same points are expected. ± holds
95 % if the ratings of the baselines are taken as given. The same seed gives the same games, whatever the
number of threads.

Examples:
  crownhead strength bundled --variant english
  crownhead strength bundled:thai,elo=600 bundled:thai,elo=900 --pairs 200
  crownhead strength ab:english-ab,nodes=1000 run:runs/english,sims=16 --format json")]
pub(crate) struct StrengthArgs {
    /// The players, as crownhead match takes them
    #[arg(required = true, value_name = "PLAYER")]
    players: Vec<PlayerSpec>,
    /// The game, where the players do not tell
    #[arg(long)]
    variant: Option<Variant>,
    /// Openings that each plays, with both colours
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: u32,
    /// Simulations a move of networks without a number of their own
    #[arg(long, value_name = "N", default_value_t = Effort::USUAL.simulations, value_parser = simulations())]
    sims: u32,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl StrengthArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let effort = Effort {
            simulations: self.sims,
            ..Effort::USUAL
        };
        let (variant, players) = load_factories(&self.players, self.variant, &effort)?;
        let stop = super::stop_on_ctrl_c()?;
        let arena = self.arena.arena(Adjudication::OFF, &stop);
        let rated = rate(players, variant, self.pairs as usize, &arena, &mut |line| {
            note!("{line}");
        })?;
        let players = rated.ok_or_else(stopped)?;
        if output.is_json() {
            return json_line!(output, variant: variant.name(), pairs: self.pairs, zero: ZERO, players: players);
        }
        writeln!(output, "{}", ScaleLine::headings("player"))?;
        for line in players {
            writeln!(output, "{line}")?;
        }
        Ok(())
    }
}

/// Ctrl-C, before anything was measured.
pub(super) fn stopped() -> Interrupted {
    Interrupted("stopped: nothing is kept".to_owned())
}
