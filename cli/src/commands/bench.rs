//! `crownhead bench`: how fast this machine is at each part of the work.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use model::InstructionSet;
use pipeline::bench::Bench;
use pipeline::signature::signature;
use rules::Variant;

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
    /// Compute as a processor whose widest vector instructions are these: avx512, avx2 or portable
    #[arg(long, value_name = "NAME")]
    instructions: Option<String>,
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
    /// Thought about one position on one thread and on all
    Engine,
    /// Games on all threads
    Selfplay,
    /// Optimiser steps on all threads
    Training,
    /// Hashes of what tiny runs of all rulesets come to; only when asked for
    Signature,
}

impl BenchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if let Some(name) = &self.instructions
            && !InstructionSet::narrow_to(name)
        {
            let names: Vec<&str> = InstructionSet::available().map(|set| set.name()).collect();
            let names = names.join(", ");
            let message = format!("this processor has no instructions {name:?}, but {names}");
            return Err(Usage(message).into());
        }
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
                Part::Engine => bench.engine()?,
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
            let instructions = InstructionSet::best();
            json_line!(output,
                variant: bench.variant.name(),
                preset: bench.config.model.preset,
                threads: bench.threads,
                precision: bench.config.model.precision.by(instructions),
                instructions: instructions.name(),
                figures: bench.figures,
            )?;
        }
        Ok(())
    }

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
            let dir = tempfile::tempdir().context("failed to create a directory for the run")?;
            let signature = signature(variant, &dir.path().join("run"))?;
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
