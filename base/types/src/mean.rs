//! The mean of numbers.

use std::borrow::Borrow;

/// A running mean: a sum and the number of its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    sum: f64,
    n: u64,
}

impl Mean {
    /// The mean of `n` numbers with this sum.
    pub const fn of_sum(sum: f64, n: u64) -> Mean {
        Mean { sum, n }
    }

    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.n += 1;
    }

    /// The number of terms.
    pub const fn n(self) -> u64 {
        self.n
    }

    /// The mean, or `None` if nothing has been added.
    pub fn get(self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}

/// The mean of the values, or `None` if there are none.
pub fn mean(values: impl IntoIterator<Item: Borrow<f64>>) -> Option<f64> {
    let mut mean = Mean::default();
    for value in values {
        mean.add(*value.borrow());
    }
    mean.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_by_hand() {
        assert_eq!(mean([1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[] as &[f64]), None);
        assert_eq!(Mean::of_sum(5.0, 2).get(), Some(2.5));
        assert_eq!(Mean::of_sum(5.0, 2).n(), 2);
    }
}
