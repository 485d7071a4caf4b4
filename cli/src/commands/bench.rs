//! `crownhead bench`: how fast this machine is at each part of the work.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use lab::bench::{Bench, Part};
use lab::signature::signature;
use model::InstructionSet;
use pipeline::RequestError;
use pipeline::config::ConfigSources;
use rules::Variant;

use crate::conditions::{number_in, one_of};
use crate::config_args::ConfigArgs;
use crate::output::Output;

/// What is asked for beside the parts whose speed is measured.
const SIGNATURE: Option<Part> = None;

/// Measure the speed of the rules, the search, the network, self-play and training
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead bench
  crownhead bench selfplay --variant frisian --preset small
  crownhead bench signature                  no speed: do two builds play and learn the same?")]
pub(crate) struct BenchArgs {
    /// What to measure [default: everything]
    #[arg(value_parser = one_of([
        ("rules", "Move generation on one thread", Some(Part::Rules)),
        ("search", "Tree search without a network on one thread", Some(Part::Search)),
        ("inference", "The network on one thread and on all, or on the device", Some(Part::Inference)),
        ("engine", "Thought about one position on one thread and on all", Some(Part::Engine)),
        ("selfplay", "Games on all threads", Some(Part::Selfplay)),
        ("training", "Optimiser steps on all threads", Some(Part::Training)),
        ("signature", "Hashes of what tiny runs of all rulesets come to; only when asked for", SIGNATURE),
    ]))]
    parts: Vec<Option<Part>>,
    /// The game or ruleset [default: english; all of them for signature]
    #[arg(long)]
    variant: Option<Variant>,
    /// Seconds for each measurement; self-play takes as long as its games do
    #[arg(long, default_value_t = 3.0, value_parser = number_in(0.001, 3600.0))]
    seconds: f64,
    /// Compute as a processor whose widest vector instructions are these: avx512, avx2 or portable
    #[arg(long, value_name = "NAME")]
    instructions: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

impl BenchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if let Some(name) = &self.instructions {
            InstructionSet::narrow_to(name).map_err(RequestError)?;
        }
        if self.parts.contains(&SIGNATURE) {
            return self.print_signatures(output);
        }
        let variant = self.variant.unwrap_or(Variant::GAMES[0]);
        let config = self.config.resolve(variant)?.config;
        let mut bench = Bench::new(variant, config, Duration::from_secs_f64(self.seconds))?;
        for part in Part::ALL {
            if !self.parts.is_empty() && !self.parts.contains(&Some(part)) {
                continue;
            }
            let figures = bench.measure(part)?;
            if !output.is_json() {
                for figure in figures {
                    writeln!(output, "{figure}")?;
                }
                output.flush()?;
            }
        }
        match output.is_json() {
            true => output.json(&bench.report()),
            false => Ok(()),
        }
    }

    /// Prints one line a ruleset, and in JSON one document.
    fn print_signatures(&self, output: &mut Output) -> anyhow::Result<()> {
        if self.parts != [SIGNATURE] {
            let reason = "signature is no measurement of speed: ask for it alone";
            anyhow::bail!(RequestError(reason.to_owned()));
        }
        // What comes out does not depend on threads.
        let sources = ConfigSources {
            threads: None,
            ..self.config.sources()
        };
        if sources != ConfigSources::default() {
            let reason = "signature is of runs with settings of their own: leave out --preset, --config, --set and \
                          --seed";
            anyhow::bail!(RequestError(reason.to_owned()));
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
