//! `crownhead bench evaluation`: the agreement of evaluations with another engine.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use lab::yardstick::{Yardstick, YardstickRequest};
use roster::PlayerSpec;
use rules::Variant;
use serde_json::json;
use study::analysis::{Analysts, Limit};

use crate::commands::analyse::time_of_position;
use crate::complete;
use crate::display::Display;
use crate::options::{GameOption, ThreadsArg, number_in};
use crate::output::Output;

/// Measure how well evaluations agree with another engine, and with results
///
/// Quiet positions of the games are used, at most one of a game and phase: no
/// capture is possible before and after the move that was played.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The judge should be another engine: a search that judges itself agrees with its
own errors. Each line of the table is a phase: the number of pieces, positions,
Spearman's correlation with the judge's values, and the cross-entropy of the
results of the games in nats, with 95 % intervals by resampling.

Examples:
  crownhead bench evaluation games.pdn --judge hub:./engine --judge-time 2s
  crownhead bench evaluation games.pdn --judge ab:bundled --player run:r")]
pub(super) struct EvaluationArgs {
    /// Files of games, PDN
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    games: Vec<PathBuf>,
    /// The player whose values are taken for right
    #[arg(long, value_name = "PLAYER", required = true, add = complete::players())]
    judge: PlayerSpec,
    /// Nodes of the judge for each position [default: its usual number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    judge_nodes: Option<u64>,
    /// Time of the judge for each position, as 300ms or 2s
    #[arg(long, value_name = "TIME", conflicts_with = "judge_nodes", value_parser = time_of_position)]
    judge_time: Option<Duration>,
    /// Keep the judge's values in this file; a command that was stopped is resumed from it
    #[arg(long, value_name = "FILE", default_value = "judged.jsonl", value_hint = ValueHint::FilePath)]
    judged: PathBuf,
    /// A player to measure; may be repeated
    #[arg(long = "player", value_name = "PLAYER", default_value = "ab:bundled", add = complete::players())]
    players: Vec<PlayerSpec>,
    /// Nodes or simulations of the players, separated by commas
    #[arg(long, value_name = "N", default_value = "1000", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Positions of each phase at most
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = number_in(1_usize, 100_000))]
    positions: usize,
    /// Seed of the choice of positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl EvaluationArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let limit = Limit::of(self.judge_nodes, self.judge_time);
        let judge = Arc::new(Analysts::new(Some(&self.judge), limit)?);
        // All players are loaded before the judge's work begins.
        let mut players = Vec::new();
        for player in &self.players {
            for nodes in &self.nodes {
                let analysts = Analysts::new(Some(player), Limit::Nodes(*nodes))?;
                players.push(Arc::new(analysts));
            }
        }
        let variant = self.game.variant.or_else(|| judge.only_game());
        let request = YardstickRequest {
            games: self.games,
            variant: variant.unwrap_or(Variant::GAMES[0]),
            positions: self.positions,
            seed: self.seed,
            threads: self.threads.count(),
        };
        let mut display = Display::new();
        let mut show = |stage: &_| display.show(stage);
        let yardstick = Yardstick::new(&request, &judge, self.judged, &mut show)?;
        let mut measured = Vec::new();
        for player in players {
            measured.push(yardstick.measure(&player, &mut show)?);
        }
        display.close();
        if output.is_json() {
            return output.json(&json!({"judge": yardstick.judge(), "players": measured}));
        }
        writeln!(output, "judge: {}", yardstick.judge())?;
        let heading = "pieces      n   correlation with judge     loss against results";
        writeln!(output, "  {heading}")?;
        for agreement in measured {
            write!(output, "{agreement}")?;
        }
        Ok(())
    }
}
