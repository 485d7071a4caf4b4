//! Roots of monotone functions.

/// Halves an interval `n` times towards a root; `is_below` says that the root is above a number.
pub fn bisect(
    [mut low, mut high]: [f64; 2],
    n: usize,
    mut is_below: impl FnMut(f64) -> bool,
) -> [f64; 2] {
    for _ in 0..n {
        let middle = (low + high) / 2.0;
        match is_below(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    [low, high]
}
