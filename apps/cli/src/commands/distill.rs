//! `crownhead distill`: trains an evaluation for alpha-beta search from games.

use std::io::Write as _;

use clap::ValueHint;
use distill::{Config, PlayConfig};
use lab::distillation::{
    DistillBudget, DistillEvent, DistillSettings, DistillSource, TrainingLength, distill,
};

use crate::complete;
use crate::display::Display;
use crate::options::{ForArg, RunPlace, SeedArg, ThreadsArg, ToArg, number_in};
use crate::output::{Interrupted, Output};

/// Maximum depth of `--relabel` in plies: beyond it, searching every position would take days.
const DEEPEST_LABELS: i64 = 20;

/// Train an evaluation for alpha-beta search from games
///
/// The games are of a run, or it plays them.
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.help("Where the evaluation is written")),
    mut_arg("duration", |arg| {
        let help = "About how long each round trains at most, such as 90s, 10m or 1h";
        arg.help(help).conflicts_with("steps")
    }),
    mut_arg("seed", |arg| arg.help("Seed of the games, the first weights and the batches")),
    after_help = "\
The evaluation is a small network of integers (NNUE) that the players ab:DIR
use. It learns from the quiet positions of all games: a mixture of the game's
result and of the searched value. One game of twenty is held out, and the error
on those is shown: the mean squared distance between expected and actual result,
from 0 to 1. DIR also gets manifest.json, which says how other programs compute
the same scores.

With --rounds the engine plays its own games: each round plays games with the
best evaluation so far, continues training on all games there are, and is kept
if it scores at least half against the best; two rounds in a row that are not
kept are the end. Where SOURCE is a game's name there is no run: then the first
games are played by --teacher, or by a search that only counts material.

Each round makes 20 passes over the positions, since more over-fit, or the
--steps that are given; then the same command gives the same evaluation to the
bit, with any number of threads. --for makes fewer steps where the first ones
show that the time is too short for all: on a busy machine that can be too few
to learn anything. Called again, a distillation that was stopped resumes, and
more --rounds continue one that is finished.

--relabel has the best evaluation so far search every position to that depth,
and learns from the searched values instead of the recorded ones. Each round
searches the positions of all rounds again: with 6 plies one costs about as much
as a move of the games with --nodes 1000, with 10 plies six times as much. A
round before which there is no evaluation keeps the recorded values.

Examples:
  crownhead distill runs/english --to english-ab
  crownhead distill runs/english --to english-ab --for 3m --rounds 3
  crownhead distill frisian --teacher bundled --to frisian-ab --rounds 2
  crownhead distill runs/english --to english-ab --steps 20000 --value-share 0.5
  crownhead match ab:english-ab run:runs/english --time 0.1"
)]
pub(crate) struct DistillArgs {
    /// A run's directory, or the name of a game
    #[arg(value_name = "SOURCE", add = complete::runs())]
    source: RunPlace,
    #[command(flatten)]
    to: ToArg,
    /// Rounds in which the engine plays games and learns again [default: 0 for a run, 3 for a game]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// The evaluation to start from: bundled, or the directory of another distillation. Without a
    /// run it plays the first games
    #[arg(long, value_name = "EVALUATION", value_hint = ValueHint::DirPath)]
    teacher: Option<String>,
    /// Games of a round
    #[arg(long, value_name = "N", default_value_t = PlayConfig::DEFAULT.games, value_parser = clap::value_parser!(u32).range(40..=10_000_000))]
    games: u32,
    /// Positions that the search of each of their moves visits
    #[arg(long, value_name = "N", default_value_t = PlayConfig::DEFAULT.nodes, value_parser = clap::value_parser!(u64).range(10..))]
    nodes: u64,
    #[command(flatten)]
    time: ForArg,
    /// Training steps of each round, instead of 20 passes over the positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Share of the searched value in the target, from 0 to 1; the rest is the game's result
    #[arg(long, value_name = "SHARE", default_value_t = Config::DEFAULT.value_share, value_parser = number_in(0_f32, 1.0))]
    value_share: f32,
    /// Learn from the values of a search to this depth, instead of the recorded ones
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=DEEPEST_LABELS))]
    relabel: Option<u32>,
    /// Extra weight of rare phases of the game: 0 none, 1 to make up for their rarity fully
    #[arg(long, value_name = "POWER", default_value_t = Config::DEFAULT.phase_power, value_parser = number_in(0_f32, 1.0))]
    phase_power: f32,
    #[command(flatten)]
    seed: SeedArg<{ Config::DEFAULT.seed }>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl DistillArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let source = DistillSource::of(&self.source.0)?;
        let budget = DistillBudget {
            rounds: source.rounds(self.rounds)?,
            training: TrainingLength::of(self.steps, self.time.duration),
            threads: self.threads.count(),
        };
        let settings = self.settings(source);
        let stop = super::stop_on_ctrl_c()?;
        let mut display = Display::new();
        let mut observer = |event: &DistillEvent<'_>| match event {
            DistillEvent::Finished(round) => display.line(&round.to_string()),
            DistillEvent::Progress(progress) => display.show(progress),
        };
        let (distillation, is_finished) =
            distill(&self.to.to, &settings, &budget, &stop, &mut observer)?;
        display.close();
        let stopped = "stopped: run the same command to resume".to_owned();
        anyhow::ensure!(is_finished, Interrupted(stopped));
        output.result(&distillation)?;
        let folder = self.to.to.display();
        anyhow::ensure!(
            distillation.best().is_some(),
            "none of {} rounds beat the evaluation before it, so {folder} has no evaluation: start \
             again in another directory with more --games, --nodes or --steps",
            distillation.rounds.len()
        );
        if !output.is_json() {
            writeln!(output, "The evaluation is in {folder}")?;
        }
        Ok(())
    }

    fn settings(&self, source: DistillSource) -> DistillSettings {
        DistillSettings {
            variant: source.variant.name().to_owned(),
            run: source.run,
            teacher: self.teacher.clone(),
            learning: Config {
                seed: self.seed.seed,
                value_share: self.value_share,
                phase_power: self.phase_power,
                steps: self.steps.unwrap_or(Config::DEFAULT.steps),
                ..Config::DEFAULT
            },
            play: PlayConfig {
                games: self.games,
                nodes: self.nodes,
            },
            relabel: self.relabel,
        }
    }
}
