//! Averaged weights. They play better than the latest ones, as Leela Zero, lc0 and KataGo found.

/// An exponential moving average of the weights, without bias towards the first ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Average {
    /// [parameter] the average.
    pub(crate) values: Vec<f32>,
    /// Weights averaged so far.
    pub(crate) n_updates: u64,
}

impl Average {
    /// Adds the weights after a step.
    ///
    /// After t updates the average is sum d^(t-i) w_i / sum d^(t-i), as if the average had been
    /// running forever: each update moves it by the share (1 - d) / (1 - d^t) of the difference. A
    /// larger d remembers longer.
    pub(crate) fn update(&mut self, weights: &[f32], decay: f32) {
        self.n_updates += 1;
        let share = share(decay, self.n_updates);
        for (average, weight) in self.values.iter_mut().zip(weights) {
            *average += share * (weight - *average);
        }
    }
}

/// The share (1 - d) / (1 - d^t) by which update number t, counted from 1, moves the average.
pub(crate) fn share(decay: f32, n_updates: u64) -> f32 {
    let decay = f64::from(decay);
    ((1.0 - decay) / (1.0 - libm::pow(decay, n_updates as f64))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_weighs_by_powers_of_the_decay() {
        let mut average = Average {
            values: vec![100.0],
            n_updates: 0,
        };
        average.update(&[1.0], 0.5);
        assert_eq!(average.values, [1.0]);
        average.update(&[4.0], 0.5);
        assert!((average.values[0] - 3.0).abs() < 1e-6); // (0.5 * 1 + 1 * 4) / 1.5
        average.update(&[10.0], 0.5);
        assert!((average.values[0] - 7.0).abs() < 1e-6); // (0.25 * 1 + 0.5 * 4 + 10) / 1.75
    }
}
