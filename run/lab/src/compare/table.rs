//! A comparison as Markdown.

use std::fmt;

use types::tidy;

use super::record::{Comparison, RunResult, in_brackets};
use run::show_seconds;

/// Progress of a stopped comparison.
#[must_use]
pub fn progress(comparison: &Comparison) -> String {
    let runs = || comparison.arms.iter().flat_map(|arm| &arm.runs);
    let used: f64 = runs().map(|run| run.processor_s).sum();
    let threads = comparison.terms.threads.max(1) as f64;
    let total = comparison.terms.budget_s * runs().count() as f64;
    format!(
        "Stopped after {} of {} of training and {} matches",
        show_seconds((used / threads).min(total)),
        show_seconds(total),
        comparison.meetings.len(),
    )
}

impl fmt::Display for Comparison {
    /// Writes a table of the arms, a table of the match results, and the verdict as Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = &self.terms;
        let minutes = (terms.budget_s / 0.6).round() / 100.0;
        let (threads, seeds) = (terms.threads, terms.seeds.len());
        let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        writeln!(
            f,
            "`{}`, {minutes} minutes of {} for each run, {} per arm\n",
            terms.variant,
            plural(threads, "thread"),
            plural(seeds, "seed"),
        )?;
        writeln!(
            f,
            "| arm | settings | relative Elo | generations | games | steps |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (arm, terms) in self.arms.iter().zip(&terms.arms) {
            // Settings shared by all arms are left out.
            let is_shared = |key: &String, value: &String| {
                let mut arms = self.terms.arms.iter();
                arms.all(|arm| arm.settings.get(key) == Some(value))
            };
            let settings = terms.settings.iter();
            let own = settings.filter(|(key, value)| !is_shared(key, value));
            let settings = own.map(|(key, value)| format!("`{key}={value}`"));
            let settings: Vec<String> = settings.collect();
            let elo = match (arm.elo, arm.ci95) {
                (Some(elo), Some(ci95)) => format!("{:+.0} ±{ci95:.0}", tidy(elo, 0)),
                _ => "not yet".to_owned(),
            };
            let of_runs = |value: fn(&RunResult) -> u64| {
                let values = arm.runs.iter().map(|run| value(run).to_string());
                values.collect::<Vec<_>>().join(", ")
            };
            writeln!(
                f,
                "| {} | {} | {elo} | {} | {} | {} |",
                arm.name,
                settings.join(" "),
                of_runs(|run| run.generations.into()),
                of_runs(|run| run.games),
                of_runs(|run| run.steps),
            )?;
        }
        if self.pairs.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n| match | between | pairs | score | Elo difference | by the games alone |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for pair in &self.pairs {
            let [a, b] = &pair.arms;
            writeln!(
                f,
                "| {} | {b} against {a} | {} | {:.1} % | {} | {} |",
                pair.measure,
                pair.pairs,
                100.0 * pair.score,
                in_brackets(&pair.elo),
                in_brackets(&pair.elo_of_games),
            )?;
        }
        let reach = match seeds {
            1 => {
                "for the games of these runs: a single seed does not show how much other seeds vary"
            }
            _ => "over seeds: they include the variation between trainings of the same arm",
        };
        writeln!(
            f,
            "\n0 relative Elo is the first arm. Equal simulations: {} per move; equal time: {:.0} ms. \
         Brackets and ±: 95 %, {reach}.",
            terms.matches.simulations,
            1000.0 * terms.matches.move_s
        )?;
        self.verdict
            .iter()
            .try_for_each(|verdict| writeln!(f, "\n{verdict}"))
    }
}
