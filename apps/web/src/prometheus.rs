//! The state of runs and of their fleets in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, header};
use http::{ApiError, aside};
use serde_json::Value as Document;
use share::FleetStatus;
use store::RunDir;

use crate::runs::NamedRun;
use crate::state::AppState;

const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A number of a run, from `status.json`: name, help, and where the document has it.
const RUN_METRICS: [(&str, &str, &str); 8] = [
    ("run_generation", "Generation in progress.", "/generation"),
    ("run_seconds_total", "Training time.", "/seconds"),
    ("run_games_total", "Finished games of self-play.", "/games"),
    (
        "run_positions_total",
        "Positions of these games.",
        "/positions",
    ),
    ("run_steps_total", "Optimizer steps.", "/steps"),
    ("run_champion", "Number of the champion.", "/champion"),
    (
        "run_elo",
        "Rating of the champion, in Elo above random.",
        "/rating/elo",
    ),
    (
        "run_elo_ci95",
        "Half-width of the rating's 95 % interval.",
        "/rating/ci95",
    ),
];

/// Metrics in the order in which their first value was added, each with its values.
#[derive(Default)]
pub(crate) struct Exposition(Vec<(String, String)>);

impl Exposition {
    /// Adds a value of a metric. Names of counters end with `_total`, as Prometheus wants it; the
    /// others are gauges.
    pub(crate) fn add(&mut self, name: &str, help: &str, labels: &[(&str, &str)], value: f64) {
        let place = self.0.iter().position(|(known, _)| known == name);
        let place = place.unwrap_or_else(|| {
            let kind = if name.ends_with("_total") {
                "counter"
            } else {
                "gauge"
            };
            let head = format!("# HELP crownhead_{name} {help}\n# TYPE crownhead_{name} {kind}\n");
            self.0.push((name.to_owned(), head));
            self.0.len() - 1
        });
        let labels: Vec<String> = labels
            .iter()
            .map(|(label, text)| format!("{label}=\"{}\"", escaped(text)))
            .collect();
        let text = &mut self.0[place].1;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "crownhead_{name}{{{}}} {value}", labels.join(","));
    }

    pub(crate) fn add_run(&mut self, run: &RunDir, labels: &[(&str, &str)]) {
        let is_live = f64::from(u8::from(run.is_locked()));
        let help = "1 while a process trains the run.";
        self.add("run_live", help, labels, is_live);
        let status: Document = run.status().ok().flatten().unwrap_or_default();
        for (name, help, place) in RUN_METRICS {
            let value = status.pointer(place).and_then(Document::as_f64);
            if let Some(value) = value.filter(|value| value.is_finite()) {
                self.add(name, help, labels, value);
            }
        }
    }

    pub(crate) fn add_fleet(&mut self, fleet: &FleetStatus, labels: &[(&str, &str)]) {
        let waiting = f64::from(fleet.chunks) - fleet.finished as f64;
        let waiting = if fleet.is_over { 0.0 } else { waiting.max(0.0) };
        let help = "Parts of the current work that are not finished.";
        self.add("fleet_waiting_parts", help, labels, waiting);
        let excluded = fleet.mismatches.len() as f64;
        let help = "Machines whose games could not be reproduced.";
        self.add("fleet_excluded_machines", help, labels, excluded);
        for worker in &fleet.workers {
            let status = &worker.status;
            let labels = [labels, &[("worker", status.name.as_str())]].concat();
            let help = "Games that the worker has shared since it joined.";
            self.add("worker_games_total", help, &labels, status.games as f64);
            let help = "Games that the worker shares per second of playing.";
            self.add("worker_games_per_second", help, &labels, status.games_per_s);
            let help = "Seconds since the worker last reported.";
            self.add(
                "worker_silent_seconds",
                help,
                &labels,
                worker.silent_s as f64,
            );
        }
    }

    pub(crate) fn text(self) -> String {
        self.0.into_iter().map(|(_, text)| text).collect()
    }
}

/// A label's value, as the format wants it.
fn escaped(text: &str) -> String {
    let plain = text.replace('\\', "\\\\").replace('"', "\\\"");
    plain.replace('\n', "\\n")
}

/// A reply in the text format, with its header.
pub(crate) type Reply = Result<([(HeaderName, &'static str); 1], String), ApiError>;

/// `GET /metrics` of the page server: all runs.
pub(crate) async fn metrics(State(shared): State<Arc<AppState>>) -> Reply {
    let text = aside(move || {
        let mut exposition = Exposition::default();
        for NamedRun { name, dir, variant } in shared.runs.list() {
            let labels = [("run", name.as_str()), ("variant", variant.name())];
            exposition.add_run(&dir, &labels);
            if let Some(fleet) = FleetStatus::of_run(dir.path()) {
                exposition.add_fleet(&fleet, &labels);
            }
        }
        Ok(exposition.text())
    });
    reply(text.await?)
}

/// Adds the header to a text.
pub(crate) fn reply(text: String) -> Reply {
    Ok(([(header::CONTENT_TYPE, FORMAT)], text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_metric_stay_together_and_labels_are_escaped() {
        let mut exposition = Exposition::default();
        exposition.add("a", "First.", &[("run", "x\"\\\n")], 1.5);
        exposition.add("b_total", "Second.", &[], 2.0);
        exposition.add("a", "First.", &[("run", "y")], 0.0);
        let expected = "# HELP crownhead_a First.\n# TYPE crownhead_a gauge\n\
                        crownhead_a{run=\"x\\\"\\\\\\n\"} 1.5\ncrownhead_a{run=\"y\"} 0\n\
                        # HELP crownhead_b_total Second.\n# TYPE crownhead_b_total counter\n\
                        crownhead_b_total{} 2\n";
        assert_eq!(exposition.text(), expected);
    }
}
