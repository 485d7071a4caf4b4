//! The stopping rule of a gate: a sequential test with a maximum number of pairs whose stated
//! errors hold.
//!
//! With n of at most N pairs played, H1 is accepted if the log-likelihood ratio is at or above c +
//! u·(1 - n/N), H0 if it is at or below c - l·(1 - n/N). The limits meet when the pairs run out, so
//! every gate decides (T. W. Anderson, "A modification of the sequential probability ratio test to
//! reduce the sample size", 1960). c, u and l give both errors the requested values, for a random
//! walk with normal steps, which the ratio approaches with many pairs.

use serde::{Deserialize, Serialize};

use crate::bisection::bisect;
use crate::elo::{NELO_PER_SIGMA, normal_cdf};
use crate::pentanomial::Pentanomial;
use crate::sprt::{SprtBounds, Verdict};

/// Maximum number of times at which the walk is compared with its limits.
const MAX_LOOKS: u64 = 128;
/// Grid cells per standard deviation of a step.
const CELLS: f64 = 3.0;
/// Cut-off of a step's distribution, in standard deviations.
const REACH: f64 = 6.0;
const BISECTIONS: usize = 24;
/// Limits this far apart, in standard deviations of the whole walk, never end a gate early.
const WIDEST: f64 = 6.0;

/// Error probabilities of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateErrors {
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
}

/// The test of a gate with a maximum number of pairs, and its properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateRule {
    /// The hypotheses, and the requested errors.
    pub bounds: SprtBounds,
    /// Maximum number of pairs.
    pub max_pairs: u64,
    /// The errors that hold: the requested ones, or, if the maximum is too small for these, both
    /// larger by the same factor; then every pair is played.
    pub errors: GateErrors,
    limits: Limits,
}

/// The limits of the log-likelihood ratio; those before the last pair are infinite if nothing ends
/// early.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    last: f64,
    /// Distances of the first limits from the last one: upper, lower.
    first: [f64; 2],
}

impl Limits {
    /// The two limits when `left` (0 to 1) of the pairs are left.
    fn at(&self, left: f64) -> (f64, f64) {
        let [upper, lower] = self.first.map(|first| match left > 0.0 {
            true => first * left,
            false => 0.0,
        });
        (self.last - lower, self.last + upper)
    }
}

impl GateRule {
    /// The rule for at most `max_pairs` pairs.
    pub fn new(bounds: &SprtBounds, max_pairs: u64) -> GateRule {
        let walk = Walk::new(bounds, max_pairs.max(1));
        let meant = GateErrors {
            alpha: bounds.alpha,
            beta: bounds.beta,
        };
        let widest = WIDEST * walk.deviation * (walk.looks as f64).sqrt();
        let mut best = walk.balanced(f64::INFINITY, &meant);
        if best.1.alpha < meant.alpha {
            bisect([0.0, widest], BISECTIONS, |width| {
                let found = walk.balanced(width, &meant);
                let is_too_narrow = found.1.alpha > meant.alpha;
                if !is_too_narrow {
                    best = found;
                }
                is_too_narrow
            });
        }
        let (limits, errors) = best;
        GateRule {
            bounds: *bounds,
            max_pairs,
            errors,
            limits,
        }
    }

    /// Limits of the log-likelihood ratio after `pairs` pairs: H0 is accepted at or below the
    /// first, H1 at or above the second. They meet after the last pair.
    pub fn limits(&self, pairs: u64) -> (f64, f64) {
        let played = pairs as f64 / self.max_pairs.max(1) as f64;
        self.limits.at((1.0 - played).max(0.0))
    }

    /// The decision on these results, with `played` pairs played, including repeated ones. After
    /// the last pair there is always a decision.
    pub fn verdict(&self, pairs: &Pentanomial, played: u64) -> Verdict {
        let (lower, upper) = self.limits(played);
        match self.bounds.llr(pairs) {
            // The champion stays if the evidence is even.
            llr if llr <= lower => Verdict::NotBetter,
            llr if llr >= upper => Verdict::Better,
            _ => Verdict::Inconclusive,
        }
    }
}

