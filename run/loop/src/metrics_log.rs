//! The observer that writes the curves.

mod tensorboard;

use std::time::{SystemTime, UNIX_EPOCH};

use eval::EndgameScore;
use store::{LoopState, MetricLine, MetricWriter, Phase};

use crate::config::SettingChange;
use crate::metrics::{
    Curve, EndgameMetrics, GateMetrics, ProgressMetrics, RatingMetrics, SelfplayMetrics, StageCost,
    Tag, TrainMetrics,
};
use crate::{Ended, Event, Result, Run, RunObserver, Status};
use tensorboard::EventFile;

/// Writes the curves of a run to `metrics.jsonl` and to `tensorboard/`, and the configuration to
/// the latter.
///
/// If curves cannot be written, training continues without them and a warning is logged.
#[derive(Debug)]
pub struct MetricsLog {
    files: Option<Files>,
}

#[derive(Debug)]
struct Files {
    lines: MetricWriter,
    events: EventFile,
}

impl MetricsLog {
    /// Resumes the curves at the state of the run: drops points of stages that will be repeated.
    #[must_use]
    pub fn open(run: &Run) -> MetricsLog {
        let files = Files::open(run).inspect_err(|error| {
            tracing::warn!(%error, "curves will not be written");
        });
        MetricsLog { files: files.ok() }
    }
}

impl Files {
    fn open(run: &Run) -> Result<Files> {
        let state = run.state();
        let (lines, n_dropped) = MetricWriter::open(&run.dir, |line| is_committed(line, state))?;
        let status = run.dir().status::<Status>();
        let was_killed = status.is_ok_and(|status| status.is_some_and(|status| status.running));
        // TensorBoard distinguishes points by step, and the steps are the same before and after a
        // kill.
        let is_anew = n_dropped > 0 || was_killed;
        if is_anew {
            run.dir.set_tensorboard_aside()?;
        }
        let first = if is_anew { 0 } else { state.step + 1 };
        let mut events = EventFile::create(&run.dir().tensorboard_path(), now(), first)?;
        let settings = &run.file().resolved.settings;
        events.text(now(), state.step, "config", &markdown(&run.file().render()))?;
        let named = settings
            .iter()
            .map(|setting| (setting.key.clone(), setting.value.clone()));
        events.hparams(now(), run.variant().name(), named)?;
        for line in run.dir().metrics()?.iter().filter(|_| is_anew) {
            scalars(&mut events, line)?;
        }
        Ok(Files { lines, events })
    }

    /// A repeated rating replaces the earlier one, as in `ratings.json`.
    fn forget_rating(&mut self, run: &Run) -> Result<()> {
        let is_rating = |tag: &String| stage_of(tag) == Some(Phase::Rate);
        let stays = |line: &MetricLine| {
            line.generation != run.state.generation || !line.values.keys().any(is_rating)
        };
        if !run.dir().metrics()?.iter().all(stays) {
            (self.lines, _) = MetricWriter::open(&run.dir, stays)?;
        }
        Ok(())
    }

    fn write(&mut self, step: u64, generation: u32, curves: Vec<Curve>) -> Result<()> {
        let line = MetricLine {
            step,
            generation,
            time: now(),
            values: curves
                .into_iter()
                .map(|(tag, value)| (tag.into_owned(), value))
                .collect(),
        };
        self.lines.write(&line)?;
        scalars(&mut self.events, &line)
    }
}

fn scalars(events: &mut EventFile, line: &MetricLine) -> Result<()> {
    let values = line.values.iter();
    let mut known = values.filter_map(|(tag, value)| Some((tag, (*value)?)));
    known.try_for_each(|(tag, value)| events.scalar(line.time, line.step, tag, value))
}

/// Returns `true` if a line belongs to a stage that will not be repeated.
fn is_committed(line: &MetricLine, state: &LoopState) -> bool {
    let stage = line.values.keys().find_map(|tag| stage_of(tag));
    match stage {
        _ if line.generation != state.generation => line.generation < state.generation,
        // Ratings requested between stages stay.
        Some(Phase::Rate) => state.next != Phase::Rate,
        Some(stage) => (stage as u8) < state.next as u8,
        None => line.step <= state.step,
    }
}

