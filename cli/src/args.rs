//! The command line.

use clap::{Parser, Subcommand};
use pipeline::RequestError;

use crate::commands::{
    anchors, bench, card, check, compare, config, data, distill, doctor, dxp, endgame, export,
    fleet, fork, hub, matches, moves, perft, plan, rate, retrain, serve, shell, status, strength,
    tournament, worker,
};
use crate::output::{Format, Output};
use crate::train::TrainArgs;

/// Trains checkers players by self-play.
#[derive(Debug, Parser)]
#[command(version = env!("CROWNHEAD_VERSION"), about, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How results are written
    #[arg(long, global = true, value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  crownhead train english
  crownhead plan english --hours 24
  crownhead status runs/english
  crownhead doctor runs/english
  crownhead check runs/english
  crownhead rules frisian
  crownhead perft frisian 7
  crownhead moves english --fen 'B:W21,22:B9,10'
  crownhead match run:runs/english alphabeta:depth=4
  crownhead tournament run:runs/english@10 run:runs/english@40 alphabeta:depth=4
  crownhead rate games.pdn
  crownhead hub run:runs/english
  crownhead dxp --variant frisian
  crownhead serve
  crownhead export run:runs/english --to english-agent
  crownhead data export runs/english --to games.pdn
  crownhead endgame build english --pieces 4
  crownhead distill runs/english --to english-ab
  crownhead config show thai --preset small --set search.simulations=64

Results go to standard output, everything else to standard error.
Exit status: 0 done, 1 failed or the result could not be written, 2 wrong usage, 130 stopped by a signal.";

/// Declares the commands, each of which its arguments run.
macro_rules! commands {
    ($($name:ident($args:ty),)*) => {
        /// What to do.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($name($args),)*
        }

        impl Command {
            /// Does it.
            pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
                self.check(output.format())?;
                match self {
                    $(Command::$name(args) => args.run(output),)*
                }
            }
        }
    };
}

commands! {
    Train(TrainArgs),
    Fork(fork::ForkArgs),
    Plan(plan::PlanArgs),
    Compare(compare::CompareArgs),
    Worker(worker::WorkerArgs),
    Fleet(fleet::FleetCommand),
    Retrain(retrain::RetrainArgs),
    Status(status::StatusArgs),
    Doctor(doctor::DoctorArgs),
    Check(check::CheckArgs),
    Repair(check::RepairArgs),
    Rules(card::RulesArgs),
    Perft(perft::PerftArgs),
    Moves(moves::MovesArgs),
    Match(Box<matches::MatchArgs>),
    Tournament(tournament::TournamentArgs),
    Rate(rate::RateArgs),
    Strength(strength::StrengthArgs),
    Anchors(anchors::AnchorsArgs),
    Hub(hub::HubArgs),
    Dxp(dxp::DxpArgs),
    Serve(serve::ServeArgs),
    Export(export::ExportArgs),
    Distill(distill::DistillArgs),
    Endgame(endgame::EndgameCommand),
    Config(config::ConfigCommand),
    Data(data::DataCommand),
    Bench(bench::BenchArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Only commands that rate players write tables.
    fn check(&self, format: Format) -> Result<(), RequestError> {
        match self {
            Command::Rate(_) | Command::Anchors(_) | Command::Tournament(_) => Ok(()),
            _ if format != Format::Csv => Ok(()),
            _ => Err(RequestError(
                "this command does not write csv: write --format text or --format json".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// All commands under one, without `help`.
    fn commands(command: &clap::Command) -> Vec<clap::Command> {
        let below = command.get_subcommands().filter(|c| c.get_name() != "help");
        below
            .flat_map(|command| [vec![command.clone()], commands(command)].concat())
            .collect()
    }

    /// The command lines of this program in a line of examples: without what the shell does, and
    /// without the words that may follow after several spaces.
    fn command_lines(line: &str) -> Vec<String> {
        let line = line.split("   ").next().unwrap_or_default();
        let parts = line.split(['|', '>', '<']).map(str::trim);
        parts
            .filter(|part| part.starts_with("crownhead "))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_command_has_examples_that_are_understood() {
        let mut root = Args::command();
        root.build();
        for command in commands(&root) {
            let name = command.get_bin_name().unwrap_or_default().to_owned();
            let help = command.get_after_help().unwrap_or_default().to_string();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
            let lines: Vec<String> = examples
                .lines()
                .flat_map(|line| command_lines(line.trim_start()))
                .collect();
            assert!(lines.iter().any(|line| line.starts_with(&name)), "{name}");
            for line in lines {
                let words = shlex::split(&line).expect("closed quotes");
                Args::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
        }
    }

    #[test]
    fn templates_for_clusters_are_understood() {
        let slurm = include_str!("../../scripts/fleet.sbatch");
        let kubernetes = include_str!("../../scripts/fleet.yaml");
        let slurm = slurm.lines().find_map(|line| line.strip_prefix("exec "));
        let command = |line: &str| line.trim().strip_prefix("command: ").map(str::to_owned);
        let words = kubernetes.lines().find_map(command).expect("a command");
        for words in [
            shlex::split(slurm.expect("a command")).expect("closed quotes"),
            serde_json::from_str(&words).expect("a list"),
        ] {
            Args::try_parse_from(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }
}
