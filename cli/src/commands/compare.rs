//! `crownhead compare`: which of several configurations learns better.

use std::path::PathBuf;
use std::time::Duration;

use lab::compare::{Arm, CompareSetup, MatchTerms, compare, progress, seeds_from};
use pipeline::{RequestError, config};
use rules::Variant;
use types::parse_limit;

use crate::conditions::{MAX_THREADS, number_in, simulations};
use crate::display::Display;
use crate::output::{Interrupted, Output};

/// Find out which of several configurations learns better: train all, let them meet, give a verdict
#[derive(clap::Args, Debug)]
#[command(after_help = "\
An arm is FILE.toml, named after the file, or NAME=KEY=VALUE,KEY=VALUE; NAME= alone has the usual settings.
Every arm is trained once with each seed. The runs of a seed take turns, a generation each, until all have
had the same processor time in self-play, training and gates: so much time on all threads of a machine that
does nothing else, and on a busy one as much work, only later.

Then the runs of different arms meet, the champions and the newest models, at equal simulations and at equal
time. Champions at equal simulations decide, or at equal time where the networks differ in shape. A network
that is trained again comes out stronger or weaker, so with several seeds the intervals say how far another
training of each arm may come out otherwise; with one they say nothing of that. More seeds narrow them
faster than more games: two leave wide intervals, three or four much narrower ones. Arms have relative
Elo: 0 is the first arm.

DIR has results.json with everything, curves.svg, and each run under runs/. Ctrl-C saves; the same command
goes on, and prints the tables again when all is done. With a longer budget the runs learn further and meet
anew.

Examples:
  crownhead compare usual= slow=train.learning_rate=0.001 --variant english --budget 20m --to slower
  crownhead compare a.toml b.toml c.toml --variant thai --budget 30m --seeds 3 --to three --format json
  crownhead compare nano= wide=model.channels=64 --variant frisian --set gate.max_pairs=50 --to wide")]
pub(crate) struct CompareArgs {
    /// The arms; results are relative to the first
    #[arg(required = true, num_args = 2.., value_name = "ARM")]
    arms: Vec<Arm>,
    /// The game
    #[arg(long)]
    variant: Variant,
    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// How long each run is trained, as 90s, 20m or 1h30m
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = parse_limit)]
    budget: Duration,
    /// Trainings of each arm
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=32))]
    seeds: u64,
    /// The first seed; the others follow it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Settings that all arms start from (`crownhead config presets` lists them)
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// One setting of all arms, such as search.simulations=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Pairs of games between two arms at equal simulations, over all seeds
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: u32,
    /// Simulations a move
    #[arg(long = "sims", value_name = "N", default_value_t = 64, value_parser = simulations())]
    simulations: u32,
    /// Pairs of games between two arms at equal time, over all seeds
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    timed_pairs: u32,
    /// Time a move
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = parse_limit)]
    move_time: Duration,
    /// Threads to use, 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number_in(0, MAX_THREADS))]
    threads: usize,
}

impl CompareArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let setup = self.setup()?;
        let stop = super::stop_on_ctrl_c()?;
        let mut display = Display::new();
        let outcome = compare(&self.to, &setup, &stop, &mut |event| {
            display.show(&event.stage());
            if let Some(rating) = event.rating() {
                display.line(&rating);
            }
            Ok(())
        });
        display.close();
        let (comparison, is_complete) = outcome?;
        if !is_complete {
            let message = format!("{}. The same command goes on.", progress(&comparison));
            anyhow::bail!(Interrupted(message));
        }
        output.result(&comparison)
    }

    fn setup(&self) -> Result<CompareSetup, RequestError> {
        let arms = self.arms.iter().cloned();
        let arms = arms.map(|arm| arm.above(self.preset.as_deref(), &self.set));
        Ok(CompareSetup {
            variant: self.variant,
            arms: arms.collect(),
            seeds: seeds_from(self.seed, self.seeds)?,
            threads: config::threads(self.threads),
            budget: self.budget,
            matches: MatchTerms {
                pairs: self.pairs,
                simulations: self.simulations,
                timed_pairs: self.timed_pairs,
                move_s: self.move_time.as_secs_f64(),
            },
        })
    }
}
