//! `crownhead data check`: what is damaged, and out of the way with it.

use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use store::{Check, Damage, Games};

use crate::output::Output;

/// Find damage in the games of a run and set it aside
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Damaged bytes move to games/damaged/ and the segment is written anew with its intact games. Nothing
is deleted. A file that is no segment of the run, and a game that is intact and makes no sense, are
reported and stay. The run must not be training, unless --dry-run is given.

Exit status: 0 all is intact, 1 something is damaged, also where it has been set aside.

JSON: {\"segments\",\"games\",\"positions\",\"bytes\",\"duplicates\",\"damage\":[{\"file\",\"offset\",
\"bytes\",\"games\"}],\"errors\":[..],\"set_aside\"}.

Examples:
  crownhead data check runs/english
  crownhead data check runs/english --dry-run")]
pub(super) struct CheckArgs {
    /// The run's directory
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// Change nothing, only report
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct Report {
    segments: usize,
    games: usize,
    positions: usize,
    bytes: u64,
    /// Games that are there a second time.
    duplicates: usize,
    damage: Vec<Loss>,
    errors: Vec<String>,
    set_aside: bool,
}

#[derive(Serialize)]
struct Loss {
    /// The segment, whose name begins with the generation.
    file: String,
    offset: u64,
    bytes: u64,
    games: usize,
}

impl CheckArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (run, variant) = super::open(&self.run)?;
        let check = if self.dry_run {
            Games::new(&run.games_path(), variant).check()?
        } else {
            run.quarantine(variant)?
        };
        let report = Report::new(&check, !self.dry_run && !check.damage.is_empty());
        if output.is_json() {
            output.json(&report)?;
        } else {
            report.write(output)?;
        }
        output.flush()?;
        let n_faults = check.damage.len() + check.errors.len();
        anyhow::ensure!(check.is_intact(), "faults found: {n_faults}");
        Ok(())
    }
}

impl Report {
    fn new(check: &Check, set_aside: bool) -> Report {
        Report {
            segments: check.n_segments,
            games: check.n_games,
            positions: check.n_plies,
            bytes: check.size_bytes,
            duplicates: check.n_duplicates,
            damage: check.damage.iter().map(Loss::new).collect(),
            errors: check.errors.iter().map(ToString::to_string).collect(),
            set_aside,
        }
    }

    fn write(&self, output: &mut Output) -> std::io::Result<()> {
        writeln!(
            output,
            "{} segments, {} bytes: {} intact games, {} positions",
            self.segments, self.bytes, self.games, self.positions
        )?;
        if self.duplicates > 0 {
            writeln!(output, "{} games are there twice", self.duplicates)?;
        }
        for loss in &self.damage {
            writeln!(
                output,
                "{}: {} bytes at {} are damaged, games lost: {}",
                loss.file, loss.bytes, loss.offset, loss.games
            )?;
        }
        for error in &self.errors {
            writeln!(output, "failed to {error}")?;
        }
        if self.set_aside {
            writeln!(output, "what is damaged has been moved to games/damaged")?;
        }
        Ok(())
    }
}

impl Loss {
    fn new(damage: &Damage) -> Loss {
        Loss {
            file: damage.path.display().to_string(),
            offset: damage.offset,
            bytes: damage.size_bytes,
            games: damage.n_games,
        }
    }
}
