//! `crownhead anchors`: measures a variant's baselines among themselves.

use std::time::Instant;

use eval::Arena;
use eval::anchors::Anchors;
use lab::anchors::measure;

use crate::options::{GameArg, SeedArg, ThreadsArg, ToArg};
use crate::output::{Interrupted, Output};

/// Measure a game's baselines, on which its runs are rated
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("to", |arg| {
        let arg = arg.help("The file that the results are added to").value_name("FILE");
        arg.required(false).default_value("anchors.json")
    }),
    after_help = "\
random, diluted ones, alphabeta:depth=1 to N and learned:depth=1 to N play each
other. The results are added to the file, where results of other variants stay
as they are; runs are rated on the content of eval/data/anchors.json when the
program is built. The same seed gives the same games, with any number of
threads.

Each match is written when it is finished. The same command resumes after
Ctrl-C.

Examples:
  crownhead anchors thai --pairs 10
  crownhead anchors thai --to eval/data/anchors.json"
)]
pub(crate) struct AnchorsArgs {
    #[command(flatten)]
    game: GameArg,
    /// Pairs of games of the deepest level against each of the three below; every level plays
    /// twice as many as the one above it
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pairs: u32,
    /// The deepest level
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
    /// The deepest level with a learned evaluation, where the variant has one in
    /// eval/data/learned: it extends the scale beyond the deepest level that counts material
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    learned: u32,
    #[command(flatten)]
    seed: SeedArg<2026>,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    to: ToArg,
}

impl AnchorsArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (variant, seed) = (self.game.variant(), self.seed.seed);
        let stop = super::stop_on_ctrl_c()?;
        let arena = Arena {
            pairs_at_once: 1,
            ..Arena::new(types::Seed::new(seed), self.threads.count(), &stop)
        };
        let _hold = store::Hold::of(&self.to.to)?;
        let started = Instant::now();
        let asked = Anchors {
            learned_depth: self.learned,
            ..Anchors::new(variant, self.depth, self.pairs as usize, seed)
        };
        let mut after_match = |anchors: &Anchors| {
            let (done, all) = (anchors.games.games(), anchors.n_games());
            let seconds = started.elapsed().as_secs();
            note!("{}: {done} of {all} games, {seconds} s", variant);
        };
        let anchors = measure(&self.to.to, variant, asked, &arena, &mut after_match)?;
        let stopped = "stopped early: run the same command again to resume".to_owned();
        anyhow::ensure!(anchors.is_complete(), Interrupted(stopped));
        output.result(&anchors.ratings()?)
    }
}
