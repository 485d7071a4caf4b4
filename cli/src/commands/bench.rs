//! `crownhead bench`: how fast this machine is at each part of the work.

mod parts;
mod signature;

use std::fmt;
use std::io::Write as _;
use std::time::Duration;

use clap::{Args, ValueEnum};
use model::{Instructions, Precision};
use rules::Variant;
use serde::Serialize;

use self::parts::Bench;
use crate::config_args::ConfigArgs;
use crate::output::{Output, Usage};

/// Measure the speed of the rules, the search, the network, self-play and training
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead bench
  crownhead bench selfplay --variant frisian --preset small
  crownhead bench signature                  no speed: do two builds play and learn the same?")]
pub(crate) struct BenchArgs {
    /// What to measure [default: everything]
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The game or ruleset [default: english; all of them for signature]
    #[arg(long)]
    variant: Option<Variant>,
    /// Seconds for each measurement; self-play takes as long as its games do
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Move generation on one thread
    Rules,
    /// Tree search without a network on one thread
    Search,
    /// The network on one thread and on all, or on the device
    Inference,
    /// Games on all threads
    Selfplay,
    /// Optimiser steps on all threads
    Training,
    /// Hashes of what tiny runs of all rulesets come to; only when asked for
    Signature,
}

/// One figure.
#[derive(Serialize)]
struct Figure {
    part: &'static str,
    what: String,
    value: f64,
    unit: &'static str,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            part,
            what,
            value,
            unit,
        } = self;
        // Three digits that say something, also of a device that manages ten evaluations a second.
        let decimals = (2.0 - value.abs().log10().floor()).clamp(2.0, 9.0) as usize;
        write!(f, "{part:10} {what:38} {value:>12.decimals$} {unit}")
    }
}

#[derive(Serialize)]
struct Report<'a> {
    variant: &'static str,
    preset: &'a str,
    threads: usize,
    precision: Precision,
    instructions: &'static str,
    figures: Vec<Figure>,
}

impl BenchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if self.parts.contains(&Part::Signature) {
            return self.print_signatures(output);
        }
        let variant = self.variant.unwrap_or(Variant::GAMES[0]);
        let config = self.config.resolve(variant)?.config;
        let mut bench = Bench::new(variant, config, Duration::try_from_secs_f64(self.seconds)?)?;
        let wanted = |part: &Part| self.parts.is_empty() || self.parts.contains(part);
        for part in Part::value_variants().iter().filter(|part| wanted(part)) {
            let first = bench.figures.len();
            match part {
                Part::Rules => bench.rules(),
                Part::Search => bench.search()?,
                Part::Inference => bench.inference()?,
                Part::Selfplay => bench.selfplay()?,
                Part::Training => bench.training()?,
                Part::Signature => continue,
            }
            if !output.is_json() {
                for figure in &bench.figures[first..] {
                    writeln!(output, "{figure}")?;
                }
                output.flush()?;
            }
        }
        if output.is_json() {
            output.json(&Report {
                variant: bench.variant.name(),
                preset: &bench.config.model.preset,
                threads: bench.threads,
                precision: bench.config.model.precision,
                instructions: Instructions::best().name(),
                figures: bench.figures,
            })?;
        }
        Ok(())
    }
}

impl BenchArgs {
    /// Prints one line a ruleset, and in JSON one document.
    fn print_signatures(&self, output: &mut Output) -> anyhow::Result<()> {
        if self.parts != [Part::Signature] {
            let reason = "signature is no measurement of speed: ask for it alone";
            return Err(Usage(reason.to_owned()).into());
        }
        let rulesets = match self.variant {
            Some(variant) => vec![variant],
            None => Variant::ALL.to_vec(),
        };
        let mut signatures = Vec::new();
        for variant in rulesets {
            let signature = signature::signature(variant)?;
            if !output.is_json() {
                writeln!(output, "{signature}")?;
                output.flush()?;
            }
            signatures.push(signature);
        }
        if output.is_json() {
            output.json(&signatures)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_keep_three_digits() {
        let shown = |value| {
            let figure = Figure {
                part: "inference",
                what: "evaluations".to_owned(),
                value,
                unit: "k/s",
            };
            figure
                .to_string()
                .split_whitespace()
                .nth(2)
                .map(str::to_owned)
        };
        assert_eq!(shown(0.004_128).as_deref(), Some("0.00413"));
        assert_eq!(shown(123.456).as_deref(), Some("123.46"));
        assert_eq!(shown(0.0).as_deref(), Some("0.000000000"));
    }
}