/// The log-likelihood ratio as a random walk with normal steps, checked at regular intervals.
struct Walk {
    looks: u64,
    /// Standard deviation of a step from look to look. Its mean is half its variance below or above
    /// zero.
    deviation: f64,
}

impl Walk {
    fn new(bounds: &SprtBounds, max_pairs: u64) -> Walk {
        let looks = max_pairs.min(MAX_LOOKS);
        let pairs_per_look = max_pairs as f64 / looks as f64;
        // A pair's standard deviation is a game's divided by √2.
        let apart = (bounds.nelo1 - bounds.nelo0).max(1e-6) / NELO_PER_SIGMA;
        Walk {
            looks,
            deviation: apart * std::f64::consts::SQRT_2 * pairs_per_look.sqrt(),
        }
    }

    /// The limits of this width whose errors have the requested ratio.
    fn balanced(&self, width: f64, meant: &GateErrors) -> (Limits, GateErrors) {
        // Wald's limits have this ratio.
        let sides = [
            libm::log((1.0 - meant.beta) / meant.alpha),
            libm::log((1.0 - meant.alpha) / meant.beta),
        ];
        let longer = sides[0].max(sides[1]).max(1e-9);
        let first = sides.map(|side| match width.is_infinite() {
            true => width,
            false => width * side / longer,
        });
        let at = |last: f64| {
            let limits = Limits { last, first };
            let [alpha, accepted] = [-0.5, 0.5]
                .map(|side| self.follow(&limits, side * self.deviation * self.deviation));
            let beta = 1.0 - accepted;
            (limits, GateErrors { alpha, beta })
        };
        if meant.alpha == meant.beta {
            return at(0.0);
        }
        let reach = WIDEST * self.deviation * (self.looks as f64).sqrt();
        let [_, high] = bisect([-reach, reach], BISECTIONS, |last| {
            let errors = at(last).1;
            errors.alpha * meant.beta > errors.beta * meant.alpha
        });
        at(high)
    }

