//! Statistics of comparisons: conclusions about configurations from matches between their runs.
//!
//! A configuration that is trained again with another seed becomes stronger or weaker. A thousand
//! games between two runs therefore say less about the two configurations than about the runs: the
//! runs, not the games, are the trials. With S seeds, all runs `A_i` and `B_j` of two arms play
//! each other, and `B_j` scores `x_ij` against `A_i`. The mean of all `x_ij` has the variance
//!
//! `(s_A² + s_B²) / S`,
//!
//! where `s_A²` and `s_B²` are the variances of the means over `j` and over `i`; both already
//! contain the randomness of the games. They have `S - 1` degrees of freedom each, and the interval
//! uses Student's distribution with the sum, as for two samples of equal variance. It is never
//! narrower than the interval of the games alone. With a single seed there is only the interval of
//! the games.

use std::borrow::Borrow;

use ratings::{EloInterval, Pentanomial, Z_95, bisect};
use types::mean;

/// `[seed of A][seed of B]`: the pairs of B's run against A's, from B's point of view. Both arms
/// have the same number of seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing(pub Vec<Vec<Pentanomial>>);

/// Result for two arms, from the second arm's point of view.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmVerdict {
    /// Pairs of games.
    pub pairs: u64,
    /// Mean score, 0 to 1.
    pub score: f64,
    /// The advantage, with an interval over seeds if there are several.
    pub elo: EloInterval,
    /// The same advantage with an interval for these games alone.
    pub elo_of_games: EloInterval,
}

impl Crossing {
    /// Computes the result; `None` without games.
    #[must_use]
    pub fn judge(&self) -> Option<ArmVerdict> {
        let cells = || self.0.iter().flatten();
        let total = cells().fold(Pentanomial::default(), |sum, cell| sum.plus(cell));
        if cells().any(|cell| cell.pairs() == 0) || total.pairs() == 0 {
            return None;
        }
        let n_seeds = self.0.len();
        let score = mean_or_0(cells().map(Pentanomial::score));
        let of_games = Z_95 * (total.variance() / total.pairs() as f64).sqrt();
        let half_width = match n_seeds {
            1 => of_games,
            _ => self.half_width_over_seeds().max(of_games),
        };
        Some(ArmVerdict {
            pairs: total.pairs(),
            score,
            elo: EloInterval::around(score, half_width),
            elo_of_games: EloInterval::around(score, of_games),
        })
    }

    fn half_width_over_seeds(&self) -> f64 {
        let n_seeds = self.0.len();
        let score = |i: usize, j: usize| self.0[i][j].score();
        let row = |i| mean_or_0((0..n_seeds).map(|j| score(i, j)));
        let column = |j| mean_or_0((0..n_seeds).map(|i| score(i, j)));
        let rows: Vec<f64> = (0..n_seeds).map(row).collect();
        let columns: Vec<f64> = (0..n_seeds).map(column).collect();
        let variance = (variance(&rows) + variance(&columns)) / n_seeds as f64;
        student_95(2 * (n_seeds - 1)) * variance.sqrt()
    }
}

/// Each arm's rating above the first and the half-width of its 95 % interval, computed from the
/// ratings and half-widths of its runs. Runs of all arms are assumed to have the same variance.
pub(super) fn joint(arms: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let ratings = |arm: &[(f64, f64)]| arm.iter().map(|(elo, _)| *elo).collect::<Vec<f64>>();
    let scatter: f64 = arms
        .iter()
        .map(|arm| variance(&ratings(arm)) * arm.len().saturating_sub(1) as f64)
        .sum();
    let freedom: usize = arms.iter().map(|arm| arm.len().saturating_sub(1)).sum();
    let zero = arms.first().map_or(0.0, |arm| mean_or_0(ratings(arm)));
    let rated = |arm: &Vec<(f64, f64)>| {
        let n = arm.len().max(1) as f64;
        let of_games = arm.iter().map(|(_, ci95)| ci95 * ci95).sum::<f64>().sqrt() / n;
        let over_seeds = match freedom {
            0 => 0.0,
            _ => student_95(freedom) * (scatter / freedom as f64 / n).sqrt(),
        };
        (mean_or_0(ratings(arm)) - zero, over_seeds.max(of_games))
    };
    arms.iter().map(rated).collect()
}

/// Half-width of a 95 % interval of Student's distribution, in standard errors.
fn student_95(freedom: usize) -> f64 {
    let [low, _] = bisect([Z_95, 13.0], 34, |t| student_within(t, freedom) < 0.95);
    low
}

/// The probability that Student's t with `freedom` degrees of freedom is between -t and t
/// (Abramowitz and Stegun 26.7.3 and 26.7.4), with `theta = atan(t / sqrt(freedom))`:
///
/// * even: `sin (1 + 1/2 cos² + (1 3)/(2 4) cos⁴ + ...)` up to `cos^(freedom - 2)`
/// * odd: `2/π (theta + sin (cos + 2/3 cos³ + (2 4)/(3 5) cos⁵ + ...))` up to `cos^(freedom - 2)`
fn student_within(t: f64, freedom: usize) -> f64 {
    let theta = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = theta.sin_cos();
    let first = freedom % 2;
    let mut term = if first == 0 { 1.0 } else { cosine };
    let mut sum = 0.0;
    for power in (first..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        let power = power as f64;
        term *= cosine * cosine * (power + 1.0) / (power + 2.0);
    }
    match first {
        0 => sine * sum,
        _ => (theta + sine * sum) * std::f64::consts::FRAC_2_PI,
    }
}

