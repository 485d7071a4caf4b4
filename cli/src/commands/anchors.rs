//! `crownhead anchors`: measures a variant's baselines among themselves.

use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use eval::anchors::{Anchors, AnchorsFile, ZERO};
use eval::{Adjudication, Arena, DrawModel, RatingOptions, RatingReport, USUAL_PRIOR};
use pipeline::settings;
use rules::Variant;

use super::rate::write_table;
use crate::output::{Interrupted, Output, Usage};

/// Measure a variant's baselines among themselves, the scale on which its runs are rated
#[derive(clap::Args, Debug)]
#[command(after_help = "\
random and alphabeta:depth=1 to N play each other. The results are added to the file, where those of
other variants stay as they are; runs are rated on what is in eval/data/anchors.json when the program
is built. The same seed gives the same games, whatever the number of threads.

Each match is written down when it is finished. The same command resumes after Ctrl-C.

Examples:
  crownhead anchors thai --pairs 10
  crownhead anchors thai --to eval/data/anchors.json")]
pub(crate) struct AnchorsArgs {
    /// The game or ruleset
    variant: Variant,
    /// Pairs of games of the deepest level against each of the two below; every level plays twice as
    /// many as the one above it
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pairs: u32,
    /// The deepest level
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
    /// Seed of openings and players
    #[arg(long, value_name = "N", default_value_t = 2026)]
    seed: u64,
    /// Threads, 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// The file that the results are added to
    #[arg(long, value_name = "FILE", default_value = "anchors.json")]
    to: PathBuf,
}

impl AnchorsArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let mut file = read(&self.to)?;
        let mut anchors = self.begin(&file)?;
        let stop = super::stop_on_ctrl_c()?;
        let arena = Arena {
            seed: search::Seed::new(self.seed),
            threads: settings::threads(self.threads),
            pairs_at_once: 1,
            first_pair: 0,
            adjudication: Adjudication::OFF,
            stop: &stop,
        };
        let started = Instant::now();
        let mut written = Ok(());
        let mut after_match = |anchors: &Anchors| {
            let (done, all) = (anchors.games.games(), anchors.n_games());
            let seconds = started.elapsed().as_secs();
            eprintln!("{}: {done} of {all} games, {seconds} s", self.variant);
            file.0
                .insert(self.variant.name().to_owned(), anchors.clone());
            written = write(&self.to, &file);
            if written.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        anchors.complete(self.variant, &arena, &mut after_match)?;
        written.with_context(|| format!("failed to write {}", self.to.display()))?;
        if !anchors.is_complete() {
            let message = "stopped early: run the same command again to resume";
            return Err(Interrupted(message.to_owned()).into());
        }
        let options = RatingOptions {
            anchor: Some(ZERO.to_owned()),
            prior: USUAL_PRIOR,
            draw_model: DrawModel::BayesElo,
        };
        let ratings = RatingReport::new(&anchors.games, &options)?;
        if output.is_json() {
            output.json(&ratings)?;
        } else {
            write_table(output, &ratings)?;
        }
        Ok(())
    }

    /// The results so far: those in the file, if they are of the same measurement.
    fn begin(&self, file: &AnchorsFile) -> Result<Anchors, Usage> {
        let new = Anchors::new(self.variant, self.depth, self.pairs as usize, self.seed);
        match file.0.get(self.variant.name()) {
            None => Ok(new),
            Some(known) if known.continues(&new) => Ok(known.clone()),
            Some(known) => Err(Usage(format!(
                "{} has results of {} with --pairs {} --depth {} --seed {} under version {} of its \
                 rules: give the same options, or another file",
                self.to.display(),
                self.variant,
                known.pairs,
                known.max_depth,
                known.seed,
                known.rules_version,
            ))),
        }
    }
}

/// The file's contents; nothing where there is none.
fn read(path: &Path) -> anyhow::Result<AnchorsFile> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(AnchorsFile::default()),
        Err(error) => {
            return Err(error).with_context(|| format!("failed to read {}", path.display()));
        }
    };
    AnchorsFile::parse(&text).with_context(|| format!("failed to understand {}", path.display()))
}

/// Replaces the file as a whole.
fn write(path: &Path, file: &AnchorsFile) -> std::io::Result<()> {
    let new = path.with_extension("json.new");
    fs::write(&new, file.to_string())?;
    fs::rename(new, path)
}
