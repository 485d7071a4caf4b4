//! The command line.

use std::io::{self, Write as _};
use std::process;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use run::RequestError;
use types::printable;

use crate::commands::{
    analyse, anchors, bench, book, card, check, compare, config, data, distill, doctor, dxp,
    endgame, export, fleet, fork, games, hub, matches, moves, perft, plan, play, puzzles, rate,
    retrain, serve, shell, status, strength, study, tournament, worker,
};
use crate::output::{Format, Output, require_standard_output};
use crate::train::TrainArgs;

/// Maximum number of columns of help texts.
const HELP_WIDTH: usize = 80;

/// Trains checkers players by self-play
#[derive(Debug, Parser)]
#[command(version = env!("CROWNHEAD_VERSION"), about, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The format of results
    #[arg(long, global = true, value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  crownhead train english --for 2h
  crownhead status runs/english
  crownhead match run:runs/english alphabeta:depth=4
  crownhead serve run:runs/english
  crownhead export run:runs/english --to english-agent

Results are on standard output, everything else on standard error. Exit status:
0 done, 1 failed or a result could not be written, 2 wrong usage, 130 stopped by
a signal. crownhead COMMAND --help explains a command.";

impl Args {
    /// Reads the command line. Ends the process after printing help or a usage error.
    pub(crate) fn from_command_line() -> Args {
        let matches = command().try_get_matches();
        let args = matches.and_then(|mut matches| Args::from_arg_matches_mut(&mut matches));
        args.unwrap_or_else(|error| end(&error))
    }
}

/// Prints clap's message and ends the process. Words of the command line may be file names that a
/// shell has expanded.
fn end(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    if !error.use_stderr() {
        // Help and the version are results, which must not be lost.
        let printed = require_standard_output().and_then(|()| error.print());
        if let Err(failure) = printed.and_then(|()| io::stdout().flush())
            && failure.kind() != io::ErrorKind::BrokenPipe
        {
            note!("error: {failure}");
            process::exit(1);
        }
    } else if printable(&text) != text {
        note!("{}", text.trim_end());
    } else {
        // In its colors. If stderr is closed too, only the exit status remains.
        let _ = error.print();
    }
    process::exit(error.exit_code())
}

/// The command line as clap knows it, with commands in groups.
pub(crate) fn command() -> clap::Command {
    let command = Args::command().max_term_width(HELP_WIDTH);
    let template = help_template(&command);
    command.help_template(template)
}

/// Help of the whole program: the commands in groups, one line each.
fn help_template(command: &clap::Command) -> String {
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (group, names) in GROUPS {
        text.push_str(&format!("{group}:\n"));
        for name in *names {
            let name = name.to_lowercase();
            let about = command
                .find_subcommand(&name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {name:<12} {about}\n"));
        }
        text.push('\n');
    }
    text + "Options:\n{options}{after-help}"
}

/// Declares the commands in groups; the arguments of a command run it.
macro_rules! commands {
    ($($group:literal { $($(#[$attribute:meta])* $name:ident($args:ty),)* })*) => {
        /// A command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($($(#[$attribute])* $name($args),)*)*
        }

        /// The groups of commands in the help of the program.
        pub(crate) const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($name)),*])),*];

        impl Command {
            /// Runs the command.
            pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
                self.check(output.format())?;
                match self {
                    $($(Command::$name(args) => args.run(output),)*)*
                }
            }
        }
    };
}

commands! {
    "Train" {
        Train(TrainArgs),
        Plan(plan::PlanArgs),
        Compare(compare::CompareArgs),
        Fork(fork::ForkArgs),
        Retrain(retrain::RetrainArgs),
        Distill(distill::DistillArgs),
        Worker(worker::WorkerArgs),
        #[command(subcommand)]
        Fleet(fleet::FleetCommand),
    }
    "Inspect" {
        Status(status::StatusArgs),
        Doctor(doctor::DoctorArgs),
        Check(check::CheckArgs),
        Repair(check::RepairArgs),
        #[command(subcommand)]
        Config(config::ConfigCommand),
        Bench(Box<bench::BenchArgs>),
    }
    "Play" {
        Play(play::PlayArgs),
        Serve(serve::ServeArgs),
        Analyse(Box<analyse::AnalyseArgs>),
        Hub(hub::HubArgs),
        Dxp(dxp::DxpArgs),
        Rules(card::RulesArgs),
        Moves(moves::MovesArgs),
        Perft(perft::PerftArgs),
    }
    "Rate" {
        Match(Box<matches::MatchArgs>),
        Tournament(tournament::TournamentArgs),
        Strength(strength::StrengthArgs),
        Rate(rate::RateArgs),
        Anchors(anchors::AnchorsArgs),
    }
    "Share" {
        Export(export::ExportArgs),
        Completions(shell::CompletionsArgs),
        Man(shell::ManArgs),
    }
    "Data" {
        Games(Box<games::GamesArgs>),
        Puzzles(puzzles::PuzzlesArgs),
        Study(Box<study::StudyArgs>),
        #[command(subcommand)]
        Data(data::DataCommand),
        #[command(subcommand)]
        Endgame(endgame::EndgameCommand),
        #[command(subcommand)]
        Book(book::BookCommand),
    }
}

