//! Newton's method on the joint likelihood of ratings, first-move advantage and draw Elo.

use ndarray::{Array1, Array2, s};

use super::NATURAL_PER_ELO;
use super::cholesky::Cholesky;
use super::likelihood::{DrawModel, WeightedTally};

/// Standard deviation, in Elo, of a normal prior on every parameter. It is so wide that it does not
/// move what games determine, and keeps finite what no game determines (a perfect score).
const GUARD_ELO: f64 = 10_000.0;
/// Prior of the draw parameter, in Elo: mean and standard deviation.
const DRAW_PRIOR_ELO: (f64, f64) = (200.0, 500.0);
const MAX_STEPS: usize = 200;
/// Natural units; 1e-7 Elo and less.
const STEP_TOLERANCE: f64 = 1e-10;
const SMALLEST_DRAW: f64 = 1e-9;

/// The likelihood's maximum and the covariance around it, in natural units.
pub(super) struct Fit {
    /// [player] rating; each component has mean 0.
    pub(super) ratings: Array1<f64>,
    pub(super) advantage: f64,
    pub(super) draw: f64,
    /// [player, player] and two more: advantage, draw. Only differences within a component mean
    /// something.
    pub(super) covariance: Array2<f64>,
}

/// [player, player] 1 within a component, 0 elsewhere: the information of the springs that hold
/// the mean of each component.
fn springs(component: &[usize]) -> Array2<f64> {
    let n = component.len();
    Array2::from_shape_fn((n, n), |(row, column)| {
        f64::from(u8::from(component[row] == component[column]))
    })
}

/// The problem to solve.
pub(super) struct FitProblem<'a> {
    pub(super) games: &'a [WeightedTally],
    /// [player] component number
    pub(super) component: &'a [usize],
    pub(super) draw_model: DrawModel,
    pub(super) with_prior: bool,
}

impl FitProblem<'_> {
    /// Fits all parameters; `None` if a matrix is numerically singular.
    pub(super) fn fit(&self) -> Option<Fit> {
        let n = self.component.len();
        let has_draws = self.games.iter().any(|games| games.counts[1] > 0.0);
        let mut point = Array1::zeros(n + 2);
        point[n + 1] = if has_draws {
            1.0
        } else {
            self.draw_model.without_draws()
        };
        let mut state = self.evaluate(&point);
        for _ in 0..MAX_STEPS {
            if !has_draws {
                pin(&mut state, n + 1); // The optimum is at the limit.
            }
            let step = Cholesky::new(&state.information)?.solve(state.gradient.view());
            let (next, next_state, length) = self.climb(&point, &state, &step)?;
            (point, state) = (next, next_state);
            if length < STEP_TOLERANCE {
                break;
            }
        }
        if !has_draws {
            pin(&mut state, n + 1);
        }
        let covariance = Cholesky::new(&state.information)?.inverse();
        Some(Fit {
            advantage: point[n],
            draw: point[n + 1],
            ratings: point.slice_move(s![..n]),
            covariance,
        })
    }

    /// Line search: the full step, or its half, quarter and so on, that does not lower the likelihood.
    fn climb(
        &self,
        from: &Array1<f64>,
        at: &Expansion,
        step: &Array1<f64>,
    ) -> Option<(Array1<f64>, Expansion, f64)> {
        let draw_idx = from.len() - 1;
        let longest = step.iter().fold(0.0, |max: f64, s| max.max(s.abs()));
        for halvings in 0..60 {
            let scale = 0.5f64.powi(halvings);
            let mut to = from + &(step * scale);
            if self.draw_model == DrawModel::BayesElo && from[draw_idx] > 0.0 {
                to[draw_idx] = to[draw_idx].max(SMALLEST_DRAW.max(from[draw_idx] / 10.0));
            }
            let state = self.evaluate(&to);
            if state.value >= at.value - 1e-12 * at.value.abs() {
                return Some((to, state, scale * longest));
            }
        }
        longest.is_finite().then(|| (from.clone(), at.clone(), 0.0))
    }

    fn evaluate(&self, point: &Array1<f64>) -> Expansion {
        let n = self.component.len();
        let (advantage, draw) = (n, n + 1);
        let mut state = Expansion::new(n + 2);
        for games in self.games {
            let x = point[games.first] - point[games.second] + point[advantage];
            let at = self.draw_model.log_likelihood(games.counts, x, point[draw]);
            state.value += at.value;
            // x depends on these parameters with these signs.
            let parts = [(games.first, 1.0), (games.second, -1.0), (advantage, 1.0)];
            for (row, row_sign) in parts {
                state.gradient[row] += row_sign * at.by_x;
                for (column, column_sign) in parts {
                    state.information[[row, column]] += row_sign * column_sign * at.curve_xx;
                }
                state.information[[row, draw]] += row_sign * at.curve_x_draw;
                state.information[[draw, row]] += row_sign * at.curve_x_draw;
            }
            state.gradient[draw] += at.by_draw;
            state.information[[draw, draw]] += at.curve_draw_draw;
        }
        self.add_priors(point, &mut state);
        state
    }

    /// The wide prior on all parameters, the prior on draws, and a spring that holds the mean of each
    /// component at 0, a direction in which the likelihood is flat. The mean is 0 from the beginning, so that
    /// the spring neither pulls nor costs anything.
    fn add_priors(&self, point: &Array1<f64>, state: &mut Expansion) {
        let n = self.component.len();
        for (idx, &value) in point.iter().enumerate() {
            state.add_normal(idx, value, 0.0, GUARD_ELO);
        }
        if self.with_prior {
            let (mean, deviation) = DRAW_PRIOR_ELO;
            state.add_normal(n + 1, point[n + 1], mean, deviation);
        }
        let mut information = state.information.slice_mut(s![..n, ..n]);
        information += &springs(self.component);
    }
}

/// Log-likelihood, gradient and information (negative Hessian) at a point.
#[derive(Clone)]
struct Expansion {
    value: f64,
    gradient: Array1<f64>,
    information: Array2<f64>,
}

impl Expansion {
    fn new(size: usize) -> Self {
        Self {
            value: 0.0,
            gradient: Array1::zeros(size),
            information: Array2::zeros((size, size)),
        }
    }

    fn add_normal(&mut self, idx: usize, value: f64, mean_elo: f64, deviation_elo: f64) {
        let weight = (deviation_elo * NATURAL_PER_ELO).powi(-2);
        let off = value - mean_elo * NATURAL_PER_ELO;
        self.value -= 0.5 * weight * off * off;
        self.gradient[idx] -= weight * off;
        self.information[[idx, idx]] += weight;
    }
}

/// Fixes a parameter at its current value.
fn pin(state: &mut Expansion, idx: usize) {
    const STIFF: f64 = 1e12;
    state.gradient[idx] = 0.0;
    state.information[[idx, idx]] = STIFF;
}
