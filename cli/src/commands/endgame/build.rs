//! `crownhead endgame build`.

use std::fs;
use std::io::Write as _;
use std::time::Instant;

use anyhow::Context as _;
use endgame::{Database, GameValue, MAX_PIECES};
use rules::Variant;
use serde::Serialize;
use store::{Endgames, StoreError};

use super::Place;
use pipeline::settings;

use crate::display::Display;
use crate::output::Output;

/// Build the database of a game, unless one as large is there
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Three pieces take less than a second, four 2 to 20 seconds, five minutes and some memory. A smaller
database, a damaged one and one of other rules are replaced; a larger one is kept. --verify checks
that every value follows from those of the positions after it, with nothing but the rules; that takes
about ten times as long as building.

Examples:
  crownhead endgame build english --pieces 4
  crownhead endgame build thai --pieces 3 --verify --format json")]
pub(super) struct BuildArgs {
    /// The game or ruleset
    variant: Variant,
    /// The most pieces of both sides, 2 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MAX_PIECES as i64))]
    pieces: u8,
    #[command(flatten)]
    place: Place,
    /// Check every value
    #[arg(long)]
    verify: bool,
    /// Threads to use, 0 for one per core; no influence on results
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

#[derive(Serialize)]
struct Report {
    variant: &'static str,
    /// The most pieces that the database has: more than asked for where a larger one was there.
    pieces: usize,
    /// A position and its turned twin, the same for the other colour, count as one.
    positions: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    /// Plies that a win takes at most until a capture or a promotion, or the end.
    longest: u16,
    file: String,
    bytes: u64,
    /// Whether it was built now; otherwise it was there.
    built: bool,
    /// Positions of both colours that were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<usize>,
    seconds: f64,
}

impl BuildArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(settings::threads(self.threads))
            .build_global()
            .context("failed to start the threads")?;
        let started = Instant::now();
        let endgames = Endgames::new(&self.place.dir);
        let _lock = endgames.lock()?;
        let kept = self.kept(&endgames)?;
        let built = kept.is_none();
        let database = match kept {
            Some(database) => database,
            None => self.build(&endgames)?,
        };
        let seconds = started.elapsed().as_secs_f64();
        let verified = self.verify.then(|| verify(&database)).transpose()?;
        let report = Report::new(&database, &endgames, built, verified, seconds)?;
        if output.is_json() {
            return Ok(output.json(&report)?);
        }
        Ok(report.write(output)?)
    }

    /// The database that is there, if it is as good as the one asked for.
    fn kept(&self, endgames: &Endgames) -> anyhow::Result<Option<Database>> {
        match endgames.read(self.variant) {
            Ok(kept) => Ok(kept.filter(|kept| kept.n_pieces() >= self.pieces.into())),
            Err(error @ StoreError::Endgame { .. }) => {
                eprintln!("{error}; it will be replaced.");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn build(&self, endgames: &Endgames) -> anyhow::Result<Database> {
        let n_pieces = self.pieces.into();
        check_memory(Database::build_bytes(self.variant, n_pieces)?)?;
        let mut display = Display::new();
        let total = Database::count_positions(self.variant, n_pieces)?;
        display.stage(format!("{}: solving", self.variant), total as u64);
        let mut n_solved = 0;
        let database = Database::build(self.variant, n_pieces, |slice| {
            n_solved += slice.n_positions() as u64;
            display.at(n_solved, || {
                format!("{} pieces", slice.material().n_pieces())
            });
        })?;
        display.close();
        endgames.write(&database)?;
        Ok(database)
    }
}

fn verify(database: &Database) -> anyhow::Result<usize> {
    eprintln!("Checking every value.");
    Ok(database.verify()?)
}

/// Refuses what does not fit into memory, where the system says how much there is.
fn check_memory(needed_bytes: usize) -> anyhow::Result<()> {
    let available = available_bytes().unwrap_or(usize::MAX);
    anyhow::ensure!(
        needed_bytes <= available,
        "building takes {} MB of memory and {} MB are free: ask for fewer --pieces",
        needed_bytes / 1_000_000,
        available / 1_000_000,
    );
    Ok(())
}

/// Memory that can be had without swapping, on Linux.
fn available_bytes() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

impl Report {
    fn new(
        database: &Database,
        endgames: &Endgames,
        built: bool,
        verified: Option<usize>,
        seconds: f64,
    ) -> anyhow::Result<Report> {
        let file = endgames.file(database.variant());
        let bytes = fs::metadata(&file)
            .with_context(|| format!("failed to look at {}", file.display()))?
            .len();
        let count = |value| {
            database
                .slices()
                .iter()
                .map(|slice| slice.count(value))
                .sum()
        };
        Ok(Report {
            variant: database.variant().name(),
            pieces: database.n_pieces(),
            positions: database.n_positions(),
            wins: count(GameValue::Win),
            draws: count(GameValue::Draw),
            losses: count(GameValue::Loss),
            longest: database.longest(),
            file: file.display().to_string(),
            bytes,
            built,
            verified,
            seconds,
        })
    }

    fn write(&self, output: &mut Output) -> std::io::Result<()> {
        let share = |n: usize| 100.0 * n as f64 / self.positions as f64;
        writeln!(
            output,
            "{}: {} positions of up to {} pieces: {:.1} % won, {:.1} % drawn, {:.1} % lost; longest \
             win {} plies",
            self.variant,
            self.positions,
            self.pieces,
            share(self.wins),
            share(self.draws),
            share(self.losses),
            self.longest,
        )?;
        let how = if self.built {
            format!("built in {:.1} s", self.seconds)
        } else {
            "was there already".to_owned()
        };
        let megabytes = self.bytes as f64 / 1e6;
        writeln!(output, "{}: {megabytes:.2} MB, {how}", self.file)?;
        if let Some(verified) = self.verified {
            writeln!(output, "all values are right: {verified} positions checked")?;
        }
        Ok(())
    }
}
