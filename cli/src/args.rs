//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    bench, config, data, endgame, export, hub, matches, moves, perft, rate, serve, shell, status,
    tournament,
};
use crate::output::{Format, Output, Usage};
use crate::train::TrainArgs;

/// Trains checkers players by self-play.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_help = EXAMPLES)]
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
  crownhead status runs/english
  crownhead perft frisian 7
  crownhead moves english --fen 'B:W21,22:B9,10'
  crownhead match run:runs/english alphabeta:depth=4
  crownhead tournament run:runs/english@10 run:runs/english@40 alphabeta:depth=4
  crownhead rate games.pdn
  crownhead hub run:runs/english
  crownhead serve
  crownhead export run:runs/english --to english-agent
  crownhead data export runs/english --to games.pdn
  crownhead endgame build english --pieces 4
  crownhead config show thai --preset small --set search.simulations=64

Results go to standard output, everything else to standard error.
Exit status: 0 done, 1 failed, 2 wrong usage.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Train(TrainArgs),
    Status(status::StatusArgs),
    Perft(perft::PerftArgs),
    Moves(moves::MovesArgs),
    Match(Box<matches::MatchArgs>),
    Tournament(tournament::TournamentArgs),
    Rate(rate::RateArgs),
    Hub(hub::HubArgs),
    Serve(serve::ServeArgs),
    Export(export::ExportArgs),
    Endgame(endgame::EndgameCommand),
    Config(config::ConfigCommand),
    Data(data::DataCommand),
    Bench(bench::BenchArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if output.is_csv() && !matches!(self, Command::Rate(_) | Command::Tournament(_)) {
            let message = "this command does not write csv: write --format text or --format json";
            return Err(Usage(message.to_owned()).into());
        }
        match self {
            Command::Train(args) => args.run(output),
            Command::Status(args) => args.run(output),
            Command::Perft(args) => args.run(output),
            Command::Moves(args) => args.run(output),
            Command::Match(args) => args.run(output),
            Command::Tournament(args) => args.run(output),
            Command::Rate(args) => args.run(output),
            Command::Hub(args) => args.run(output),
            Command::Serve(args) => args.run(output),
            Command::Export(args) => args.run(output),
            Command::Endgame(args) => args.run(output),
            Command::Config(args) => args.run(output),
            Command::Data(args) => args.run(output),
            Command::Bench(args) => args.run(output),
            Command::Completions(args) => args.run(output),
            Command::Man(args) => args.run(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }
}
