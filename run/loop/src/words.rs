//! Text output of a run's progress, status and ratings.

use std::fmt;
use std::time::Duration;

use store::Phase;
use types::{show_duration, tidy};

use crate::metrics::{SelfplayMetrics, TrainMetrics};
use crate::{Event, Progress, Ratings, Run, Status};

/// Maximum number of ratings in the table.
const SHOWN: usize = 12;

/// Progress of one piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// Name of the current work.
    pub name: String,
    /// Steps done.
    pub done: u64,
    /// Total steps.
    pub total: u64,
    /// Details to show with it.
    pub note: String,
}

impl StageProgress {
    /// Creates the progress of a piece of work.
    pub fn new(name: impl Into<String>, done: u64, total: u64, note: String) -> StageProgress {
        StageProgress {
            name: name.into(),
            done,
            total,
            note,
        }
    }
}

/// Formats a duration given in seconds, which may come from a file and be any number.
pub fn show_seconds(seconds: f64) -> String {
    show_duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// Games per second, evaluations per second, plies per game, fraction of draws.
fn games([games, evaluations, plies, draws]: [f64; 4]) -> String {
    format!(
        "{games:.1} games/s  {:.1}k evaluations/s  {plies:.0} plies  {:.0} % drawn",
        evaluations / 1000.0,
        tidy(100.0 * draws, 0),
    )
}

impl fmt::Display for SelfplayMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&games([
            self.games_per_s,
            self.evaluations_per_s,
            self.mean_plies,
            self.draw_rate,
        ]))
    }
}

impl fmt::Display for TrainMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} samples/s  loss: policy {:.3} ({:+.3} above its target's entropy) value {:.3}",
            self.samples_per_s,
            self.loss("policy"),
            tidy(self.policy_divergence, 3),
            self.loss("value"),
        )
    }
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::SelfPlay(stats, elapsed) => {
                let per_second = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-9);
                let speeds = [stats.games, stats.evaluations].map(per_second);
                f.write_str(&games([
                    speeds[0],
                    speeds[1],
                    stats.mean_plies(),
                    stats.draw_rate(),
                ]))
            }
            Progress::Train(metrics) => metrics.fmt(f),
            Progress::Gate(result) => result.elo().fmt(f),
            Progress::Rate(step) => {
                write!(
                    f,
                    "{:.0} ±{:.0} Elo above random",
                    tidy(step.rating.elo, 0),
                    step.rating.ci95_on_scale
                )
            }
        }
    }
}

impl Event<'_> {
    /// The progress at the start of a stage.
    pub fn stage(&self, run: &Run) -> Option<StageProgress> {
        let Event::Planned { stage, total, done } = self else {
            return None;
        };
        let name = match stage {
            Phase::SelfPlay => "self-play",
            Phase::Train => "training",
            Phase::Gate => "gate",
            Phase::Rate => "rating",
        };
        let name = format!("generation {}: {name}", run.state().generation);
        Some(StageProgress::new(name, *done, *total, String::new()))
    }

    /// Messages for the user, one per line.
    pub fn lines(&self, run: &Run) -> Vec<String> {
        match self {
            Event::StageStarted if run.state().next == Phase::SelfPlay => run
                .changes()
                .map(|change| format!("Setting: {change}"))
                .collect(),
            Event::StepSkipped { step } => vec![format!(
                "warning: optimizer step {step} was skipped: its loss or gradient was not finite"
            )],
            _ => Vec::new(),
        }
    }
}

impl Run {
    /// Messages for the user at the start: the game and settings of the training, and anything
    /// unusual.
    pub fn notices(&self) -> Vec<String> {
        let (variant, threads) = (self.variant(), self.threads());
        let (network, dir) = (self.config().model.name(), self.dir().path().display());
        let how = if self.is_new() {
            "Training".to_owned()
        } else {
            format!("Resuming at generation {}:", self.state().generation)
        };
        let plural = if threads == 1 { "" } else { "s" };
        let mut lines = vec![format!(
            "{how} {variant}, network {network}, {threads} thread{plural}, run directory {dir}. Ctrl-C saves."
        )];
        let origin = self.file().origin.iter().filter(|_| self.is_new());
        lines.extend(origin.map(|origin| format!("It started from {origin}.")));
        let changes = self.file().changes.iter();
        let ahead = changes.filter(|change| change.generation > self.state().generation);
        lines.extend(ahead.map(|change| format!("Setting: {change}")));
        for moved in self.moved() {
            let (from, to) = (moved.from.display(), moved.to.display());
            tracing::warn!(%from, %to, why = moved.why, "moved to set-aside");
            lines.push(format!("Moved {from} to {to}: {}.", moved.why));
        }
        for damage in self.damage() {
            tracing::warn!(?damage, "skipped damaged games");
            lines.push(format!("warning: skipped damaged games: {damage}"));
        }
        if eval::anchors::shipped(variant).is_none() {
            lines.push(format!(
                "There will be no ratings: the baselines of {variant} have not been measured under \
                    these rules."
            ));
        }
        lines
    }
}

impl Status {
    /// The heading of the lines of generations.
    pub const GENERATIONS: &str = concat!(
        "                                loss of                    Elo above\n",
        "   time  gen   games games/s  policy value  gate         random ±95 %    left",
    );

