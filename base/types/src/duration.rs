//! Durations as users write them.

use std::time::Duration;

/// The longest duration: a year.
const MAX_SECONDS: f64 = 365.0 * 24.0 * 3600.0;

/// Reads `90s`, `1h30m`, `0.5s` or `250ms`: a sum of numbers with the units `h`, `m`, `s` and `ms`.
/// `None` for anything else, and for more than a year.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = split_where(rest, |c| !c.is_ascii_digit() && c != '.');
        let (unit, after) = split_where(after, |c| !c.is_ascii_alphabetic());
        let unit_seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * unit_seconds;
        rest = after;
    }
    let is_valid = !text.is_empty() && seconds <= MAX_SECONDS;
    is_valid.then(|| Duration::from_secs_f64(seconds))
}

/// Reads a time limit: a duration above 0.
///
/// # Errors
/// A message that says how durations are written.
pub fn parse_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("{text:?} is not a duration: write 90s, 45m, 2h or 1h30m"))
}

/// Splits a text before the first character with a property.
fn split_where(text: &str, property: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(property).unwrap_or(text.len()))
}

/// `7s`, `3m05s`, `1h02m`.
pub fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, m, _) => format!("{h}h{m:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_of_numbers_with_units() {
        for (text, ms) in [
            ("90s", 90_000),
            ("45m", 2_700_000),
            ("1h30m", 5_400_000),
            ("0.5s", 500),
            ("1m250ms", 60_250),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Some(Duration::from_millis(ms)),
                "{text}"
            );
        }
        for text in [
            "", "45", "m", "1x", "5m3", "-3m", "1e3s", "infs", ".s", "5 s", "99999h",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn no_time_is_no_limit() {
        assert_eq!(parse_limit("1h30m"), Ok(Duration::from_secs(5400)));
        for text in ["", "0m", "5m3", "-3m", "soon"] {
            let error = parse_limit(text).unwrap_err();
            let expected = format!("{text:?} is not a duration: write 90s");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn durations_are_shown() {
        for (seconds, shown) in [(7, "7s"), (185, "3m05s"), (3725, "1h02m")] {
            assert_eq!(show_duration(Duration::from_secs(seconds)), shown);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(hours in 0_u64..1000, minutes in 0_u64..60, ms in 0_u64..60_000) {
            let expected = Duration::from_millis((hours * 60 + minutes) * 60_000 + ms);
            prop_assert_eq!(parse_duration(&format!("{hours}h{minutes}m{ms}ms")), Some(expected));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = parse_duration(&text);
        }
    }
}
