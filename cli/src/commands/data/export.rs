//! `crownhead data export`: games for other programs.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use store::Games;

use crate::commands::pdn;
use crate::output::{Output, Usage};

/// Write the games of a run as PDN
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Both sides of a game have the name of the network that played, Round is generation/number.

JSON: {\"file\",\"games\",\"positions\"}.

Examples:
  crownhead data export runs/english --to games.pdn")]
pub(super) struct ExportArgs {
    /// The run's directory
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// Where to write, a name that ends in .pdn
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

#[derive(Default, Serialize)]
struct Report {
    file: String,
    games: u64,
    positions: u64,
}

impl ExportArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if self.to.extension().is_none_or(|ending| ending != "pdn") {
            let name = self.to.display();
            let message = format!("cannot tell the format of {name}: use a name that ends in .pdn");
            return Err(Usage(message).into());
        }
        let (run, variant) = super::open(&self.run)?;
        let report = write_pdn(&Games::new(&run.games_path(), variant), &self.to)?;
        if output.is_json() {
            return Ok(output.json(&report)?);
        }
        let Report {
            file,
            games,
            positions,
        } = report;
        Ok(writeln!(
            output,
            "{file}: {games} games, {positions} positions"
        )?)
    }
}

impl Report {
    fn new(path: &Path) -> Report {
        Report {
            file: path.display().to_string(),
            ..Report::default()
        }
    }
}

/// Generation after generation, so that one of them is in memory at a time.
fn write_pdn(games: &Games, path: &Path) -> anyhow::Result<Report> {
    let failed = || format!("failed to write {}", path.display());
    let mut report = Report::new(path);
    let mut file = BufWriter::new(File::create(path).with_context(failed)?);
    for generation in games.generations()? {
        for record in games.read(generation)?.records {
            let text = pdn::text(&record, &record.header.network);
            file.write_all(text.as_bytes()).with_context(failed)?;
            report.games += 1;
            report.positions += record.plies.len() as u64;
        }
    }
    file.flush().with_context(failed)?;
    Ok(report)
}