    /// The last generation as a line of a table of 80 columns, with the time that is left.
    pub fn generation_line(&self, left: Option<Duration>) -> String {
        let unknown = || "-".to_owned();
        let rate = self.selfplay.as_ref();
        let rate = rate.map_or_else(unknown, |games| format!("{:.1}", games.games_per_s));
        let loss = |head| {
            let training = self.training.as_ref();
            training.map_or_else(unknown, |training| format!("{:.3}", training.loss(head)))
        };
        let rating = self.rating.as_ref().map_or_else(unknown, |rating| {
            let interval = rating.ci95_on_scale.unwrap_or(rating.ci95);
            format!("{:.0} ±{interval:.0}", tidy(rating.elo, 0))
        });
        let line = format!(
            "{:>7}{:>5}{:>8}{rate:>8}{:>8}{:>6}  {:<12}{rating:>13}{:>8}",
            show_seconds(self.seconds),
            self.newest,
            self.games,
            loss("policy"),
            loss("value"),
            self.verdict.as_deref().unwrap_or("-"),
            left.map(show_duration).unwrap_or_default(),
        );
        line.trim_end().to_owned()
    }
}

impl fmt::Display for Status {
    /// The status, one line per item.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.running, self.interrupted) {
            (true, _) => "training",
            (_, true) => "interrupted: run the same command to resume",
            _ => "not running",
        };
        let time = show_seconds(self.seconds);
        writeln!(f, "variant     {}", self.variant)?;
        writeln!(f, "process     {state}")?;
        writeln!(
            f,
            "trained     {time}, {} games, {} steps",
            self.games, self.steps
        )?;
        writeln!(
            f,
            "next        {} of generation {}",
            self.stage, self.generation
        )?;
        writeln!(
            f,
            "champion    model {} (newest: {})",
            self.champion, self.newest
        )?;
        if let Some(selfplay) = &self.selfplay {
            writeln!(f, "self-play   {selfplay}")?;
            let share = tidy(100.0 * selfplay.network_share, 0);
            writeln!(
                f,
                "            {share:.0} % of the workers' time in the network"
            )?;
        }
        if let Some(training) = &self.training {
            writeln!(f, "training    {training}")?;
        }
        if let Some(score) = &self.endgame {
            writeln!(f, "endings     {score}")?;
        }
        if let Some(gate) = &self.gate {
            writeln!(f, "last gate   {gate}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Ratings {
    /// The newest ratings, one per line, and the meaning of the intervals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = &self.points;
        writeln!(
            f,
            "   time   gen  champion  Elo above random  games  score (expected), against"
        )?;
        for point in points.iter().skip(points.len().saturating_sub(SHOWN)) {
            let rating = format!("{:>6.0} ±{:.0}", tidy(point.elo, 0), point.interval());
            let direct = point.direct.as_ref().map_or_else(String::new, |direct| {
                let [score, expected] =
                    [direct.score, direct.expected].map(|share| tidy(100.0 * share, 0));
                let (games, baseline) = (direct.games, &direct.baseline);
                format!("{games:>5}  {score:.0} % ({expected:.0} %) {baseline}")
            });
            let line = format!(
                "{:>7} {:>5}  {:>8}  {rating:<16}  {direct}",
                show_seconds(point.seconds),
                point.generation,
                point.model,
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        if let Some(last) = points.last().filter(|last| last.ci95_on_scale.is_some()) {
            writeln!(
                f,
                "±: 95 % intervals of these games. All ratings share a further error, because\n\
                 the ratings of the baselines are uncertain: with it the last interval is ±{:.0}.\n\
                 This error is the same in all runs.",
                last.ci95
            )?;
        }
        match &self.fit {
            Some(fit) => writeln!(f, "Fit: {fit}."),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RatingStatus;

    #[test]
    fn generations_are_lines_of_a_table() {
        let mut status = Status {
            seconds: 3900.0,
            newest: 120,
            games: 123_456,
            ..Status::default()
        };
        let columns = |text: &str| text.chars().count();
        let heading = Status::GENERATIONS.lines().last().unwrap();
        assert!(columns(heading) <= 80, "{heading}");
        let left = Some(Duration::from_secs(1325));
        let bare = status.generation_line(left);
        assert_eq!(columns(&bare), columns(heading), "{bare}");
        assert!(status.generation_line(None).ends_with(" -"));
        status.selfplay = Some(SelfplayMetrics {
            games_per_s: 1234.5,
            ..SelfplayMetrics::default()
        });
        status.training = Some(TrainMetrics {
            losses: [("policy".to_owned(), 1.2345), ("value".to_owned(), 0.5)].into(),
            ..TrainMetrics::default()
        });
        status.verdict = Some("inconclusive".to_owned());
        status.rating = Some(RatingStatus {
            model: 100,
            elo: -0.4,
            ci95: 120.0,
            ci95_on_scale: None,
            direct: None,
        });
        let full = status.generation_line(left);
        assert_eq!(columns(&full), columns(heading), "{full}");
        assert!(
            full.contains("  1.234 0.500  inconclusive       0 ±120  22m05s"),
            "{full}"
        );
    }
}
