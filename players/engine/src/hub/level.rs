//! Search limits as `level` messages.

use std::time::Duration;

use super::line::Line;
use crate::analyzer::SearchLimits;
use crate::time::TimeLeft;

/// The maximum time in seconds; longer times are reduced to it.
const MAX_SECONDS: f64 = 1e11;

/// The error of a `level` with an invalid number or without a known argument.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "level with {problem}: write depth=N, nodes=N, move-time=SECONDS, time=SECONDS with optional \
     inc=SECONDS and moves=N, or infinite"
)]
pub struct LevelError {
    problem: String,
}

/// Writes limits as a `level` message, which does not include the number of lines. The protocol's
/// time excludes the increment of this move; the limits' time includes it.
pub fn write_level(limits: &SearchLimits) -> Line {
    let mut line = Line::new("level");
    if let Some(depth) = limits.depth {
        line = line.with("depth", depth);
    }
    if let Some(nodes) = limits.nodes {
        line = line.with("nodes", nodes);
    }
    match limits.time {
        Some(TimeLeft::Move(time)) => line = line.with("move-time", time.as_secs_f64()),
        Some(TimeLeft::Game {
            time,
            increment,
            moves,
        }) => {
            if let Some(moves) = moves {
                line = line.with("moves", moves);
            }
            line = line.with("time", time.saturating_sub(increment).as_secs_f64());
            if !increment.is_zero() {
                line = line.with("inc", increment.as_secs_f64());
            }
        }
        None => {}
    }
    if line.arguments().is_empty() {
        line = line.with_flag("infinite");
    }
    line
}

/// Parses the limits of a `level` message; `infinite` sets none. The time may be negative if an
/// increment follows.
pub fn read_level(line: &Line) -> Result<SearchLimits, LevelError> {
    let seconds = |name| number::<f64>(line, name).map(|n| n.filter(|n| n.is_finite()));
    let time = if let Some(time) = seconds("move-time")? {
        Some(TimeLeft::Move(duration(time)))
    } else if let Some(time) = seconds("time")? {
        let increment = seconds("inc")?.unwrap_or(0.0);
        Some(TimeLeft::Game {
            time: duration(time + increment),
            increment: duration(increment),
            moves: number(line, "moves")?.filter(|moves| *moves > 0),
        })
    } else {
        None
    };
    let limits = SearchLimits {
        depth: number(line, "depth")?,
        nodes: number(line, "nodes")?,
        time,
        ..SearchLimits::default()
    };
    if limits == SearchLimits::default() && !line.has("infinite") {
        let problem = "no limit".to_owned();
        return Err(LevelError { problem });
    }
    Ok(limits)
}

fn number<N: std::str::FromStr>(line: &Line, name: &str) -> Result<Option<N>, LevelError> {
    let Some(text) = line.value(name) else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|_| LevelError {
        problem: format!("{name}={text}"),
    })
}

fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SearchLimits {
        read_level(&Line::parse(text)).unwrap()
    }

    #[test]
    fn levels_are_read() {
        assert_eq!(read("level infinite"), SearchLimits::default());
        let limits = read("level depth=5 nodes=1000");
        assert_eq!((limits.depth, limits.nodes), (Some(5), Some(1000)));
        let second = Duration::from_secs(1);
        let time = TimeLeft::Move(second / 2);
        assert_eq!(read("level move-time=0.5").time, Some(time));
        // pydraughts has already subtracted the increment from the time.
        for (text, seconds) in [("level time=59 inc=1", 60), ("level time=-1 inc=2", 1)] {
            let Some(TimeLeft::Game { time, moves, .. }) = read(text).time else {
                panic!("{text}")
            };
            assert_eq!((time, moves), (seconds * second, None));
        }
        let time = TimeLeft::Game {
            time: 300 * second,
            increment: Duration::ZERO,
            moves: Some(40),
        };
        assert_eq!(read("level moves=40 time=300").time, Some(time));
        assert_eq!(
            read("level time=1e300").time.map(TimeLeft::limit),
            Some(duration(1e300))
        );
    }

    #[test]
    fn wrong_levels_are_explained() {
        for text in [
            "level",
            "level depth=x",
            "level time=",
            "level speed=3",
            "level time=nan",
        ] {
            let error = read_level(&Line::parse(text)).unwrap_err();
            assert!(error.to_string().contains("move-time=SECONDS"), "{error}");
        }
    }
}
