//! Settings of the replay window.

use serde::{Deserialize, Serialize};

/// Which samples the window keeps, and how they are drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// The initial size M: below it all samples are kept. At least 1. KataGo: 250,000, for Go on many
    /// machines.
    pub min_samples: u64,
    /// The maximum size, which bounds memory at about 70 bytes a sample. At least `min_samples`.
    pub max_samples: u64,
    /// The exponent e of the growth, above 0 and at most 1. KataGo: 0.65.
    pub growth_power: f64,
    /// The initial slope s of the growth, from 0 (a fixed size) to 1. KataGo: 0.4.
    pub growth_slope: f64,
    /// For each short value target, over how many plies it averages; 1 is the value after the search
    /// alone. At least 1 each. KataGo: 6, 16 and 50 for Go on 19x19.
    pub horizons: Vec<f32>,
    /// The share of a game's weight that is distributed by policy surprise, from 0 to 1. KataGo: 0.5.
    pub policy_surprise: f32,
    /// The share that is distributed by value surprise; the sum of both is at most 1. KataGo: 0.1.
    pub value_surprise: f32,
    /// Whether forced moves with a known value give samples.
    pub forced: Coverage,
    /// Whether fast searches give samples. KataGo: skip.
    pub fast: Coverage,
}

/// Whether plies without a policy target give samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// They give none.
    Skip,
    /// They give samples for the value.
    ValueOnly,
}

impl WindowConfig {
    /// The size W(N) of the window once N samples were seen: KataGo's power law
    ///
    /// W(N) = M (1 + s ((N / M)^e - 1) / e) for N > M, and M before.
    ///
    /// At N = M it grows by s for each new sample, later ever more slowly.
    pub fn capacity(&self, n_seen: u64) -> u64 {
        let (m, n) = (self.min_samples as f64, n_seen as f64);
        let growth = ((n / m).max(1.0).powf(self.growth_power) - 1.0) / self.growth_power;
        ((m * (1.0 + self.growth_slope * growth)) as u64).min(self.max_samples)
    }

    /// One message for each invalid value.
    pub fn faults(&self) -> Vec<String> {
        let surprises = [self.policy_surprise, self.value_surprise];
        let checks = [
            (self.min_samples > 0, "min_samples must be at least 1"),
            (
                self.max_samples >= self.min_samples,
                "max_samples must be at least min_samples",
            ),
            (
                self.growth_power > 0.0 && self.growth_power <= 1.0,
                "growth_power must be above 0 and at most 1",
            ),
            (
                (0.0..=1.0).contains(&self.growth_slope),
                "growth_slope must be from 0 to 1",
            ),
            (
                self.horizons
                    .iter()
                    .all(|plies| *plies >= 1.0 && plies.is_finite()),
                "each of horizons must be at least 1",
            ),
            (
                surprises.iter().all(|share| *share >= 0.0) && surprises.iter().sum::<f32>() <= 1.0,
                "policy_surprise and value_surprise must be at least 0, their sum at most 1",
            ),
        ];
        checks
            .into_iter()
            .filter(|(ok, _)| !ok)
            .map(|(_, fault)| fault.to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> WindowConfig {
        WindowConfig {
            min_samples: 1000,
            max_samples: 10_000,
            growth_power: 0.5,
            growth_slope: 0.4,
            horizons: vec![4.0],
            policy_surprise: 0.5,
            value_surprise: 0.1,
            forced: Coverage::Skip,
            fast: Coverage::Skip,
        }
    }

    #[test]
    fn the_window_follows_the_power_law() {
        // 1000 (1 + 0.4 (sqrt(4) - 1) / 0.5) = 1800.
        let sizes = [0, 1000, 4000, 1_000_000_000].map(|n| config().capacity(n));
        assert_eq!(sizes, [1000, 1000, 1800, 10_000]);
    }

    #[test]
    fn all_faults_are_told() {
        assert_eq!(config().faults(), Vec::<String>::new());
        let bad = WindowConfig {
            min_samples: 0,
            growth_power: f64::NAN,
            horizons: vec![0.5],
            value_surprise: 0.6,
            ..config()
        };
        assert_eq!(bad.faults().len(), 4);
    }
}
