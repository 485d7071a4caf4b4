//! What a person sees of a run that is being trained.

use std::time::Duration;

use eval::{DirectScore, EndgameScore};
use pipeline::{Event, Progress, Run, RunObserver, SelfplayMetrics, Status, TrainMetrics};
use selfplay::SelfplayStats;
use store::Phase;

use super::budget::{Stop, show_duration};
use crate::display::Display;

/// Shows a progress line, and a line that stays for every generation.
pub(crate) struct ProgressLine<'a> {
    display: Display,
    stop: &'a Stop,
    /// What the line of a generation says.
    status: Status,
}

impl<'a> ProgressLine<'a> {
    /// For a run that goes on from `status`.
    pub(crate) fn new(stop: &'a Stop, status: Status) -> ProgressLine<'a> {
        ProgressLine {
            display: Display::new(),
            stop,
            status,
        }
    }

    /// Takes the live line away.
    pub(crate) fn close(&self) {
        self.display.close();
    }

    fn generation_line(&mut self, run: &Run) {
        self.status.follow(run.state());
        let left = self.stop.time_left();
        let left = left.map(|left| format!("  {} left", show_duration(left)));
        let line = generation_line(&self.status) + &left.unwrap_or_default();
        self.display.line(&line);
    }
}

impl RunObserver for ProgressLine<'_> {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> pipeline::Result<()> {
        self.status.note(event);
        match event {
            Event::StageStarted if run.state().next == Phase::SelfPlay => {
                for change in run.changes() {
                    self.display.line(&format!("setting: {change}"));
                }
            }
            Event::Planned { stage, total } => {
                let name = stage_name(*stage);
                let generation = run.state().generation;
                self.display
                    .stage(format!("generation {generation}: {name}"), *total);
            }
            Event::Progress { done, so_far } => self.display.at(*done, || so_far_line(so_far)),
            Event::StepSkipped { step } => self.display.line(&format!(
                "warning: optimiser step {step} was skipped: its loss or gradient was not finite"
            )),
            Event::StageEnded {
                stage: Phase::Rate,
                ended: pipeline::Ended::Complete,
                ..
            } => self.generation_line(run),
            _ => {}
        }
        Ok(())
    }
}

fn stage_name(stage: Phase) -> &'static str {
    match stage {
        Phase::SelfPlay => "self-play",
        Phase::Train => "training",
        Phase::Gate => "gate",
        Phase::Rate => "rating",
    }
}

fn so_far_line(so_far: &Progress<'_>) -> String {
    match so_far {
        Progress::SelfPlay(stats, elapsed) => games_so_far(stats, *elapsed),
        Progress::Train(metrics) => training_line(metrics),
        Progress::Gate(result) => result.elo().to_string(),
        Progress::Rate(step) => {
            let rating = step.rating;
            format!("{:.0} ±{:.0} Elo", rating.elo, rating.ci95_on_scale)
        }
    }
}

fn games_so_far(stats: &SelfplayStats, elapsed: Duration) -> String {
    let per_second = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-9);
    games_line(
        per_second(stats.games),
        per_second(stats.evaluations),
        stats.mean_plies(),
        stats.draw_rate(),
    )
}

fn games_line(games_per_s: f64, evaluations_per_s: f64, mean_plies: f64, draw_rate: f64) -> String {
    format!(
        "{games_per_s:.1} games/s  {:.1}k evaluations/s  {mean_plies:.0} plies  {:.0} % drawn",
        evaluations_per_s / 1000.0,
        100.0 * draw_rate,
    )
}

/// The games of a generation in one line.
pub(crate) fn selfplay_line(metrics: &SelfplayMetrics) -> String {
    games_line(
        metrics.games_per_s,
        metrics.evaluations_per_s,
        metrics.mean_plies,
        metrics.draw_rate,
    )
}

/// The optimiser steps of a generation in one line.
pub(crate) fn training_line(metrics: &TrainMetrics) -> String {
    format!(
        "{:.0} samples/s  loss: policy {:.3} (+{:.3} above its target's entropy) value {:.3}",
        metrics.samples_per_s,
        metrics.loss("policy"),
        metrics.policy_divergence,
        metrics.loss("value"),
    )
}

/// A network on endings in one line.
pub(crate) fn endgame_line(score: &EndgameScore) -> String {
    format!(
        "value error {:.2}, blunders {:.0} %; with {} simulations {:.2}, {:.0} %",
        score.network.value_error,
        100.0 * score.network.blunders,
        score.simulations,
        score.search.value_error,
        100.0 * score.search.blunders,
    )
}

/// What a generation brought, in one line.
fn generation_line(status: &Status) -> String {
    let mut parts = vec![
        format!(
            "{:>7}",
            show_duration(Duration::from_secs_f64(status.seconds))
        ),
        format!("generation {:>3}", status.newest),
        format!("{} games", status.games),
    ];
    parts.extend(status.selfplay.as_ref().map(selfplay_line));
    parts.extend(status.training.as_ref().map(|training| {
        let (policy, value) = (training.loss("policy"), training.loss("value"));
        format!("loss {policy:.3} / {value:.3}")
    }));
    parts.extend(status.verdict.clone());
    if let Some(rating) = &status.rating {
        let interval = rating.ci95_on_scale.unwrap_or(rating.ci95);
        parts.push(format!("{:.0} \u{b1}{interval:.0} Elo", rating.elo));
        parts.extend(rating.direct.as_ref().map(direct_score));
    }
    parts.join("  ")
}

/// A score against a baseline, as it stands beside a rating.
pub(crate) fn direct_score(direct: &DirectScore) -> String {
    format!("{:.0} % against {}", 100.0 * direct.score, direct.baseline)
}
