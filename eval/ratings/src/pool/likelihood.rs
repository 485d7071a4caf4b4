//! The log-likelihood of one tally and its derivatives. It is concave in all its arguments.

use serde::{Deserialize, Serialize};

use crate::elo::{NATURAL_PER_ELO, logistic};

/// Models of the probability of a draw, given the difference of two ratings.
///
/// The two give ratings on different scales when draws are frequent: never mix them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawModel {
    /// R. Coulom's: each side wins as if the other were stronger by the draw Elo; otherwise it is a
    /// draw.
    BayesElo,
    /// R. R. Davidson's (1970): the odds of win, draw and loss are e^(x/2) : ν : e^(-x/2), where
    /// x is the rating difference in natural units.
    Davidson,
}

/// Results of games between two players, `first` moving first; counts may be fractions (priors).
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedTally {
    pub(super) first: usize,
    pub(super) second: usize,
    /// Wins, draws, losses of the first.
    pub(super) counts: [f64; 3],
}

/// Value, gradient and negative Hessian in (x, draw): x the first's advantage with the move's, draw
/// the model's draw parameter, both in natural units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) by_x: f64,
    pub(super) by_draw: f64,
    pub(super) curve_xx: f64,
    pub(super) curve_x_draw: f64,
    pub(super) curve_draw_draw: f64,
}

/// In place of ln 0: draws do not occur.
const NEVER: f64 = -100.0;

impl DrawModel {
    /// The log-likelihood of these wins, draws and losses.
    pub(super) fn log_likelihood(self, counts: [f64; 3], x: f64, draw: f64) -> Derivatives {
        match self {
            Self::BayesElo => bayeselo(counts, x, draw),
            Self::Davidson => davidson(counts, x, draw),
        }
    }

    /// The draw parameter if no game was drawn: its limit.
    pub(super) fn without_draws(self) -> f64 {
        match self {
            Self::BayesElo => 0.0,
            Self::Davidson => NEVER,
        }
    }

    /// The draw Elo that gives equal players as many draws as `draw` does:
    /// the parameter D itself, or D = ln(1 + ν).
    pub(super) fn draw_elo(self, draw: f64) -> f64 {
        let natural = match self {
            Self::BayesElo => draw,
            Self::Davidson => draw.max(0.0) + (-draw.abs()).exp().ln_1p(),
        };
        natural / NATURAL_PER_ELO
    }
}

/// With p = σ(x - D), q = σ(-x - D): P(win) = p, P(loss) = q, P(draw) = p·q·(e^(2D) - 1).
fn bayeselo(counts: [f64; 3], x: f64, draw: f64) -> Derivatives {
    let [wins, draws, losses] = counts;
    let (for_p, for_q) = (wins + draws, losses + draws);
    let (p, q) = (logistic(x - draw), logistic(-x - draw));
    let (curve_p, curve_q) = (for_p * p * (1.0 - p), for_q * q * (1.0 - q));
    let mut result = Derivatives {
        value: for_p * log_logistic(x - draw) + for_q * log_logistic(-x - draw),
        by_x: for_p * (1.0 - p) - for_q * (1.0 - q),
        by_draw: -for_p * (1.0 - p) - for_q * (1.0 - q),
        curve_xx: curve_p + curve_q,
        curve_x_draw: curve_q - curve_p,
        curve_draw_draw: curve_p + curve_q,
    };
    if draws > 0.0 {
        // ln(e^(2D) - 1) and its derivatives, written so that a large D does not overflow.
        let decay = (-2.0 * draw).exp();
        let rest = 1.0 - decay;
        result.value += draws * (2.0 * draw + rest.ln());
        result.by_draw += draws * 2.0 / rest;
        result.curve_draw_draw += draws * 4.0 * decay / (rest * rest);
    }
    result
}

