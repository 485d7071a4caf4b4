//! `crownhead perft`: counts leaves of the game tree.

use std::io::Write as _;
use std::time::Instant;

use agent::view::divide;
use rules::{Variant, perft};

use crate::complete;
use crate::output::Output;

/// Count move sequences of every length up to DEPTH
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead perft thai 8
  crownhead perft frisian 5 --divide
  crownhead perft english 6 --fen 'W:WK14,23:B9,10' --format json")]
pub(crate) struct PerftArgs {
    /// The game or ruleset
    #[arg(add = complete::variants())]
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
        let branches = self.divide.then(|| divide(&position, self.depth.into()));
        if !output.is_json() {
            for branch in branches.iter().flatten() {
                writeln!(output, "{:<12} {:>20}", branch.text, branch.nodes)?;
            }
            return Ok(());
        }
        let (variant, fen) = (self.variant.name(), position.to_fen());
        match branches {
            None => {
                json_line!(output, variant: variant, fen: fen, nodes: nodes, seconds: seconds)
            }
            Some(branches) => {
                json_line!(output, variant: variant, fen: fen, nodes: nodes, seconds: seconds, divide: branches)
            }
        }
    }
}
