//! The log of a run, and where it was started again.

use std::sync::Arc;

use axum::extract::{Path, State};
use http::{ApiResult, answer};
use serde::Serialize;
use store::{LogExcerpt, RunLog};

use crate::state::AppState;

/// Bytes that are read at both ends of each log file.
const EXCERPT_BYTES: u64 = 64 << 10;
/// Lines that are sent at most.
const MAX_LINES: usize = 400;

/// The log of a run.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LogView {
    /// The newest lines, oldest first.
    lines: Vec<String>,
    /// The generations in which the run was resumed.
    resumed: Vec<u32>,
}

/// `GET /api/runs/{run}/log`.
pub(crate) async fn log(
    State(shared): State<Arc<AppState>>,
    Path(name): Path<String>,
) -> ApiResult<LogView> {
    answer(move || {
        let logs = shared.runs.find(&name)?.dir.logs_path();
        Ok(LogView::new(&RunLog::excerpts(&logs, EXCERPT_BYTES)))
    })
    .await
}

impl LogView {
    fn new(logs: &[LogExcerpt]) -> LogView {
        let newest_first = logs.iter().rev().flat_map(|log| {
            // The first line of an excerpt may be incomplete.
            let whole = match log.first.starts_with(&log.last) {
                true => &log.last,
                false => log.last.split_once('\n').map_or("", |(_, rest)| rest),
            };
            whole.lines().rev()
        });
        let mut lines: Vec<String> = newest_first.take(MAX_LINES).map(str::to_owned).collect();
        lines.reverse();
        let resumed = logs.iter().skip(1).filter_map(|log| generation(&log.first));
        LogView {
            lines,
            resumed: resumed.collect(),
        }
    }
}

/// The first generation that a log names.
fn generation(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("generation=")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_its_newest_lines_and_its_starts() {
        let log = |first: &str, last: &str| LogExcerpt {
            first: first.to_owned(),
            last: last.to_owned(),
        };
        let whole = "INFO stage begins generation=1 stage=Train\nINFO done\n";
        let view = LogView::new(&[
            log(whole, whole),
            log("x generation=7 y\n", "of a line\nnewest\n"),
            log("", ""),
        ]);
        assert_eq!(
            view.lines,
            [
                "INFO stage begins generation=1 stage=Train",
                "INFO done",
                "newest"
            ]
        );
        assert_eq!(view.resumed, [7]);
        let long = "line\n".repeat(MAX_LINES + 5);
        assert_eq!(LogView::new(&[log(&long, &long)]).lines.len(), MAX_LINES);
    }
}
