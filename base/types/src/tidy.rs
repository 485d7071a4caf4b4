//! Numbers as users read them.

/// Removes the sign of a number that `{:.decimals$}` would write as a negative zero. Figures that
/// may be negative, or the sum of nothing, pass through here before a user sees them.
#[must_use]
pub fn tidy(value: f64, decimals: usize) -> f64 {
    let shown = format!("{value:.decimals$}");
    if shown.parse() == Ok(0.0) { 0.0 } else { value }
}

/// A number with its digits in groups of three.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups() {
        let shown = [0, 999, 1_000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_zero_has_no_sign() {
        let none: f64 = std::iter::empty::<f64>().sum();
        for (value, decimals, shown) in [
            (none, 0, "+0"),
            (-0.4, 0, "+0"),
            (-0.5, 0, "+0"),
            (-0.51, 0, "-1"),
            (-0.04, 1, "+0.0"),
            (-0.06, 1, "-0.1"),
            (0.04, 1, "+0.0"),
            (12.4, 0, "+12"),
            (f64::NEG_INFINITY, 0, "-inf"),
        ] {
            assert_eq!(format!("{:+.decimals$}", tidy(value, decimals)), shown);
        }
    }
}
