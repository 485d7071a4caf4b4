//! Settings of the replay window.

use settings::settings;

settings! {
    /// The replay window: its size, and the weights of its samples.
    pub struct WindowConfig {
        /// Samples before the window starts to slide: M of KataGo's power law W(N) = M (1 + s
        /// ((N/M)^e - 1) / e) after N samples. KataGo: 250000.
        min_samples: u64 = 30_000, range(100, 1_000_000_000), may_change();
        /// Maximum number of samples in memory, about 70 bytes each.
        max_samples: u64 = 1_000_000, range(100, 1_000_000_000), may_change();
        /// Power e of that law; 1 grows linearly with the data. KataGo: 0.65.
        growth_power: f64 = 0.65, range(0.1, 1), may_change();
        /// Slope s of that law where growth starts; 0 gives a window of fixed size. KataGo: 0.4.
        growth_slope: f64 = 0.4, range(0, 1), may_change();
        /// Fraction of a game's weight that is distributed by how much the search changed the
        /// policy of each position. KataGo: 0.5.
        policy_surprise: f32 = 0.5, range(0, 1), may_change();
        /// Fraction of a game's weight that is distributed by how much the search changed the
        /// value. KataGo: 0.1.
        value_surprise: f32 = 0.1, range(0, 1), may_change();
        /// Fraction of the games that are never learned from. The network's losses on them, next to
        /// those on other games of the same generations, show what it knows by heart.
        held_out: f64 = 0.03, range(0, 0.5), formerly(&0.0);
    }
}

impl WindowConfig {
    /// The size W(N) of the window after N samples: KataGo's power law
    ///
    /// W(N) = M (1 + s ((N / M)^e - 1) / e) for N > M, and M before.
    ///
    /// At N = M it grows by s per new sample, then ever more slowly.
    pub fn capacity(&self, n_seen: u64) -> u64 {
        let (m, n) = (self.min_samples as f64, n_seen as f64);
        let power = libm::pow((n / m).max(1.0), self.growth_power);
        let growth = (power - 1.0) / self.growth_power;
        ((m * (1.0 + self.growth_slope * growth)) as u64).min(self.max_samples)
    }

    /// Returns `true` if the game with this number in its generation stays out of the window. Such
    /// games are spread evenly.
    pub fn holds_out(&self, number: u32) -> bool {
        let before = f64::from(number);
        let until = |n_games: f64| (n_games * self.held_out).floor();
        until(before + 1.0) > until(before)
    }

    /// Contradictions between the values; each value is already within its range.
    pub fn contradictions(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.max_samples < self.min_samples {
            faults.push("max_samples must be at least min_samples".to_owned());
        }
        if self.policy_surprise + self.value_surprise > 1.0 {
            let fault = "policy_surprise and value_surprise must not exceed 1 together";
            faults.push(fault.to_owned());
        }
        faults
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
            policy_surprise: 0.5,
            value_surprise: 0.1,
            held_out: 0.0,
        }
    }

    #[test]
    fn the_window_follows_the_power_law() {
        // 1000 (1 + 0.4 (sqrt(4) - 1) / 0.5) = 1800.
        let sizes = [0, 1000, 4000, 1_000_000_000].map(|n| config().capacity(n));
        assert_eq!(sizes, [1000, 1000, 1800, 10_000]);
    }

    #[test]
    fn a_share_of_the_games_is_held_out() {
        for (held_out, expected) in [(0.0, 0), (0.03, 30), (0.5, 500)] {
            let config = WindowConfig {
                held_out,
                ..config()
            };
            let n = (0..1000).filter(|number| config.holds_out(*number)).count();
            assert_eq!(n, expected);
        }
    }

    #[test]
    fn all_faults_are_told() {
        assert_eq!(config().faults(), Vec::<String>::new());
        assert_eq!(config().contradictions(), Vec::<String>::new());
        let bad = WindowConfig {
            min_samples: 0,
            max_samples: 100,
            growth_power: f64::NAN,
            value_surprise: 0.6,
            ..config()
        };
        let expected = [
            "`min_samples` is 0, not 100 to 1000000000",
            "`growth_power` is NaN, not 0.1 to 1",
        ];
        assert_eq!(bad.faults(), expected);
        assert_eq!(bad.contradictions().len(), 1);
    }
}
