//! The log-likelihood of one tally and its derivatives. It is concave in all its arguments.

/// Results of games between two players, `first` moving first; counts may be fractions (priors).
#[derive(Clone, Copy, Debug)]
pub(super) struct Games {
    pub(super) first: usize,
    pub(super) second: usize,
    /// Wins, draws, losses of the first.
    pub(super) counts: [f64; 3],
}

/// Value, gradient and negative Hessian in (x, D): x the first's advantage with the move's, D the
/// draw parameter, both in natural units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) by_x: f64,
    pub(super) by_draw: f64,
    pub(super) curve_xx: f64,
    pub(super) curve_x_draw: f64,
    pub(super) curve_draw_draw: f64,
}

/// With p = σ(x - D), q = σ(-x - D): P(win) = p, P(loss) = q, P(draw) = p·q·(e^(2D) - 1).
pub(super) fn log_likelihood(counts: [f64; 3], x: f64, draw: f64) -> Derivatives {
    let [wins, draws, losses] = counts;
    let (for_p, for_q) = (wins + draws, losses + draws);
    let (p, q) = (sigmoid(x - draw), sigmoid(-x - draw));
    let (curve_p, curve_q) = (for_p * p * (1.0 - p), for_q * q * (1.0 - q));
    let mut result = Derivatives {
        value: for_p * log_sigmoid(x - draw) + for_q * log_sigmoid(-x - draw),
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

/// Probabilities of win, draw and loss.
pub(super) fn outcome_probabilities(x: f64, draw: f64) -> [f64; 3] {
    let (p, q) = (sigmoid(x - draw), sigmoid(-x - draw));
    [p, (1.0 - p - q).max(0.0), q]
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln σ(x) without overflow: -ln(1 + e^(-x)).
fn log_sigmoid(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_the_log_of_the_three_probabilities() {
        let (x, draw) = (0.7, 0.4);
        let [win, even, loss] = outcome_probabilities(x, draw);
        let known = 3.0 * win.ln() + 2.0 * even.ln() + loss.ln();
        assert!((log_likelihood([3.0, 2.0, 1.0], x, draw).value - known).abs() < 1e-12);
    }

    #[test]
    fn derivatives_agree_with_differences() {
        const STEP: f64 = 1e-5;
        let counts = [3.0, 2.0, 1.0];
        for (x, draw) in [(0.0, 0.5), (1.3, 0.2), (-2.0, 1.5)] {
            let at = |dx: f64, dd: f64| log_likelihood(counts, x + dx * STEP, draw + dd * STEP);
            let here = at(0.0, 0.0);
            let slope = |high: f64, low: f64| (high - low) / (2.0 * STEP);
            let pairs = [
                (here.by_x, slope(at(1.0, 0.0).value, at(-1.0, 0.0).value)),
                (here.by_draw, slope(at(0.0, 1.0).value, at(0.0, -1.0).value)),
                (-here.curve_xx, slope(at(1.0, 0.0).by_x, at(-1.0, 0.0).by_x)),
                (
                    -here.curve_x_draw,
                    slope(at(0.0, 1.0).by_x, at(0.0, -1.0).by_x),
                ),
                (
                    -here.curve_draw_draw,
                    slope(at(0.0, 1.0).by_draw, at(0.0, -1.0).by_draw),
                ),
            ];
            for (ours, numeric) in pairs {
                assert!((ours - numeric).abs() < 1e-6, "{ours} {numeric}");
            }
        }
    }

    #[test]
    fn far_tails_stay_finite() {
        let far = log_likelihood([1.0, 1.0, 1.0], 500.0, 40.0);
        assert!(far.value.is_finite() && far.by_x.is_finite() && far.curve_xx >= 0.0);
    }
}
