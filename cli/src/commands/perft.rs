//! `crownhead perft`: counts leaves of the game tree.

use std::io::Write as _;
use std::time::Instant;

use rules::{Position, Variant, perft};
use serde::Serialize;

use crate::output::Output;

/// Count the move sequences of every length up to DEPTH
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead perft thai 8
  crownhead perft frisian 5 --divide
  crownhead perft english 6 --fen 'W:WK14,23:B9,10' --format json")]
pub(crate) struct PerftArgs {
    /// The game or ruleset
    variant: Variant,
    /// Moves of both sides to look ahead
    #[arg(value_parser = clap::value_parser!(u8).range(1..=64))]
    depth: u8,
    /// Start here instead of at the start position
    #[arg(long)]
    fen: Option<String>,
    /// Also count the sequences after each first move
    #[arg(long)]
    divide: bool,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    fen: String,
    nodes: Vec<u64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<Branch>>,
}

#[derive(Serialize)]
struct Branch {
    #[serde(rename = "move")]
    notation: String,
    nodes: u64,
}

impl PerftArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let position = super::position(self.variant, self.fen.as_deref())?;
        let started = Instant::now();
        let mut nodes = Vec::new();
        if !output.is_json() {
            writeln!(output, "depth               leaves      leaves/s")?;
        }
        for depth in 1..=usize::from(self.depth) {
            let depth_started = Instant::now();
            let leaves = perft(&position, depth);
            nodes.push(leaves);
            if !output.is_json() {
                let rate = leaves as f64 / depth_started.elapsed().as_secs_f64().max(1e-9) / 1e6;
                writeln!(output, "{depth:>5} {leaves:>20} {rate:>11.1} M")?;
                output.flush()?;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let divide = self.divide.then(|| branches(&position, self.depth.into()));
        if output.is_json() {
            let (variant, fen) = (self.variant.name(), position.to_fen());
            output.json(&Report {
                variant,
                fen,
                nodes,
                seconds,
                divide,
            })?;
            return Ok(());
        }
        for Branch { notation, nodes } in divide.iter().flatten() {
            writeln!(output, "{notation:<12} {nodes:>20}")?;
        }
        Ok(())
    }
}

/// The leaves below each move, in canonical order.
fn branches(position: &Position, depth: usize) -> Vec<Branch> {
    let mut legal = position.legal_moves();
    legal.sort_canonical();
    let branch = |&mv: &rules::Move| Branch {
        notation: position.move_text_among(mv, &legal),
        nodes: perft(&position.play(mv), depth - 1),
    };
    legal.iter().map(branch).collect()
}
