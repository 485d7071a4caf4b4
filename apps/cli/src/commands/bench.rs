//! `crownhead bench`: how fast this machine is at each part of the work.

mod evaluation;
mod machine;

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use lab::bench::{Bench, Part};
use lab::signature::signature;
use model::InstructionSet;
use rules::Variant;
use run::RequestError;
use run::config::ConfigSources;

use crate::options::{ConfigArgs, ForArg, GameOption, choose_device, number_in, one_of};
use crate::output::Output;

/// Argument that selects signatures instead of speeds.
const SIGNATURE: Option<Part> = None;

/// Default duration of each measurement.
const USUAL_TIME: Duration = Duration::from_secs(3);

/// Measure the speed of rules, search, network and training
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    mut_arg("variant", |arg| {
        arg.help("The game or ruleset [default: english; all of them for signature]")
    }),
    mut_arg("duration", |arg| {
        let help = "Time of each measurement [default: 3s]; self-play takes as long as its games";
        arg.help(help)
    }),
    after_help = "\
signature measures no speed: it shows whether two builds play and learn the
same.

Examples:
  crownhead bench
  crownhead bench selfplay --variant frisian --preset small
  crownhead bench engine --for 10s --threads 2
  crownhead bench signature"
)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    question: Option<Question>,
    /// The parts to measure [default: all]
    #[arg(value_parser = one_of([
        ("rules", "Move generation on one thread", Some(Part::Rules)),
        ("search", "Tree search without a network on one thread", Some(Part::Search)),
        ("inference", "The network on one thread and on all, or on the device", Some(Part::Inference)),
        ("engine", "Search of one position on one thread and on all", Some(Part::Engine)),
        ("selfplay", "Games on all threads", Some(Part::Selfplay)),
        ("training", "Optimizer steps on all threads", Some(Part::Training)),
        ("signature", "Hashes of the results of tiny runs of all rulesets; only when asked for", SIGNATURE),
    ]))]
    parts: Vec<Option<Part>>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    time: ForArg,
    /// Seconds for each measurement
    #[arg(long, hide = true, conflicts_with = "duration", value_parser = number_in(0.001, 3600.0))]
    seconds: Option<f64>,
    /// Compute as a processor whose widest vector instructions are these: avx512, avx2, neon or
    /// portable
    #[arg(long, value_name = "NAME")]
    instructions: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Questions with options of their own.
#[derive(Subcommand, Debug)]
enum Question {
    Evaluation(Box<evaluation::EvaluationArgs>),
    Machine(machine::MachineArgs),
}

impl BenchArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self.question {
            Some(Question::Evaluation(args)) => return args.run(output),
            Some(Question::Machine(args)) => return args.run(output),
            None => {}
        }
        if let Some(name) = &self.instructions {
            InstructionSet::narrow_to(name).map_err(RequestError)?;
        }
        if self.parts.contains(&SIGNATURE) {
            return self.print_signatures(output);
        }
        let variant = self.game.variant.unwrap_or(Variant::GAMES[0]);
        let mut settings = self.config.sources().resolve(variant)?;
        choose_device(variant, &mut settings)?;
        let mut bench = Bench::new(variant, settings.config, self.measurement())?;
        for part in Part::ALL {
            if !self.parts.is_empty() && !self.parts.contains(&Some(part)) {
                continue;
            }
            let figures = bench.measure(part)?;
            if !output.is_json() {
                for figure in figures {
                    writeln!(output, "{figure}")?;
                }
            }
        }
        match output.is_json() {
            true => output.json(&bench.report()),
            false => Ok(()),
        }
    }

    /// Duration of each measurement.
    fn measurement(&self) -> Duration {
        let seconds = self.seconds.map(Duration::from_secs_f64);
        self.time.duration.or(seconds).unwrap_or(USUAL_TIME)
    }

    /// Prints one line per ruleset, or one JSON document.
    fn print_signatures(&self, output: &mut Output) -> anyhow::Result<()> {
        if self.parts != [SIGNATURE] {
            let reason = "signature measures no speed: use it alone";
            anyhow::bail!(RequestError(reason.to_owned()));
        }
        // The result does not depend on threads.
        let sources = ConfigSources {
            threads: None,
            ..self.config.sources()
        };
        if sources != ConfigSources::default() {
            let reason = "signature has its own settings: leave out --preset, --config, --set and \
                          --seed";
            anyhow::bail!(RequestError(reason.to_owned()));
        }
        let mut signatures = Vec::new();
        let is_asked = |variant: &Variant| self.game.variant.is_none_or(|asked| asked == *variant);
        for variant in Variant::ALL.into_iter().filter(is_asked) {
            let dir = tempfile::tempdir().context("failed to create a directory for the run")?;
            let signature = signature(variant, &dir.path().join("run"))?;
            if !output.is_json() {
                writeln!(output, "{signature}")?;
            }
            signatures.push(signature);
        }
        if output.is_json() {
            output.json(&signatures)?;
        }
        Ok(())
    }
}