/// The stage that writes a curve.
fn stage_of(tag: &str) -> Option<Phase> {
    let group = tag.split('/').next().unwrap_or_default();
    let by_group = match group {
        "selfplay" | "settings" => Some(Phase::SelfPlay),
        "validation" | "train" | "loss" | "endgame" => Some(Phase::Train),
        "gate" => Some(Phase::Gate),
        "rating" => Some(Phase::Rate),
        _ => None,
    };
    by_group.or_else(|| StageCost::stage_of(tag))
}

/// The curves of the games; speeds only if this process played some of them.
fn played(metrics: &SelfplayMetrics) -> Vec<Curve> {
    const SPEEDS: [Tag; 5] = [
        SelfplayMetrics::GAMES_PER_S,
        SelfplayMetrics::POSITIONS_PER_S,
        SelfplayMetrics::EVALUATIONS_PER_S,
        SelfplayMetrics::NETWORK_SHARE,
        SelfplayMetrics::BATCH_FILL,
    ];
    let mut curves = metrics.curves();
    if metrics.games_per_s == 0.0 {
        curves.retain(|(tag, _)| SPEEDS.iter().all(|speed| speed.name() != tag));
    }
    curves
}

impl RunObserver for MetricsLog {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        let curves = match event {
            Event::Played(metrics) => [played(metrics), changed_settings(run)].concat(),
            Event::Validated(metrics) => metrics.curves(),
            Event::Learned { losses, .. } => TrainMetrics::loss_curves(losses),
            Event::Trained(metrics) => metrics.curves(),
            Event::Measured(EndgameScore {
                network, search, ..
            }) => EndgameMetrics {
                value_error: network.value_error,
                blunders: network.blunders,
                search_value_error: search.value_error,
                search_blunders: search.blunders,
            }
            .curves(),
            Event::Gated(report) => GateMetrics {
                score: report.games.score(),
                llr: report.llr,
                pairs: report.pairs,
            }
            .curves(),
            Event::Rated(point) => RatingMetrics {
                elo: point.elo,
                low: point.elo - point.interval(),
                high: point.elo + point.interval(),
            }
            .curves(),
            Event::StageEnded {
                stage,
                elapsed,
                ended: Ended::Complete,
                ..
            } => {
                let mut curves = StageCost::curves(*stage, *elapsed);
                if *stage == Phase::Train {
                    curves.extend(progress(run.state()).curves());
                }
                curves
            }
            Event::StageEnded { .. } => return Ok(()),
            Event::StageStarted
            | Event::Planned { .. }
            | Event::Progress { .. }
            | Event::StepSkipped { .. } => return Ok(()),
        };
        // After the last stage of a generation the state already names the next generation.
        let generation = match event {
            Event::StageEnded { generation, .. } => *generation,
            _ => run.state().generation,
        };
        let step = match event {
            Event::Learned { step, .. } => *step,
            _ => run.state().step,
        };
        let written = self.files.as_mut().map(|files| {
            if matches!(event, Event::Rated(_)) {
                files.forget_rating(run)?;
            }
            files.write(step, generation, curves)
        });
        if let Some(Err(error)) = written {
            tracing::warn!(%error, "curves are no longer written");
            self.files = None;
        }
        Ok(())
    }
}

/// Settings that changed with this generation and are numbers.
fn changed_settings(run: &Run) -> Vec<Curve> {
    let curve = |change: &SettingChange| {
        let tag = format!("settings/{}", change.key);
        change.number().map(|number| (tag.into(), Some(number)))
    };
    run.changes().filter_map(curve).collect()
}

fn progress(state: &LoopState) -> ProgressMetrics {
    ProgressMetrics {
        games: state.games,
        samples: state.samples,
        seconds: state.seconds,
    }
}

/// Escapes a text so that TensorBoard shows it unchanged.
fn markdown(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Validation;

    #[test]
    fn every_curve_belongs_to_its_stage() {
        for (tags, stage) in [
            (SelfplayMetrics::TAGS, Some(Phase::SelfPlay)),
            (Validation::TAGS, Some(Phase::Train)),
            (TrainMetrics::TAGS, Some(Phase::Train)),
            (EndgameMetrics::TAGS, Some(Phase::Train)),
            (GateMetrics::TAGS, Some(Phase::Gate)),
            (RatingMetrics::TAGS, Some(Phase::Rate)),
            (ProgressMetrics::TAGS, None),
            (&[StageCost::seconds_of(Phase::Gate)], Some(Phase::Gate)),
            (&[StageCost::MEMORY_MIB], None),
        ] {
            for tag in tags {
                assert_eq!(stage_of(tag.name()), stage, "{tag}");
            }
        }
    }
}
