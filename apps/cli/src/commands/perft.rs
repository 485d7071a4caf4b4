//! `crownhead perft`: counts leaves of the game tree.

use std::io::Write as _;
use std::time::Instant;

use agent::view::divide;
use rules::{UnknownVariant, Variant, perft};
use run::RequestError;

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
    #[command(flatten)]
    game: GameAndDepth,
    /// Start here instead of at the start position
    #[arg(long)]
    fen: Option<String>,
    /// Also count the sequences after each first move
    #[arg(long)]
    divide: bool,
}

/// A game and a depth, as two arguments or as `--variant` and one.
#[derive(clap::Args, Debug)]
struct GameAndDepth {
    /// The game or ruleset, and the number of plies
    #[arg(required = true, num_args = 1..=2, value_names = ["VARIANT", "DEPTH"], add = complete::variants())]
    words: Vec<String>,
    #[arg(long = "variant", value_name = "VARIANT", hide = true, add = complete::variants())]
    named: Option<Variant>,
}

impl GameAndDepth {
    /// The longest look ahead.
    const DEEPEST: u8 = 64;

    fn read(&self) -> Result<(Variant, u8), String> {
        let (variant, depth) = match (&self.words[..], self.named) {
            ([variant, depth], None) => {
                let unknown = |error: UnknownVariant| error.to_string();
                (variant.parse().map_err(unknown)?, depth)
            }
            ([depth], Some(variant)) => (variant, depth),
            ([only], None) => Err(format!(
                "{only} alone is not enough: write crownhead perft VARIANT DEPTH"
            ))?,
            _ => Err("the game is given twice: write it once")?,
        };
        let deepest = Self::DEEPEST;
        match depth.parse() {
            Ok(plies) if (1..=deepest).contains(&plies) => Ok((variant, plies)),
            _ => Err(format!("the depth {depth} is not in 1..={deepest}")),
        }
    }
}

impl PerftArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (variant, deepest) = self.game.read().map_err(RequestError)?;
        let position = super::position(variant, self.fen.as_deref())?;
        let started = Instant::now();
        let mut nodes = Vec::new();
        if !output.is_json() {
            writeln!(output, "depth               leaves      leaves/s")?;
        }
        for depth in 1..=usize::from(deepest) {
            let depth_started = Instant::now();
            let leaves = perft(&position, depth);
            nodes.push(leaves);
            if !output.is_json() {
                let rate = leaves as f64 / depth_started.elapsed().as_secs_f64().max(1e-9) / 1e6;
                writeln!(output, "{depth:>5} {leaves:>20} {rate:>11.1} M")?;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let branches = self.divide.then(|| divide(&position, deepest.into()));
        if !output.is_json() {
            for branch in branches.iter().flatten() {
                writeln!(output, "{:<12} {:>20}", branch.text, branch.nodes)?;
            }
            return Ok(());
        }
        let (variant, fen) = (variant.name(), position.to_fen());
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        game: GameAndDepth,
    }

    #[test]
    fn the_game_is_an_argument_or_an_option() {
        let read = |line: &[&str]| {
            let words = [&["perft"], line].concat();
            Line::try_parse_from(words)
                .ok()
                .map(|line| line.game.read())
        };
        let thai: Variant = "thai".parse().unwrap();
        assert_eq!(read(&["thai", "8"]), Some(Ok((thai, 8))));
        assert_eq!(read(&["--variant", "thai", "8"]), Some(Ok((thai, 8))));
        assert_eq!(read(&["8", "--variant", "thai"]), Some(Ok((thai, 8))));
        let message = |line: &[&str]| read(line).unwrap().unwrap_err().to_string();
        assert!(message(&["thai"]).contains("VARIANT DEPTH"));
        assert!(message(&["thai", "8", "--variant", "thai"]).contains("twice"));
        assert!(message(&["thai", "0"]).contains("depth 0 is not in 1..=64"));
        assert!(message(&["thia", "8"]).contains("thia"));
        assert!(read(&[]).is_none());
    }
}