/// With s = ½, 0, -½ for win, draw and loss and δ = ln ν: ln P = s·x + δ·[draw] - ln Z. Gradient
/// and curvature are as in any exponential family: observed less expected, and covariance.
fn davidson(counts: [f64; 3], x: f64, draw: f64) -> Derivatives {
    let log_p = davidson_log_probabilities(x, draw);
    let [p_win, p_draw, p_loss] = log_p.map(f64::exp);
    let [wins, draws, losses] = counts;
    let games = wins + draws + losses;
    let mean = (p_win - p_loss) / 2.0;
    Derivatives {
        value: counts.iter().zip(log_p).map(|(n, log)| n * log).sum(),
        by_x: (wins - losses) / 2.0 - games * mean,
        by_draw: draws - games * p_draw,
        curve_xx: games * ((p_win + p_loss) / 4.0 - mean * mean),
        curve_x_draw: -games * mean * p_draw,
        curve_draw_draw: games * p_draw * (1.0 - p_draw),
    }
}

fn davidson_log_probabilities(x: f64, draw: f64) -> [f64; 3] {
    let odds = [x / 2.0, draw, -x / 2.0];
    let max = odds.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = max + odds.map(|odd| (odd - max).exp()).iter().sum::<f64>().ln();
    odds.map(|odd| odd - log_sum)
}

/// ln σ(x) without overflow: -ln(1 + e^(-x)).
fn log_logistic(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: [DrawModel; 2] = [DrawModel::BayesElo, DrawModel::Davidson];

    /// Probabilities of win, draw and loss.
    fn probabilities(model: DrawModel, x: f64, draw: f64) -> [f64; 3] {
        match model {
            DrawModel::BayesElo => {
                let (p, q) = (logistic(x - draw), logistic(-x - draw));
                [p, 1.0 - p - q, q]
            }
            DrawModel::Davidson => davidson_log_probabilities(x, draw).map(f64::exp),
        }
    }

    #[test]
    fn value_is_the_log_of_the_three_probabilities() {
        let (x, draw) = (0.7, 0.4);
        for model in MODELS {
            let p = probabilities(model, x, draw);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let known = 3.0 * p[0].ln() + 2.0 * p[1].ln() + p[2].ln();
            let ours = model.log_likelihood([3.0, 2.0, 1.0], x, draw).value;
            assert!((ours - known).abs() < 1e-12, "{model:?}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        const STEP: f64 = 1e-5;
        let counts = [3.0, 2.0, 1.0];
        let points = [(0.0, 0.5), (1.3, 0.2), (-2.0, 1.5)];
        for (model, (x, draw)) in MODELS.into_iter().flat_map(|m| points.map(|p| (m, p))) {
            let at =
                |dx: f64, dd: f64| model.log_likelihood(counts, x + dx * STEP, draw + dd * STEP);
            let here = at(0.0, 0.0);
            let [east, west, north, south] =
                [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(dx, dd)| at(dx, dd));
            let slope = |high: f64, low: f64| (high - low) / (2.0 * STEP);
            for (ours, numeric) in [
                (here.by_x, slope(east.value, west.value)),
                (here.by_draw, slope(north.value, south.value)),
                (-here.curve_xx, slope(east.by_x, west.by_x)),
                (-here.curve_x_draw, slope(north.by_x, south.by_x)),
                (-here.curve_draw_draw, slope(north.by_draw, south.by_draw)),
            ] {
                assert!((ours - numeric).abs() < 1e-6, "{model:?} {ours} {numeric}");
            }
        }
    }

    #[test]
    fn far_tails_stay_finite() {
        for model in MODELS {
            for (draws, draw) in [(0.0, model.without_draws()), (1.0, 40.0)] {
                let far = model.log_likelihood([1.0, draws, 1.0], 500.0, draw);
                assert!(far.value.is_finite() && far.by_x.is_finite() && far.curve_xx >= 0.0);
            }
        }
    }

    #[test]
    fn a_draw_elo_means_the_same_share_of_draws_in_all_models() {
        for elo in [1e-3, 120.0, 900.0] {
            let natural: f64 = elo * NATURAL_PER_ELO;
            // D itself, and ln ν = ln(e^D - 1).
            let shares = [natural, natural.exp_m1().ln()].into_iter().zip(MODELS);
            let shares = shares.map(|(draw, model)| {
                assert!((model.draw_elo(draw) - elo).abs() < 1e-9, "{model:?}");
                probabilities(model, 0.0, draw)[1]
            });
            let shares: Vec<f64> = shares.collect();
            assert!((shares[0] - shares[1]).abs() < 1e-12, "{elo} {shares:?}");
        }
        for model in MODELS {
            assert!(model.draw_elo(model.without_draws()) < 1e-9, "{model:?}");
        }
    }
}
