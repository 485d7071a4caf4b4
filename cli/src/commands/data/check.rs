//! `crownhead data check`: what is damaged, and out of the way with it, and what is missing.

use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use store::{Check, Damage, FinishedGames, Games, MissingGames};

use crate::output::Output;

/// Stretches of missing games that are named for each generation.
const SHOWN: usize = 8;

/// Find games of a run that are damaged or missing, and set damage aside
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Damaged bytes move to games/damaged/ and the segment is written anew with its intact games. Nothing
is deleted. A file that is no segment of the run, and a game that is intact and makes no sense, are
reported and stay. The run must not be training, unless --dry-run is given.

Games are missing if they belong to a generation whose self-play is over and are not there intact.
Put their segments back from a copy, if there is one; training goes on without them otherwise. Games
of the generation that is being played are not missed: training plays them again.

Exit status: 0 all is intact, 1 something is damaged or missing, also where it has been set aside.

JSON: {\"segments\",\"games\",\"positions\",\"bytes\",\"duplicates\",\"damage\":[{\"file\",\"offset\",
\"bytes\",\"games\"}],\"missing\":[{\"generation\",\"games\",\"numbers\":[[first,last]]}],\"errors\":[..],
\"set_aside\"}.

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
    missing: Vec<Gap>,
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

#[derive(Serialize)]
struct Gap {
    generation: u32,
    games: usize,
    /// First and last of each stretch.
    numbers: Vec<[u32; 2]>,
}

impl CheckArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (run, file) = super::open(&self.run)?;
        // Read before the games: whatever the state counts as finished is on disk.
        let finished = FinishedGames {
            generations: run.state()?.map_or(0, |state| state.generations_played()),
            games: file.resolved.config.selfplay.games_per_generation,
        };
        let check = if self.dry_run {
            Games::new(&run.games_path(), file.variant).check(finished)?
        } else {
            run.quarantine(file.variant, finished)?
        };
        let report = Report::new(&check, !self.dry_run && !check.damage.is_empty());
        if output.is_json() {
            output.json(&report)?;
        } else {
            report.write(output)?;
        }
        output.flush()?;
        let n_faults = check.damage.len() + check.missing.len() + check.errors.len();
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
            missing: check.missing.iter().map(Gap::new).collect(),
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
            writeln!(output, "{} duplicate games", self.duplicates)?;
        }
        for loss in &self.damage {
            writeln!(
                output,
                "{}: {} bytes at {} are damaged, games lost: {}",
                loss.file, loss.bytes, loss.offset, loss.games
            )?;
        }
        for gap in &self.missing {
            writeln!(output, "{}", gap.line())?;
        }
        for error in &self.errors {
            writeln!(output, "{error}")?;
        }
        if self.set_aside {
            writeln!(output, "the damaged bytes were moved to games/damaged")?;
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

impl Gap {
    fn new(missing: &MissingGames) -> Gap {
        let ends = missing.numbers.iter().map(|r| [*r.start(), *r.end()]);
        Gap {
            generation: missing.generation,
            games: missing.n_games(),
            numbers: ends.collect(),
        }
    }

    fn line(&self) -> String {
        let stretch = |ends: &[u32; 2]| match ends {
            [first, last] if first == last => first.to_string(),
            [first, last] => format!("{first} to {last}"),
        };
        let stretches: Vec<_> = self.numbers.iter().take(SHOWN).map(stretch).collect();
        let others = if self.numbers.len() > SHOWN {
            " and others"
        } else {
            ""
        };
        format!(
            "generation {}: {} games are missing: {}{others}",
            self.generation,
            self.games,
            stretches.join(", ")
        )
    }
}
