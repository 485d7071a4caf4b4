//! `crownhead data stats`: what the games of a run are like.

use std::io::Write as _;
use std::path::PathBuf;

use pipeline::statistics::{GamesSummary, Statistics, statistics};

use crate::output::Output;

/// Describe the games of a run, by generation and in all
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Branching is the mean number of legal moves, entropy that of the policy targets in nats. A position
or game is repeated if the run has it before, in this generation or an earlier one. Up to a million
different positions are counted exactly. Of more a sample is remembered, so that memory stays at
some 60 MB: in a run with ten million positions the share of repeated ones is within two points in a
generation, and within 0.1 in all. Damaged games are left out: `crownhead data check` finds them.

JSON: {\"generations\":[{\"generation\",\"games\",\"positions\",\"black_wins\",\"white_wins\",\"draws\",
\"cut_off\",\"reasons\":{..},\"mean_plies\",\"min_plies\",\"max_plies\",\"branching\",\"policy_entropy\",
\"repeated_positions\",\"repeated_games\"}],\"total\":{..}}. Means of nothing are null.

Examples:
  crownhead data stats runs/english
  crownhead data stats runs/english --format json")]
pub(super) struct StatsArgs {
    /// The run's directory
    #[arg(value_name = "DIR")]
    run: PathBuf,
}

impl StatsArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (run, file) = super::open(&self.run)?;
        let statistics = statistics(&run.games(file.variant))?;
        if output.is_json() {
            return Ok(output.json(&statistics)?);
        }
        Ok(write(&statistics, output)?)
    }
}

fn write(statistics: &Statistics, output: &mut Output) -> std::io::Result<()> {
    writeln!(
        output,
        "generation   games  positions  black %  white %  drawn %  plies  branching  entropy  repeated %"
    )?;
    for summary in statistics.generations.iter().chain([&statistics.total]) {
        writeln!(output, "{}", line(summary))?;
    }
    let total = &statistics.total;
    writeln!(
        output,
        "\nlengths    {} to {} plies\nrepeated   {} games\ncut off    {} games",
        total.min_plies, total.max_plies, total.repeated_games, total.cut_off
    )?;
    for (reason, n) in &total.reasons {
        writeln!(output, "ended by   {reason}: {n} games")?;
    }
    Ok(())
}

fn line(summary: &GamesSummary) -> String {
    let name = summary
        .generation
        .map_or("all".to_owned(), |n| n.to_string());
    let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
    let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
    format!(
        "{name:>10}  {:>6}  {:>9}  {:>7.1}  {:>7.1}  {:>7.1}  {:>5.0}  {:>9}  {:>7}  {:>10.1}",
        summary.games,
        summary.positions,
        share(summary.black_wins, summary.games),
        share(summary.white_wins, summary.games),
        share(summary.draws, summary.games),
        summary.mean_plies.unwrap_or_default(),
        number(summary.branching),
        number(summary.policy_entropy),
        share(summary.repeated_positions, summary.positions),
    )
}
