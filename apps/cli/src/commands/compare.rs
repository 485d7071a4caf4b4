//! `crownhead compare`: compares how well several configurations learn.

use std::time::Duration;

use lab::compare::{Arm, CompareEvent, CompareSetup, MatchTerms, compare, progress, seeds_from};
use rules::Variant;
use run::RequestError;
use types::parse_limit;

use crate::complete;
use crate::display::Display;
use crate::options::{ForArg, PresetArgs, SeedArg, SimsArg, ThreadsArg, ToArg, pairs};
use crate::output::{Interrupted, Output};

/// Default training time of each run.
const USUAL_TIME: Duration = Duration::from_secs(20 * 60);

/// Find out which of several configurations learns better
///
/// Trains all of them, lets them play each other, and gives a verdict.
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| arg.help("Where the runs and the results are kept")),
    mut_arg("duration", |arg| {
        let arg = arg.alias("budget");
        arg.help("How long each run is trained, as 90s, 20m or 1h30m [default: 20m]")
    }),
    mut_arg("simulations", |arg| arg.help("Simulations per move")),
    mut_arg("seed", |arg| arg.help("The first seed; the others follow it")),
    after_help = "\
An arm is FILE.toml, named after the file, or NAME=KEY=VALUE,KEY=VALUE; NAME=
alone has the default settings. Every arm is trained once with each seed. The
runs of a seed take turns, a generation each, until all have had the same
processor time in self-play, training and gates: that time on all threads of an
idle machine, and on a busy one as much work, only later.

Then the runs of different arms play each other, the champions and the newest
models, at equal simulations and at equal time. Champions at equal simulations
decide, or at equal time where the networks differ in shape. A network that is
trained again is stronger or weaker. With several seeds the intervals include
this variation, with one they do not. More seeds narrow them faster than more
games: two leave wide intervals, three or four much narrower ones. Arms have
relative Elo: 0 is the first arm.

DIR has results.json with everything, curves.svg, and each run under runs/.
Ctrl-C saves; the same command resumes, and prints the tables again when all is
done. With a longer duration the runs train further and play each other again.

Examples:
  crownhead compare a= b=train.batch_size=256 --variant thai --for 20m --to ab
  crownhead compare a.toml b.toml --variant thai --for 30m --seeds 3 --to two
  crownhead compare nano= wide=model.channels=64 --variant frisian --to wide
  crownhead compare a= b=train.ema_decay=0.9 --variant thai --from r@99 --to c"
)]
pub(crate) struct CompareArgs {
    /// The arms; results are relative to the first
    #[arg(required = true, num_args = 2.., value_name = "ARM")]
    arms: Vec<Arm>,
    /// The game or ruleset
    #[arg(long, add = complete::variants())]
    variant: Variant,
    /// Continue a generation of a run in every arm, each with its settings
    #[arg(long, value_name = "RUN@N", add = complete::runs())]
    from: Option<String>,
    #[command(flatten)]
    to: ToArg,
    #[command(flatten)]
    time: ForArg,
    /// Trainings of each arm
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=32))]
    seeds: u64,
    #[command(flatten)]
    seed: SeedArg<1>,
    #[command(flatten)]
    preset: PresetArgs,
    /// Pairs of games between two arms at equal simulations, over all seeds
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = pairs())]
    pairs: u32,
    #[command(flatten)]
    sims: SimsArg<64>,
    /// Pairs of games between two arms at equal time, over all seeds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = pairs())]
    timed_pairs: u32,
    /// Time per move
    #[arg(long = "time", alias = "move-time", value_name = "TIME", default_value = "20ms", value_parser = parse_limit)]
    move_time: Duration,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl CompareArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let setup = self.setup()?;
        let stop = super::stop_on_ctrl_c()?;
        let mut display = Display::new();
        let outcome = compare(&self.to.to, &setup, &stop, &mut |event| match event {
            CompareEvent::Progress(stage) => display.show(stage),
            CompareEvent::Rated(rating) => display.line(rating),
        });
        display.close();
        let (comparison, is_complete) = outcome?;
        let stopped = format!("{}. The same command resumes.", progress(&comparison));
        anyhow::ensure!(is_complete, Interrupted(stopped));
        output.result(&comparison)
    }

    fn setup(&self) -> Result<CompareSetup, RequestError> {
        let arms = self.arms.iter().cloned();
        let PresetArgs { preset, set } = &self.preset;
        let arms = arms.map(|arm| arm.above(preset.as_deref(), set));
        Ok(CompareSetup {
            variant: self.variant,
            arms: arms.collect(),
            from: self.from.clone(),
            seeds: seeds_from(self.seed.seed, self.seeds)?,
            threads: self.threads.count(),
            budget: self.time.duration.unwrap_or(USUAL_TIME),
            matches: MatchTerms {
                pairs: self.pairs,
                simulations: self.sims.simulations,
                timed_pairs: self.timed_pairs,
                move_s: self.move_time.as_secs_f64(),
            },
        })
    }
}