/// The mean; 0 if there are no values.
fn mean_or_0(values: impl IntoIterator<Item: Borrow<f64>>) -> f64 {
    mean(values).unwrap_or(0.0)
}

/// Sample variance; 0 for fewer than two values.
fn variance(values: &[f64]) -> f64 {
    let mean = mean_or_0(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (values.len().max(2) - 1) as f64
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;
    use ratings::elo_of_score;

    use super::*;

    #[test]
    fn students_distribution_has_its_known_points() {
        let known = [
            (1, 12.706_2),
            (2, 4.302_65),
            (3, 3.182_45),
            (4, 2.776_45),
            (7, 2.364_62),
        ];
        for (freedom, t) in known {
            assert!((student_95(freedom) - t).abs() < 1e-4, "{freedom}");
        }
        assert!((student_95(500) - 1.964_72).abs() < 1e-4);
    }

    #[test]
    fn an_interval_over_two_seeds_by_hand() {
        // Scores of B against A: 0.5 and 0.6, 0.6 and 0.7.
        let cell = |wins, losses| Pentanomial([losses, 0, 0, 0, wins]);
        let crossing = Crossing(vec![
            vec![cell(50, 50), cell(60, 40)],
            vec![cell(60, 40), cell(70, 30)],
        ]);
        let judgment = crossing.judge().unwrap();
        assert_eq!(judgment.pairs, 400);
        assert!((judgment.score - 0.6).abs() < 1e-12);
        // Row means 0.55 and 0.65, as the columns': variances 0.005; 4.3 sqrt(0.005) = 0.304.
        let expected = elo_of_score(0.6 - 4.302_65 * 0.005f64.sqrt());
        assert!((judgment.elo.low.unwrap() - expected).abs() < 0.1);
        assert!(judgment.elo_of_games.low.unwrap() > 0.0);
        let alone = Crossing(vec![vec![cell(60, 40)]]).judge().unwrap();
        assert_eq!(alone.elo, alone.elo_of_games);
        assert_eq!(Crossing(vec![vec![Pentanomial::default()]]).judge(), None);
    }

    /// Equal configurations whose runs differ by 40 Elo or not at all: the interval must contain 0
    /// in at least 95 % of the cases, and the interval of the games alone does not.
    #[test]
    fn intervals_over_seeds_hold_what_they_promise() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut normal = || {
            let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
            sum - 6.0
        };
        let mut games = ChaCha8Rng::seed_from_u64(4);
        for (n_seeds, deviation) in [(2, 40.0), (2, 0.0), (3, 40.0), (4, 20.0)] {
            let (mut held, mut held_by_games) = (0, 0);
            for _ in 0..1000 {
                let mut runs = || {
                    (0..n_seeds)
                        .map(|_| deviation * normal())
                        .collect::<Vec<f64>>()
                };
                let (a, b) = (runs(), runs());
                let mut cell = |a: f64, b: f64| {
                    let mut pairs = Pentanomial::default();
                    for _ in 0..200 / n_seeds / n_seeds {
                        let score = ratings::expected_score(b - a);
                        let mut points = || 2 * usize::from(games.random::<f64>() < score);
                        pairs.add(points() + points());
                    }
                    pairs
                };
                let rows = a.iter().map(|&a| b.iter().map(|&b| cell(a, b)).collect());
                let judgment = Crossing(rows.collect()).judge().unwrap();
                let holds = |elo: &EloInterval| {
                    elo.low.is_none_or(|low| low <= 0.0) && elo.high.is_none_or(|high| high >= 0.0)
                };
                held += usize::from(holds(&judgment.elo));
                held_by_games += usize::from(holds(&judgment.elo_of_games));
            }
            assert!(held >= 945, "{n_seeds} seeds, {deviation} Elo: {held}");
            if deviation == 40.0 {
                assert!(held_by_games < 850, "{n_seeds} seeds: {held_by_games}");
            }
        }
    }

    #[test]
    fn arms_are_rated_above_the_first_with_the_scatter_of_all_runs() {
        let arms = [
            vec![(10.0, 5.0), (30.0, 5.0)],
            vec![(60.0, 5.0), (60.0, 5.0)],
            vec![(0.0, 5.0)],
        ];
        let rated = joint(&arms);
        assert_eq!(
            rated.iter().map(|(elo, _)| *elo).collect::<Vec<_>>(),
            [0.0, 40.0, -20.0]
        );
        // Two degrees of freedom, squares 200: a variance of 100 a run.
        assert!((rated[1].1 - 4.302_65 * 50f64.sqrt()).abs() < 1e-3);
        assert!((rated[2].1 - 4.302_65 * 10.0).abs() < 1e-3);
        assert_eq!(joint(&[vec![(3.0, 8.0)]]), [(0.0, 8.0)]);
    }
}
