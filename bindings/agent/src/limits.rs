//! Limits of a search, as front ends specify them.

use std::time::Duration;

use engine::{MAX_LINES, SearchLimits, TimeLeft};
use serde::Deserialize;

use crate::Error;

/// Limits of a search; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Positions of alpha-beta search, simulations of a network.
    pub nodes: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Wall time in seconds. With this limit the result depends on the machine.
    pub seconds: Option<f64>,
    /// Number of lines, 1 to 10.
    pub lines: Option<usize>,
}

/// One day: a longer time is a mistake.
const MAX_SECONDS: f64 = 86_400.0;

impl Limits {
    /// A node limit.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// Returns `true` if nothing limits the search.
    pub(crate) fn is_endless(&self) -> bool {
        self.nodes.is_none() && self.depth.is_none() && self.seconds.is_none()
    }

    /// Converts to the engine's limits.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn checked(self) -> Result<SearchLimits, Error> {
        let refuse = |what: String| Err(Error::Limits(what));
        if self.nodes == Some(0) {
            return refuse("nodes is 0: write 1 or more".to_owned());
        }
        if self.depth == Some(0) {
            return refuse("depth is 0: write 1 or more".to_owned());
        }
        let lines = self.lines.unwrap_or(1);
        if !(1..=MAX_LINES).contains(&lines) {
            return refuse(format!("lines is {lines}: write 1 to {MAX_LINES}"));
        }
        let time = match self.seconds {
            Some(seconds) if !(seconds > 0.0 && seconds <= MAX_SECONDS) => {
                return refuse(format!(
                    "seconds is {seconds}: write more than 0, at most {MAX_SECONDS}"
                ));
            }
            seconds => seconds.map(|seconds| TimeLeft::Move(Duration::from_secs_f64(seconds))),
        };
        Ok(SearchLimits {
            depth: self.depth,
            nodes: self.nodes,
            time,
            lines,
            ..SearchLimits::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_checked() {
        let read = |text: &str| {
            let limits = serde_json::from_str::<Limits>(text);
            limits
                .map_err(|error| Error::Limits(error.to_string()))
                .and_then(Limits::checked)
        };
        let limits = read(r#"{"nodes": 5, "depth": 3, "seconds": 0.5, "lines": 2}"#).unwrap();
        assert_eq!(
            (limits.nodes, limits.depth, limits.lines),
            (Some(5), Some(3), 2)
        );
        assert_eq!(
            limits.time,
            Some(TimeLeft::Move(Duration::from_millis(500)))
        );
        assert_eq!(read("{}").unwrap(), SearchLimits::default());
        for bad in [
            r#"{"nodes": 0}"#,
            r#"{"depth": 0}"#,
            r#"{"lines": 0}"#,
            r#"{"lines": 11}"#,
            r#"{"seconds": 0}"#,
            r#"{"seconds": 1e9}"#,
            r#"{"seconds": "1"}"#,
            r#"{"node": 5}"#,
            "5",
            "",
        ] {
            let error = read(bad).unwrap_err().to_string();
            assert!(!error.is_empty(), "{bad}");
        }
        assert!(
            Limits {
                seconds: Some(f64::NAN),
                ..Limits::default()
            }
            .checked()
            .is_err()
        );
    }
}