    /// The probability of accepting H1 for a step with this mean.
    fn follow(&self, limits: &Limits, mean: f64) -> f64 {
        if limits.first[0].is_infinite() {
            let n = self.looks as f64;
            let above = (mean * n - limits.last) / (self.deviation * n.sqrt());
            return normal_cdf(above);
        }
        let cell = self.deviation / CELLS;
        let taps = self.taps(mean, cell);
        let (lowest, highest) = limits.at(1.0);
        // The walk starts in the middle of a cell.
        let start = -cell * (1.0 - (lowest.min(0.0) / cell).floor());
        let n_cells = ((highest.max(0.0) - start) / cell) as usize + 2;
        let mut masses = vec![0.0; n_cells];
        masses[(-start / cell).round() as usize] = 1.0;
        let mut accepted = 0.0;
        for look in 1..=self.looks {
            let left = 1.0 - look as f64 / self.looks as f64;
            let (lower, upper) = limits.at(if look == self.looks { 0.0 } else { left });
            let mut next = vec![0.0; n_cells];
            for (from, &mass) in masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                for &(by, share) in &taps {
                    let to = from as i64 + by;
                    let middle = start + to as f64 * cell;
                    // The part of the cell beyond a limit is decided.
                    let beyond = |distance: f64| (distance / cell + 0.5).clamp(0.0, 1.0);
                    let (above, below) = (beyond(middle - upper), beyond(lower - middle));
                    let stays = (1.0 - above - below).max(0.0);
                    accepted += mass * share * above;
                    if stays > 0.0 {
                        next[to as usize] += mass * share * stays;
                    }
                }
            }
            masses = next;
        }
        accepted
    }

    /// A step's probability distribution over whole cells. The variance of a cell, W. F. Sheppard's
    /// correction, is subtracted from the step's.
    fn taps(&self, mean: f64, cell: f64) -> Vec<(i64, f64)> {
        let deviation = (self.deviation * self.deviation - cell * cell / 12.0).sqrt();
        let reach = (REACH * CELLS) as i64;
        let up_to = |edge: f64| normal_cdf((edge * cell - mean) / deviation);
        (-reach..=reach)
            .map(|by| (by, up_to(by as f64 + 0.5) - up_to(by as f64 - 0.5)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(alpha: f64, beta: f64) -> SprtBounds {
        SprtBounds {
            nelo0: 0.0,
            nelo1: 40.0,
            alpha,
            beta,
        }
    }

    #[test]
    fn errors_are_those_that_are_meant() {
        for (alpha, beta, max_pairs) in [(0.25, 0.25, 100), (0.05, 0.05, 500), (0.1, 0.3, 400)] {
            let rule = GateRule::new(&bounds(alpha, beta), max_pairs);
            assert!((rule.errors.alpha / alpha - 1.0).abs() < 0.01, "{rule:?}");
            assert!((rule.errors.beta / beta - 1.0).abs() < 0.01, "{rule:?}");
            let (lower, upper) = rule.limits(max_pairs);
            assert!(rule.limits(0).0 < lower && lower == upper && upper < rule.limits(0).1);
        }
    }

    /// A test of fixed length: z = 40 nElo · √2 · √100 / 347.4 = 1.628, half of it on each side.
    #[test]
    fn what_so_few_pairs_cannot_hold_is_said() {
        let rule = GateRule::new(&bounds(0.05, 0.05), 100);
        let by_hand = normal_cdf(-1.628 / 2.0);
        assert!((rule.errors.alpha - by_hand).abs() < 1e-3, "{rule:?}");
        let none = rule.verdict(&Pentanomial([0, 10, 30, 12, 0]), 52);
        assert_eq!(none, Verdict::Inconclusive);
        let even = rule.verdict(&Pentanomial([0, 20, 60, 20, 0]), 100);
        assert_eq!(even, Verdict::NotBetter);
        let uneven = GateRule::new(&bounds(0.05, 0.2), 50).errors;
        assert!(
            (uneven.beta / uneven.alpha - 4.0).abs() < 0.01,
            "{uneven:?}"
        );
        assert!(GateRule::new(&bounds(0.05, 0.05), 1).errors.alpha > 0.4);
    }

    /// 4,000,000 walks of an independent program give the same errors within 0.0002. Further digits
    /// are this program's own, so that every change of the walk is detected.
    #[test]
    fn figures_of_rules() {
        for (alpha, beta, max_pairs, limits) in [
            (0.25, 0.25, 100, [-1.906_458_260, 1.906_458_260]),
            (0.05, 0.05, 500, [-6.352_749_803, 6.352_749_803]),
            (0.1, 0.3, 400, [-1.117_026_458, 2.282_787_720]),
        ] {
            let rule = GateRule::new(&bounds(alpha, beta), max_pairs);
            let (low, high) = rule.limits(0);
            for (ours, figure) in [low, high].into_iter().zip(limits) {
                assert!((ours - figure).abs() < 1e-9, "{rule:?}");
            }
            let (middle_low, middle_high) = rule.limits(max_pairs / 2);
            let last = rule.limits(max_pairs);
            assert_eq!(last.0, last.1);
            assert!((middle_low - (low + last.0) / 2.0).abs() < 1e-9);
            assert!((middle_high - (high + last.1) / 2.0).abs() < 1e-9);
            assert_eq!(rule.limits(max_pairs + 1), last);
        }
        // z = 40 nElo · √2 · √90 / 347.4: one limit after the last pair.
        let short = GateRule::new(&bounds(0.2, 0.1), 90);
        assert_eq!(short.limits(0), (f64::NEG_INFINITY, f64::INFINITY));
        let errors = [short.errors.alpha, short.errors.beta];
        for (error, figure) in errors.into_iter().zip([0.303_238_480, 0.151_619_527]) {
            assert!((error - figure).abs() < 1e-9, "{short:?}");
        }
        let (low, high) = short.limits(90);
        assert!(low == high && (low + 0.397_279_113).abs() < 1e-9, "{low}");
    }
}
