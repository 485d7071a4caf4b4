//! Rank correlation, and intervals by resampling.

/// Spearman's rank correlation, from -1 to 1. Equal values share the mean of their ranks.
///
/// `None` for fewer than two pairs, or if one side is constant.
///
/// # Panics
/// If the lengths differ.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "pairs of values");
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let size = (product(&a, &a) * product(&b, &b)).sqrt();
    (size > 0.0).then(|| product(&a, &b) / size)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|i, j| values[*i] == values[*j]) {
        let mean = below as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|index| ranks[*index] = mean);
        below += equal.len();
    }
    ranks
}

/// The 95 % percentile interval of a statistic of `n` items (Efron 1979). `draw` gives a random
/// number below its argument; the statistic is computed from the numbers of the drawn items.
pub fn bootstrap(
    n: usize,
    mut draw: impl FnMut(usize) -> usize,
    statistic: impl Fn(&[usize]) -> Option<f64>,
) -> Option<[f64; 2]> {
    const SAMPLES: usize = 1000;
    let mut items = vec![0; n];
    let mut values: Vec<f64> = (0..SAMPLES)
        .filter_map(|_| {
            items.fill_with(|| draw(n));
            statistic(&items)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get((share * (values.len() as f64 - 1.0)).round() as usize);
    Some([*at(0.025)?, *at(0.975)?])
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn ranks_decide_and_ties_share_theirs() {
        let a = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(rank_correlation(&a, &[0.1, 0.2, 50.0, 51.0]), Some(1.0));
        assert_eq!(rank_correlation(&a, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        // Ranks 1.5 1.5 3 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5).
        let found = rank_correlation(&a, &[7.0, 7.0, 8.0, 9.0]).unwrap();
        assert!((found - (4.5_f64 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(rank_correlation(&a, &[1.0; 4]), None);
        assert_eq!(rank_correlation(&[], &[]), None);
    }

    #[test]
    fn the_interval_is_that_of_a_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let values: Vec<f64> = (0..400).map(|index| f64::from(index % 2)).collect();
        let mean = |items: &[usize]| {
            Some(items.iter().map(|item| values[*item]).sum::<f64>() / items.len() as f64)
        };
        let [low, high] = bootstrap(400, |n| rng.random_range(0..n), mean).unwrap();
        // 0.5 +- 1.96 * 0.5 / 20
        assert!((low - 0.451).abs() < 0.01, "{low}");
        assert!((high - 0.549).abs() < 0.01, "{high}");
        assert_eq!(bootstrap(0, |_| 0, |_| None), None);
    }
}
