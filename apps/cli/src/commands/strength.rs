//! `crownhead strength`: rates players in Elo above random.

use std::io::Write as _;

use eval::Adjudication;
use eval::anchors::ScaleLine;
use lab::strength::rate;
use ratings::ZERO;
use roster::{Effort, PlayerSpec, load_factories};

use crate::complete;
use crate::options::{ArenaArgs, GameOption, SimsArg, pairs};
use crate::output::{Interrupted, Output};

/// Rate players in Elo above random by games against the baselines
///
/// Runs are rated on the same scale.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Every player meets each baseline equally often; its rating is the one that
expects the points it scored. The interval after ± holds 95 % if the ratings of
the baselines are taken as given. The same seed gives the same games, with any
number of threads.

Examples:
  crownhead strength bundled --variant english
  crownhead strength bundled:thai,elo=600 bundled:thai,elo=900 --pairs 200
  crownhead strength ab:english-ab,nodes=1000 run:runs/english,sims=16")]
pub(crate) struct StrengthArgs {
    /// The players, as crownhead match takes them
    #[arg(required = true, value_name = "PLAYER", add = complete::players())]
    players: Vec<PlayerSpec>,
    #[command(flatten)]
    game: GameOption,
    /// Openings for each player, each played twice with colors swapped; the baselines share them
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = pairs())]
    pairs: u32,
    #[command(flatten)]
    sims: SimsArg<{ Effort::USUAL.simulations }>,
    #[command(flatten)]
    arena: ArenaArgs,
}

impl StrengthArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let effort = Effort {
            simulations: self.sims.simulations,
            ..Effort::USUAL
        };
        let (variant, players) = load_factories(&self.players, self.game.variant, &effort)?;
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

/// Error for Ctrl-C before anything was measured.
pub(super) fn stopped() -> Interrupted {
    Interrupted("stopped: nothing was saved".to_owned())
}
