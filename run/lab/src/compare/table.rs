//! A comparison as Markdown.

use std::fmt::{self, Write as _};

use types::tidy;

use super::record::{Comparison, MatchTerms, RunResult, in_brackets};
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
    /// Writes it as Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&markdown(self))
    }
}

/// A table of the arms, a table of the match results, and the verdict.
fn markdown(comparison: &Comparison) -> String {
    let terms = &comparison.terms;
    let minutes = (terms.budget_s / 0.6).round() / 100.0;
    let (threads, seeds) = (terms.threads, terms.seeds.len());
    let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let mut text = format!(
        "`{}`, {minutes} minutes of {} for each run, {} per arm\n\n",
        terms.variant,
        plural(threads, "thread"),
        plural(seeds, "seed"),
    );
    text.push_str(
        "| arm | settings | relative Elo | generations | games | steps |\n|---|---|---|---|---|---|\n",
    );
    for (arm, terms) in comparison.arms.iter().zip(&terms.arms) {
        // Settings shared by all arms are left out.
        let is_shared = |key: &String, value: &String| {
            let mut arms = comparison.terms.arms.iter();
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
        let _ = writeln!(
            text,
            "| {} | {} | {elo} | {} | {} | {} |",
            arm.name,
            settings.join(" "),
            of_runs(|run| run.generations.into()),
            of_runs(|run| run.games),
            of_runs(|run| run.steps),
        );
    }
    if comparison.pairs.is_empty() {
        return text;
    }
    text.push_str(
        "\n| match | between | pairs | score | Elo difference | by the games alone |\n|---|---|---|---|---|---|\n",
    );
    for pair in &comparison.pairs {
        let [a, b] = &pair.arms;
        let _ = writeln!(
            text,
            "| {} | {b} against {a} | {} | {:.1} % | {} | {} |",
            pair.measure,
            pair.pairs,
            100.0 * pair.score,
            in_brackets(&pair.elo),
            in_brackets(&pair.elo_of_games),
        );
    }
    let MatchTerms {
        simulations,
        move_s,
        ..
    } = terms.matches;
    let _ = write!(
        text,
        "\n0 relative Elo is the first arm. Equal simulations: {simulations} per move; equal time: \
            {:.0} ms. Brackets and ±: 95 %, ",
        1000.0 * move_s
    );
    text.push_str(match seeds {
        1 => {
            "for the games of these runs: a single seed does not show how much other seeds vary.\n"
        }
        _ => "over seeds: they include the variation between trainings of the same arm.\n",
    });
    if let Some(verdict) = &comparison.verdict {
        let _ = writeln!(text, "\n{verdict}");
    }
    text
}
