//! Statistics with their 95 % intervals.

use serde::{Deserialize, Serialize};

use crate::counts::Counts;
use crate::elo::{Z_95, student_95};

/// A statistic with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The statistic.
    pub value: f64,
    /// The ends of its interval.
    pub ci95: [f64; 2],
}

impl Estimate {
    /// An estimate with a symmetric interval.
    pub fn around(value: f64, half_width: f64) -> Estimate {
        Estimate {
            value,
            ci95: [value - half_width, value + half_width],
        }
    }

    /// The share of successes in independent trials, with the interval of E. B. Wilson (1927);
    /// `None` without trials.
    pub fn share(successes: u64, trials: u64) -> Option<Estimate> {
        let (n, z2) = (trials as f64, Z_95 * Z_95);
        let value = (trials > 0).then(|| successes as f64 / n)?;
        let center = (value + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z_95 / (1.0 + z2 / n) * (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        Some(Estimate {
            value,
            // Rounding must not exclude a share of 0 or 1.
            ci95: [(center - half).min(value), (center + half).max(value)],
        })
    }

    /// The mean of independent values, with Student's interval; `None` for fewer than five values
    /// or equal ones, whose interval says nothing.
    pub fn mean(values: &[f64]) -> Option<Estimate> {
        let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 3)?;
        let value = types::mean(values)?;
        let squares: f64 = values.iter().map(|one| (one - value).powi(2)).sum();
        let error = (squares / freedom as f64 / values.len() as f64).sqrt();
        (error > 0.0).then(|| Estimate::around(value, student_95(freedom) * error))
    }

    /// The mean score of one side; `None` without games. For the interval, half a game is added to
    /// each result, so that a few equal results do not look like certainty.
    pub fn score(counts: &Counts) -> Option<Estimate> {
        let n = counts.games() as f64;
        let value = (n > 0.0).then(|| counts.score())?;
        let cells = [
            (1.0, counts.wins),
            (0.5, counts.draws),
            (0.0, counts.losses),
        ];
        let weighted = || cells.map(|(score, games)| (score, games as f64 + 0.5));
        let total = n + 1.5;
        let mean: f64 = weighted().iter().map(|(x, w)| x * w).sum::<f64>() / total;
        let squares = weighted().map(|(x, w)| (x - mean).powi(2) * w);
        let error = (squares.iter().sum::<f64>() / total / n).sqrt();
        let Estimate { ci95, .. } = Estimate::around(value, Z_95 * error);
        Some(Estimate {
            value,
            ci95: ci95.map(|end| end.clamp(0.0, 1.0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: Estimate, [value, low, high]: [f64; 3]) {
        let found = [found.value, found.ci95[0], found.ci95[1]];
        for (found, wanted) in found.into_iter().zip([value, low, high]) {
            assert!((found - wanted).abs() < 5e-4, "{found} {wanted}");
        }
    }

    /// The examples of Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20.
    #[test]
    fn shares_have_published_intervals() {
        assert_near(Estimate::share(81, 263).unwrap(), [0.3080, 0.2553, 0.3662]);
        assert_near(Estimate::share(15, 148).unwrap(), [0.1014, 0.0624, 0.1605]);
        assert_near(Estimate::share(0, 20).unwrap(), [0.0, 0.0, 0.1611]);
        assert_eq!(Estimate::share(0, 0), None);
    }

    #[test]
    fn means_by_hand() {
        // The standard deviation of 1 to 11 is the root of 11; Student's quantile 2.2281.
        let values: Vec<f64> = (1..=11).map(f64::from).collect();
        assert_near(Estimate::mean(&values).unwrap(), [6.0, 3.7719, 8.2281]);
        assert_eq!(Estimate::mean(&values[..4]), None);
        assert_eq!(Estimate::mean(&[2.0; 9]), None);
    }

    #[test]
    fn scores_by_hand() {
        let counts = |wins, draws, losses| Counts {
            wins,
            draws,
            losses,
        };
        // Without draws the variance of a result is 1/4; one and a half more games barely matter.
        let even = Estimate::score(&counts(5_000, 0, 5_000)).unwrap();
        assert_near(even, [0.5, 0.4902, 0.5098]);
        let drawn = Estimate::score(&counts(0, 10, 0)).unwrap();
        assert!(
            drawn.value == 0.5 && (0.55..0.6).contains(&drawn.ci95[1]),
            "{drawn:?}"
        );
        assert_eq!(Estimate::score(&counts(4, 0, 0)).unwrap().ci95[1], 1.0);
        assert_eq!(Estimate::score(&counts(0, 0, 0)), None);
    }
}
