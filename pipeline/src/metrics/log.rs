//! An observer that writes the curves.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use store::{MetricLine, MetricWriter, Phase};

use super::tensorboard::EventFile;
use super::{Curve, EndgameMetrics, GateMetrics, RatingMetrics};
use crate::config::SettingChange;
use crate::{Event, Result, Run, RunObserver};

/// Writes the curves of a run to `metrics.jsonl` and to `tensorboard/`, and what it was configured
/// with to the latter.
#[derive(Debug)]
pub struct MetricsLog {
    lines: MetricWriter,
    events: EventFile,
}

impl MetricsLog {
    /// Goes on where the run is: points of stages that will be done again are dropped.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn open(run: &Run) -> Result<MetricsLog> {
        let step = run.state().step;
        let mut events = EventFile::create(&run.dir().tensorboard_path(), now(), step + 1)?;
        let settings = &run.file().resolved.settings;
        events.text(now(), step, "config", &markdown(&run.file().render()))?;
        let named = settings
            .iter()
            .map(|setting| (setting.key.clone(), setting.value.clone()));
        events.hparams(now(), run.variant().name(), named)?;
        Ok(MetricsLog {
            lines: MetricWriter::open(&run.dir, step)?,
            events,
        })
    }

    fn write(&mut self, run: &Run, curves: Vec<Curve>) -> Result<()> {
        let (step, time) = (run.state().step, now());
        for (tag, value) in &curves {
            if let Some(value) = value {
                self.events.scalar(time, step, tag, *value)?;
            }
        }
        let line = MetricLine {
            step,
            generation: run.state().generation,
            time,
            values: curves
                .into_iter()
                .map(|(tag, value)| (tag.into_owned(), value))
                .collect(),
        };
        Ok(self.lines.write(&line)?)
    }
}

impl RunObserver for MetricsLog {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        let curves = match event {
            Event::Played(metrics) => [metrics.curves(), changed_settings(run)].concat(),
            Event::Validated(metrics) => metrics.curves(),
            Event::Trained(metrics) => metrics.curves(),
            Event::Measured(score) => EndgameMetrics::new(score).curves(),
            Event::Gated(report) => GateMetrics::new(report).curves(),
            Event::Rated(point) => RatingMetrics::new(point).curves(),
            Event::StageEnded { stage, elapsed, .. } => process(*stage, *elapsed),
            Event::StageStarted
            | Event::Planned { .. }
            | Event::Progress { .. }
            | Event::StepSkipped { .. } => return Ok(()),
        };
        self.write(run, curves)
    }
}

/// The settings that have changed with this generation, as far as they are numbers.
fn changed_settings(run: &Run) -> Vec<Curve> {
    let curve = |change: &SettingChange| {
        let tag = format!("settings/{}", change.key);
        change.number().map(|number| (tag.into(), Some(number)))
    };
    run.changes().filter_map(curve).collect()
}

/// What a stage cost.
fn process(stage: Phase, elapsed: Duration) -> Vec<Curve> {
    let seconds = match stage {
        Phase::SelfPlay => "time/selfplay_s",
        Phase::Train => "time/train_s",
        Phase::Gate => "time/gate_s",
        Phase::Rate => "time/rate_s",
    };
    let memory = memory_stats::memory_stats();
    let mebibytes = memory.map(|memory| memory.physical_mem as f64 / f64::from(1 << 20));
    vec![
        (seconds.into(), Some(elapsed.as_secs_f64())),
        ("process/memory_mib".into(), mebibytes),
    ]
}

/// A text as TensorBoard shows it unchanged.
fn markdown(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
