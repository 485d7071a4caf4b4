//! Newton's method on the joint likelihood of ratings, first-move advantage and draw Elo.

use ndarray::{Array1, Array2, s};

use super::likelihood::{DrawModel, WeightedTally};
use crate::cholesky::Cholesky;
use crate::elo::NATURAL_PER_ELO;

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

    /// Line search: the full step, or its half, quarter and so on, that does not lower the
    /// likelihood.
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
                    state.information[[row, column]] += row_sign * (column_sign * at.curve_xx);
                }
                state.information[[draw, row]] += row_sign * at.curve_x_draw;
            }
            state.gradient[draw] += at.by_draw;
            state.information[[draw, draw]] += at.curve_draw_draw;
        }
        self.add_priors(point, &mut state);
        state
    }

    /// The wide prior on all parameters, the prior on draws, and a spring that holds the mean of
    /// each component at 0, a direction in which the likelihood is flat. The mean is 0 from the
    /// start, so the spring exerts no force.
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
        for ((row, column), cell) in information.indexed_iter_mut() {
            let is_same = self.component[row] == self.component[column];
            *cell += f64::from(u8::from(is_same));
        }
    }
}

/// Log-likelihood, gradient and information (negative Hessian) at a point.
#[derive(Clone)]
struct Expansion {
    value: f64,
    gradient: Array1<f64>,
    /// Only its lower triangle is used.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn problem<'a>(
        games: &'a [WeightedTally],
        component: &'a [usize],
        draw_model: DrawModel,
    ) -> FitProblem<'a> {
        FitProblem {
            games,
            component,
            draw_model,
            with_prior: false,
        }
    }

    fn games(list: &[(usize, usize, [f64; 3])]) -> Vec<WeightedTally> {
        let tally = |&(first, second, counts)| WeightedTally {
            first,
            second,
            counts,
        };
        list.iter().map(tally).collect()
    }

    /// ln of the density up to a constant: -z² / 2.
    #[test]
    fn a_normal_prior_has_its_logarithm() {
        let mut state = Expansion::new(1);
        state.add_normal(0, 1.0, 100.0, 200.0);
        let deviation = 200.0 * NATURAL_PER_ELO;
        let z = (1.0 - 100.0 * NATURAL_PER_ELO) / deviation;
        assert!((state.value + z * z / 2.0).abs() < 1e-12);
        assert!((state.gradient[0] + z / deviation).abs() < 1e-12);
        assert!((state.information[[0, 0]] - deviation.powi(-2)).abs() < 1e-12);
    }

    /// For one pairing: w : d : l = e^(x/2) : ν : e^(-x/2).
    #[test]
    fn rare_draws_have_their_closed_form() {
        let games = games(&[(0, 1, [75.0, 5.0, 603.0])]);
        let fit = problem(&games, &[0, 0], DrawModel::Davidson)
            .fit()
            .expect("a fit");
        let x = fit.ratings[0] - fit.ratings[1] + fit.advantage;
        assert!((x - (75.0_f64 / 603.0).ln()).abs() < 1e-3);
        assert!((fit.draw - (5.0 / (75.0_f64 * 603.0).sqrt()).ln()).abs() < 1e-3);
    }

    /// Full steps would lead away from these maxima.
    #[test]
    fn shorter_steps_find_what_full_ones_miss() {
        for (draw_model, list) in [
            (
                DrawModel::BayesElo,
                [
                    (0, 1, [6.0, 21_735.0, 66_751.0]),
                    (0, 2, [100.0, 0.0, 0.0]),
                    (1, 0, [0.0, 0.0, 32.0]),
                    (2, 1, [440.0, 9.0, 0.0]),
                ],
            ),
            (
                DrawModel::Davidson,
                [
                    (0, 1, [0.0, 95.0, 435.0]),
                    (0, 2, [74_005.0, 0.0, 52.0]),
                    (1, 2, [0.0, 7.0, 0.0]),
                    (2, 0, [1.0, 5.0, 0.0]),
                ],
            ),
        ] {
            let games = games(&list);
            let problem = problem(&games, &[0, 0, 0], draw_model);
            let fit = problem.fit().expect("a fit");
            let mut point = fit.ratings.to_vec();
            point.extend([fit.advantage, fit.draw]);
            let gradient = problem.evaluate(&Array1::from(point)).gradient;
            assert!(gradient.iter().all(|part| part.abs() < 1e-4), "{gradient}");
        }
    }

    /// The games do not determine the sum of a component's ratings, and the spring that holds it
    /// has the strength 1.
    #[test]
    fn springs_hold_the_sum_of_each_component() {
        let games = games(&[
            (0, 1, [3.0, 2.0, 4.0]),
            (2, 4, [5.0, 1.0, 2.0]),
            (4, 3, [2.0; 3]),
        ]);
        let component = [0, 0, 1, 1, 1];
        let fit = problem(&games, &component, DrawModel::BayesElo)
            .fit()
            .expect("a fit");
        for members in [0..2, 2..5] {
            let variance = fit.covariance.slice(s![members.clone(), members]).sum();
            assert!((variance - 1.0).abs() < 1e-3, "{variance}");
        }
    }
}