impl Command {
    /// Only commands that rate players write tables.
    fn check(&self, format: Format) -> Result<(), RequestError> {
        match self {
            Command::Rate(_) | Command::Anchors(_) | Command::Tournament(_) => Ok(()),
            _ if format != Format::Csv => Ok(()),
            _ => Err(RequestError(
                "this command does not write csv: use --format text or --format json".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All subcommands of a command, without `help` and the hidden ones.
    fn commands(command: &clap::Command) -> Vec<clap::Command> {
        let is_shown = |c: &&clap::Command| c.get_name() != "help" && !c.is_hide_set();
        let below = command.get_subcommands().filter(is_shown);
        below
            .flat_map(|command| [vec![command.clone()], commands(command)].concat())
            .collect()
    }

    /// The command lines of this program in an example: without shell syntax, and without the
    /// remark that may follow after several spaces.
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
        let mut root = command();
        root.build();
        for command in [vec![root.clone()], commands(&root)].concat() {
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
        let mut commands: Vec<Vec<String>> = Vec::new();
        for overlay in [
            include_str!("../../../scripts/kubernetes/directory/kustomization.yaml"),
            include_str!("../../../scripts/kubernetes/bucket/kustomization.yaml"),
        ] {
            let arguments = overlay.split("/args, value: [").skip(1);
            let arguments = arguments.map(|rest| rest.split_once(']').expect("a list").0);
            for list in arguments {
                let words = list.split(", ").map(|word| word.trim_matches('"'));
                commands.push(
                    ["crownhead"]
                        .into_iter()
                        .chain(words)
                        .map(str::to_owned)
                        .collect(),
                );
            }
        }
        assert_eq!(commands.len(), 6);
        for words in commands {
            Args::try_parse_from(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn help_fits_eighty_columns() {
        let mut root = command();
        root.build();
        for mut command in [vec![root.clone()], commands(&root)].concat() {
            let source = command.get_after_help().map(ToString::to_string);
            let texts = [
                source.unwrap_or_default(),
                command.render_help().to_string(),
                command.render_long_help().to_string(),
            ];
            for line in texts.iter().flat_map(|text| text.lines()) {
                let width = line.chars().count();
                assert!(width <= HELP_WIDTH, "{width}: {line}");
            }
        }
    }

    #[test]
    fn the_help_of_the_program_has_a_line_for_each_command() {
        let mut root = command();
        let help = root.render_help().to_string();
        assert!(help.lines().count() <= 68, "{help}");
        let shown = root.get_subcommands().filter(|c| c.get_name() != "help");
        for command in shown {
            let begin = format!("  {:<12} ", command.get_name());
            let line = help.lines().find(|line| line.starts_with(&begin));
            let about = line.unwrap_or_default().trim_start_matches(&begin);
            assert!(!about.is_empty(), "{begin}: {help}");
        }
    }

    /// Checks that two command lines mean the same.
    fn mean_the_same(one: &str, other: &str) -> bool {
        let read = |line: &str| {
            let words = shlex::split(&format!("crownhead {line}")).expect("closed quotes");
            let args = Args::try_parse_from(&words);
            args.unwrap_or_else(|error| panic!("{line}: {error}"))
        };
        format!("{:?}", read(one)) == format!("{:?}", read(other))
    }

    #[test]
    fn older_spellings_mean_the_same() {
        for (older, newer) in [
            (
                "compare a= b= --variant thai --to c --budget 20m",
                "compare a= b= --variant thai --to c --for 20m",
            ),
            (
                "compare a= b= --variant thai --to c --move-time 5ms",
                "compare a= b= --variant thai --to c --time 5ms",
            ),
            (
                "plan thai --for 8h --from runs/a",
                "plan thai --for 8h --run runs/a",
            ),
            ("tournament a b --dir c", "tournament random random --to c"),
            (
                "endgame build thai --pieces 3 --dir c",
                "endgame build thai --pieces 3 --to c",
            ),
            (
                "endgame probe thai --fen x --dir c",
                "endgame probe thai --fen x --endgames c",
            ),
            ("fleet audit c --chunks 3", "fleet audit c --parts 3"),
            (
                "match random random --simulations 8",
                "match random random --sims 8",
            ),
            ("status run:runs/a", "status runs/a"),
            ("doctor run:runs/a", "doctor runs/a"),
            ("check run:runs/a", "check runs/a"),
            ("repair run:runs/a", "repair runs/a"),
            ("data stats run:runs/a", "data stats runs/a"),
            ("data check run:runs/a", "data check runs/a"),
            (
                "data export run:runs/a --to a.pdn",
                "data export runs/a --to a.pdn",
            ),
            ("distill run:runs/a --to b", "distill runs/a --to b"),
            ("train thai --run run:runs/a", "train thai --run runs/a"),
            ("rules checkers", "rules english"),
        ] {
            let older = older.replace("tournament a b", "tournament random random");
            assert!(mean_the_same(&older, newer), "{older}");
        }
    }

    #[test]
    fn the_other_forms_of_arguments_are_understood() {
        for line in [
            "train --variant thai --for 2h",
            "plan --variant thai --for 2h",
            "plan thai --hours 2",
            "rules --variant thai",
            "moves --variant thai",
            "config show --variant thai",
            "anchors --variant thai",
            "endgame build --variant thai --pieces 3",
            "endgame probe --variant thai --fen x",
            "bench rules --seconds 0.5",
            "status --run runs/a",
            "doctor --run runs/a",
            "export run:runs/a --to b",
        ] {
            let words = shlex::split(&format!("crownhead {line}")).expect("closed quotes");
            Args::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        for (line, fault) in [
            ("train", "<VARIANT>"),
            ("train thai --variant thai", "cannot be used with"),
            ("plan thai", "--for <TIME>"),
            ("plan thai --for 2h --hours 2", "cannot be used with"),
            ("doctor", "<RUN>"),
            ("status", "<RUN>"),
        ] {
            let words = shlex::split(&format!("crownhead {line}")).expect("closed quotes");
            let error = Args::try_parse_from(words).expect_err(line).to_string();
            assert!(error.contains(fault), "{error}");
        }
    }
}
