//! `crownhead plan`: what a training of so many hours is expected to come to.

use std::path::{Path, PathBuf};

use lab::bench::Pace;
use lab::plan::{Choices, Evidence, Wish, plan};
use rules::Variant;
use store::RunDir;

use crate::conditions::number_in;
use crate::output::Output;

/// Runs that are looked at without being named.
const RUNS: &str = "runs";

/// Say which settings a training should have, and what to expect of it
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Games and generations follow from how fast this machine is, which is measured in 10 to 20 seconds with untrained
networks (other work on the machine shows in it), or given. Ratings follow from recorded runs: most of RESULTS.md,
those under runs/ and those given with --from. docs/plan.md has the model and how far it can be believed.

JSON: {\"variant\",\"hours\",\"machines\",\"outlooks\":[{\"preset\",\"simulations\",\"fast_simulations\",
\"games_per_generation\",\"samples_per_position\",\"options\",\"pace\":{\"positions_per_s\",\"samples_per_s\"},
\"generations\",\"games\",\"samples\",\"learning_share\",\"course\":[{\"hours\",\"games\",\"elo\",\"ci95\"}],\"unknown\",
\"gain\":{\"elo\",\"ci95\"}}],\"proposed\",\"commands\",\"notes\"}.

Examples:
  crownhead plan english --hours 24
  crownhead plan thai --hours 8 --machines 8
  crownhead plan english --hours 8 --from runs/english-small
  crownhead plan frisian --hours 1 --positions-per-s 15000 --samples-per-s 16000")]
pub(crate) struct PlanArgs {
    /// The game or ruleset
    variant: Variant,
    /// Hours of training
    #[arg(long, value_name = "N", value_parser = number_in(0.01_f64, 100_000.0))]
    hours: f64,
    /// Machines like this one, the trainer among them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    machines: u32,
    /// A run that is evidence too; may be repeated
    #[arg(long, value_name = "DIR")]
    from: Vec<PathBuf>,
    /// Instead of measuring: positions a second in self-play with nano (`crownhead bench selfplay`)
    #[arg(long, value_name = "N", requires = "samples_per_s", value_parser = number_in(1_f64, 1e9))]
    positions_per_s: Option<f64>,
    /// Instead of measuring: samples a second in training with nano (`crownhead bench training`)
    #[arg(long, value_name = "N", requires = "positions_per_s", value_parser = number_in(1_f64, 1e9))]
    samples_per_s: Option<f64>,
    /// Threads to use, 0 for one per core
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
}

impl PlanArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut evidence = Evidence::recorded()?;
        evidence.add_all(Path::new(RUNS));
        for path in &self.from {
            evidence.add(&RunDir::open(path)?)?;
        }
        let given = self.positions_per_s.zip(self.samples_per_s);
        let choices = match given {
            Some((positions_per_s, samples_per_s)) => {
                let pace = Pace {
                    positions_per_s,
                    samples_per_s,
                };
                Choices::given(self.variant, pace, &evidence)?
            }
            None => Choices::measured(self.variant, self.threads, &evidence, &mut |preset| {
                note!("Measuring {preset} on this machine.");
            })?,
        };
        let wish = Wish {
            variant: self.variant,
            hours: self.hours,
            machines: self.machines,
            positions_per_game: choices.positions_per_game,
        };
        output.result(&plan(&evidence, &wish, &choices.all))
    }
}
